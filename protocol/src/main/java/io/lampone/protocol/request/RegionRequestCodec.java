package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encoding of a {@link RegionRequest}.
 *
 * <pre>
 *   request = version:u8 kind:u8 start:i64 floor:i64 body
 *   body    = grant level:u8 leader:place flush:i64 count:length rowIntents*  kind 1, Flush
 *           | row:bytes family:bytes commit:i64 pass:tag                      kind 2, CommitLeader
 *           | row:bytes family:bytes plant:bool proof                         kind 3, AbortLeader
 *           | row:bytes family:bytes commit:i64 proof                         kind 4, FinishLeader
 *           | commit:i64 count:length row:bytes* leader:place fate:tag        kind 5, Heal
 *           | fastWrite, see FastCodec                                        kind 6, FastWrite
 *           | grant mark:i64 issued level:u8 repeated:bool
 *                                              count:length rowIntents*     kind 7, OneRegionCommit
 *           | lookup, see FastCodec                                           kind 8, OperationLookup
 *           | count:length part*                                              kind 9, Settle
 *           | oneRegionCommit, as of kind 7, count:length rowRead*    kind 11, with reads
 *           | knownSchema:i64 flush, as of kind 1                     kind 12, of a table with indexes
 *           | knownSchema:i64 oneRegionCommit, as of kind 7           kind 13, of a table with indexes
 *   version       = 3 of kinds 1 to 4, 8 and 12, 4 of the others
 *   part          = kind:u8 (4 or 5) start:i64 body of that kind
 *   rowIntents    = row:bytes count:length familyIntents*
 *   rowRead       = row:bytes count:length place*                             see FastCodec
 *   familyIntents = family:bytes rolledBack:2*i64 followers count:length cell*
 *   followers     = 0:u8 | 1:u8 complete:bool count:length place*
 *   grant         = first:i64 span:i32 secret:2*i64
 *   proof         = 0:u8 | 1:u8 grant | 2:u8 tag (void) | 3:u8 tag (healed)
 *   tag           = 2*i64
 *   cell          = slot:u8 kind:u8 qualifier:bytes value:bytes
 *                 | slot:u8 4:u8 qualifier:bytes value:bytes lifetime:i64   a put that expires
 * </pre>
 */
public final class RegionRequestCodec {

  /** Version of requests that carry a proof. */
  private static final int PROVED_FORMAT = 3;

  /** Version of requests with a proof of issue of their mark, or of the fate that they write. */
  private static final int SHOWN_FORMAT = 4;

  private static final int FLUSH = 1;
  private static final int COMMIT_LEADER = 2;
  private static final int ABORT_LEADER = 3;
  private static final int FINISH_LEADER = 4;
  private static final int HEAL = 5;
  private static final int FAST_WRITE = 6;
  private static final int ONE_REGION_COMMIT = 7;
  private static final int OPERATION_LOOKUP = 8;
  private static final int SETTLE = 9;

  /** Kind 10 is a read: a certification. */
  private static final int ONE_REGION_COMMIT_WITH_READS = 11;

  /** Older servers, which would not compare the schema floor, refuse these two. */
  private static final int FLUSH_OF_SCHEMA = 12;

  private static final int ONE_REGION_COMMIT_OF_SCHEMA = 13;

  /** Minimum length of a part, in bytes: kind, start, commit and a count or two. */
  private static final int LEAST_PART_BYTES = 1 + Long.BYTES + Long.BYTES + 1;

  /** Minimum length of a family's intents, in bytes: family, slots, no followers and a count. */
  private static final int LEAST_FAMILY_BYTES = 1 + 2 * Long.BYTES + 1 + 1;

  /** Minimum length of a read, in bytes: row, a count and a place. */
  private static final int LEAST_READ_BYTES = 1 + 1 + 3;

  private RegionRequestCodec() {}

  /** Encodes the attribute. */
  public static byte[] encode(RegionRequest request) {
    Encoder out = new Encoder(256);
    out.u8(format(kind(request)))
        .u8(kind(request))
        .i64(request.startTimestamp())
        .i64(request.floor());
    encodeBody(out, request);
    return out.toByteArray();
  }

  private static void encodeBody(Encoder out, RegionRequest request) {
    if (request instanceof Flush flush) {
      encodeSchema(out, flush.knownSchema());
      flush.grant().write(out);
      out.u8(flush.level().code()).place(flush.leader()).i64(flush.flushNumber());
      out.length(flush.intents().size());
      flush.intents().forEach(row -> encodeRow(out, row));
    } else if (request instanceof CommitLeader commit) {
      out.bytes(commit.row()).bytes(commit.family()).i64(commit.commitTimestamp());
      commit.pass().write(out);
    } else if (request instanceof AbortLeader abort) {
      out.bytes(abort.row()).bytes(abort.family()).bool(abort.plantOnAbsence());
      Proof.write(out, abort.proof());
    } else if (request instanceof FinishLeader finish) {
      out.bytes(finish.row()).bytes(finish.family()).i64(finish.commitTimestamp());
      Proof.write(out, finish.proof());
    } else if (request instanceof Heal heal) {
      out.i64(heal.commitTimestamp()).length(heal.rows().size());
      heal.rows().forEach(out::bytes);
      heal.fate().tag().write(out.place(heal.leader()));
    } else if (request instanceof FastWrite write) {
      FastCodec.encode(out, write);
    } else if (request instanceof OneRegionCommit commit) {
      encodeSchema(out, commit.knownSchema());
      commit.grant().write(out);
      IssueProof.write(out.i64(commit.mark()), commit.issued());
      out.u8(commit.level().code()).bool(commit.repeated());
      out.length(commit.intents().size());
      commit.intents().forEach(row -> encodeRow(out, row));
      encodeReads(out, commit.reads());
    } else if (request instanceof OperationLookup lookup) {
      FastCodec.encode(out, lookup);
    } else if (request instanceof Settle settle) {
      out.length(settle.parts().size());
      for (RegionRequest part : settle.parts()) {
        out.u8(kind(part)).i64(part.startTimestamp());
        encodeBody(out, part);
      }
    }
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not a region request
   * @throws TooLargeException if it exceeds one of the {@link RequestLimits}; nothing beyond the
   *     limit has been decoded
   */
  public static RegionRequest decode(byte[] array) {
    RequestLimits.requireBytes(array, RequestLimits.MAX_WRITE_BYTES);
    Decoder in = Decoder.ofRequest(array);
    int version = in.u8();
    int kind = in.u8();
    Decoder.requireVersion(version, format(kind), "region request");
    long start = in.i64();
    long floor = in.i64();
    RegionRequest request =
        switch (kind) {
          case FLUSH -> decodeFlush(in, start, floor, 0);
          case FLUSH_OF_SCHEMA -> decodeFlush(in, start, floor, decodeSchema(in));
          case COMMIT_LEADER -> decodeCommit(in, start, floor);
          case ABORT_LEADER -> decodeAbort(in, start, floor);
          case FINISH_LEADER -> decodeFinish(in, start, floor);
          case HEAL -> decodeHeal(in, start, floor);
          case FAST_WRITE -> FastCodec.decodeWrite(in, floor);
          case ONE_REGION_COMMIT -> decodeOneRegion(in, start, floor, 0, false);
          case ONE_REGION_COMMIT_WITH_READS -> decodeOneRegion(in, start, floor, 0, true);
          case ONE_REGION_COMMIT_OF_SCHEMA ->
              decodeOneRegion(in, start, floor, decodeSchema(in), false);
          case OPERATION_LOOKUP -> FastCodec.decodeLookup(in, floor);
          case SETTLE -> decodeSettle(in, start, floor);
          default -> throw new MalformedException("unknown region request, kind=" + kind);
        };
    in.end("region request");
    return request;
  }

  private static int format(int kind) {
    return switch (kind) {
      case FLUSH, COMMIT_LEADER, ABORT_LEADER, FINISH_LEADER, OPERATION_LOOKUP, FLUSH_OF_SCHEMA ->
          PROVED_FORMAT;
      default -> SHOWN_FORMAT;
    };
  }

  private static int kind(RegionRequest request) {
    if (request instanceof Flush flush) {
      return flush.knownSchema() == 0 ? FLUSH : FLUSH_OF_SCHEMA;
    }
    if (request instanceof CommitLeader) {
      return COMMIT_LEADER;
    }
    if (request instanceof AbortLeader) {
      return ABORT_LEADER;
    }
    if (request instanceof FinishLeader) {
      return FINISH_LEADER;
    }
    if (request instanceof FastWrite) {
      return FAST_WRITE;
    }
    if (request instanceof OneRegionCommit commit && commit.knownSchema() != 0) {
      return ONE_REGION_COMMIT_OF_SCHEMA;
    }
    if (request instanceof OneRegionCommit commit) {
      return commit.reads().isEmpty() ? ONE_REGION_COMMIT : ONE_REGION_COMMIT_WITH_READS;
    }
    if (request instanceof Settle) {
      return SETTLE;
    }
    return request instanceof OperationLookup ? OPERATION_LOOKUP : HEAL;
  }

  /** A request of a client that writes no indexes is written as before there were such. */
  private static void encodeSchema(Encoder out, long known) {
    if (known != 0) {
      out.i64(known);
    }
  }

  private static long decodeSchema(Decoder in) {
    long known = in.timestamp();
    if (known == 0) {
      throw new MalformedException("a request of a table with indexes names no timestamp");
    }
    return known;
  }

  private static void encodeRow(Encoder out, RowIntents row) {
    out.bytes(row.row()).length(row.families().size());
    for (FamilyIntents family : row.families()) {
      out.bytes(family.family()).slots(family.rolledBackSlots());
      if (family.followers().isPresent()) {
        family.followers().get().write(out.u8(1));
      } else {
        out.u8(0);
      }
      out.length(family.cells().size());
      for (IntentCell cell : family.cells()) {
        cell.write(out);
      }
    }
  }

  private static Flush decodeFlush(Decoder in, long start, long floor, long known) {
    Grant grant = Grant.read(in);
    ConflictLevel level = ConflictLevel.ofCode(in.u8());
    RowFamily leader = in.place();
    long flushNumber = in.i64();
    return new Flush(start, floor, level, leader, flushNumber, decodeRows(in), grant, known);
  }

  private static OneRegionCommit decodeOneRegion(
      Decoder in, long start, long floor, long known, boolean hasReads) {
    Grant grant = Grant.read(in);
    long mark = in.i64();
    IssueProof issued = IssueProof.read(in);
    ConflictLevel level = ConflictLevel.ofCode(in.u8());
    boolean repeated = in.bool();
    List<RowIntents> intents = decodeRows(in);
    List<RowRead> reads = hasReads ? decodeReads(in) : List.of();
    return new OneRegionCommit(
        start, floor, mark, level, repeated, intents, grant, issued, reads, known);
  }

  /** A commit without reads is written as before there were such. */
  private static void encodeReads(Encoder out, List<RowRead> reads) {
    if (reads.isEmpty()) {
      return;
    }
    out.length(reads.size());
    for (RowRead read : reads) {
      out.bytes(read.row());
      FastCodec.encode(out, read.scope());
    }
  }

  private static List<RowRead> decodeReads(Decoder in) {
    List<RowRead> reads = new ArrayList<>();
    for (int left = in.count(LEAST_READ_BYTES, RequestLimits.MAX_ROWS, "rows"); left > 0; left--) {
      reads.add(new RowRead(in.bytes(), FastCodec.decodeScope(in)));
    }
    if (reads.isEmpty()) {
      throw new MalformedException("a commit with reads names none");
    }
    return reads;
  }

  private static List<RowIntents> decodeRows(Decoder in) {
    List<RowIntents> rows = new ArrayList<>();
    for (int left = in.count(2, RequestLimits.MAX_ROWS, "rows"); left > 0; left--) {
      Bytes row = in.bytes();
      List<FamilyIntents> families = new ArrayList<>();
      for (int more = in.count(LEAST_FAMILY_BYTES); more > 0; more--) {
        families.add(decodeFamily(in));
      }
      rows.add(new RowIntents(row, families));
    }
    return rows;
  }

  private static FamilyIntents decodeFamily(Decoder in) {
    Bytes family = in.bytes();
    SlotSet rolledBack = in.slots();
    Optional<FollowerList> followers =
        in.bool() ? Optional.of(FollowerList.read(in)) : Optional.empty();
    List<IntentCell> cells = new ArrayList<>();
    for (int left = in.count(4, RequestLimits.MAX_CELLS, "cells"); left > 0; left--) {
      cells.add(IntentCell.read(in));
    }
    return new FamilyIntents(family, rolledBack, followers, cells);
  }

  private static Heal decodeHeal(Decoder in, long start, long floor) {
    return decodeHeal(in, start, floor, RequestLimits.MAX_ROWS);
  }

  private static Heal decodeHeal(Decoder in, long start, long floor, int maxRows) {
    long commit = in.i64();
    List<Bytes> rows = new ArrayList<>();
    for (int left = in.count(1, maxRows, "rows"); left > 0; left--) {
      rows.add(in.bytes());
    }
    RowFamily leader = in.place();
    return new Heal(start, floor, rows, leader, new Fate(commit, Tag.read(in)));
  }

  private static CommitLeader decodeCommit(Decoder in, long start, long floor) {
    Bytes row = in.bytes();
    Bytes family = in.bytes();
    return new CommitLeader(start, floor, row, family, in.i64(), Tag.read(in));
  }

  private static AbortLeader decodeAbort(Decoder in, long start, long floor) {
    Bytes row = in.bytes();
    Bytes family = in.bytes();
    return new AbortLeader(start, floor, row, family, in.bool(), Proof.read(in));
  }

  private static FinishLeader decodeFinish(Decoder in, long start, long floor) {
    Bytes row = in.bytes();
    Bytes family = in.bytes();
    return new FinishLeader(start, floor, row, family, in.i64(), Proof.read(in));
  }

  private static Settle decodeSettle(Decoder in, long start, long floor) {
    if (start != 0) {
      throw new MalformedException("work of several transactions names one, start=" + start);
    }
    List<RegionRequest> parts = new ArrayList<>();
    int rows = 0;
    for (int left = in.count(LEAST_PART_BYTES, RequestLimits.MAX_PARTS, "parts");
        left > 0;
        left--) {
      int kind = in.u8();
      long one = in.i64();
      RegionRequest part =
          switch (kind) {
            case FINISH_LEADER -> decodeFinish(in, one, floor);
            case HEAL -> decodeHeal(in, one, floor, RequestLimits.MAX_ROWS - rows);
            default -> throw new MalformedException("not work after a commit, kind=" + kind);
          };
      rows += part.rows().size();
      if (rows > RequestLimits.MAX_ROWS) {
        throw new TooLargeException("too many rows", rows, RequestLimits.MAX_ROWS);
      }
      parts.add(part);
    }
    return new Settle(floor, parts);
  }
}
