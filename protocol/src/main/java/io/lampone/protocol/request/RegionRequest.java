package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A change of transactional data: one request for one region, carried in the attribute {@link
 * #ATTRIBUTE} of the Put inside one CheckAndMutate (protocol page, section 3). A request is applied
 * as a whole or not at all. {@link RegionRequestCodec} encodes it.
 */
public sealed interface RegionRequest
    permits RegionRequest.Flush,
        RegionRequest.CommitLeader,
        RegionRequest.AbortLeader,
        RegionRequest.FinishLeader,
        RegionRequest.Heal,
        RegionRequest.Settle,
        FastWrite,
        OneRegionCommit,
        OperationLookup {

  /** Name of the attribute on the Put. */
  String ATTRIBUTE = "lampone.write";

  /** Returns the start timestamp of the transaction concerned; 0 = none. */
  long startTimestamp();

  /** Returns the smallest admissible start timestamp known to the sender. */
  long floor();

  /** Returns the rows that the request changes, ascending, each once. */
  List<Bytes> rows();

  /**
   * Writes intents (protocol page, section 4).
   *
   * @param level the table's conflict level as known to the sender; a different one is refused
   * @param leader the address of the commit entry, fixed before the first flush
   * @param flushNumber above every number that this transaction has used
   * @param intents the intents, ascending by row
   * @param grant grant of the transaction's owner
   * @param knownSchema a timestamp that the sender knew before it looked up the table's indexes; 0
   *     if it writes none. Refused if it is below the table's schema floor
   */
  record Flush(
      long startTimestamp,
      long floor,
      ConflictLevel level,
      RowFamily leader,
      long flushNumber,
      List<RowIntents> intents,
      Grant grant,
      long knownSchema)
      implements RegionRequest {

    /** Creates a flush of a client that writes no indexes. */
    public Flush(
        long startTimestamp,
        long floor,
        ConflictLevel level,
        RowFamily leader,
        long flushNumber,
        List<RowIntents> intents,
        Grant grant) {
      this(startTimestamp, floor, level, leader, flushNumber, intents, grant, 0);
    }

    public Flush {
      intents = List.copyOf(intents);
    }

    @Override
    public List<Bytes> rows() {
      return intents.stream().map(RowIntents::row).toList();
    }
  }

  /** Intents that a flush writes into one row. */
  record RowIntents(Bytes row, List<FamilyIntents> families) {
    public RowIntents {
      families = List.copyOf(families);
    }
  }

  /**
   * Intents that a flush writes into one family of one row. Without cells, only the transaction
   * cell is written (newly rolled-back slots, or the leader's complete list).
   *
   * @param rolledBackSlots all slots rolled back so far
   * @param followers for the leader's row and family only: the other transaction cells
   * @param cells in the order in which the application wrote them, at most one per slot and column
   */
  record FamilyIntents(
      Bytes family,
      SlotSet rolledBackSlots,
      Optional<FollowerList> followers,
      List<IntentCell> cells) {
    public FamilyIntents {
      cells = List.copyOf(cells);
    }
  }

  /**
   * The followers listed in the leader's cell.
   *
   * @param complete whether the list contains all transaction cells
   */
  record FollowerList(List<RowFamily> places, boolean complete) {

    /** The list of a transaction whose places exceed the limit or are not all known yet. */
    public static final FollowerList INCOMPLETE = new FollowerList(List.of(), false);

    public FollowerList {
      places = List.copyOf(places);
    }

    /** Returns a list of all {@code places}, or {@link #INCOMPLETE} above the limit. */
    public static FollowerList ofAll(List<RowFamily> places, int limit) {
      if (places.size() > Math.min(limit, RequestLimits.MAX_FOLLOWERS)) {
        return INCOMPLETE;
      }
      FollowerList all = new FollowerList(places, true);
      Encoder out = new Encoder(1024);
      all.writePlaces(out);
      return out.size() > RequestLimits.MAX_FOLLOWER_BYTES ? INCOMPLETE : all;
    }

    /** Appends the list. */
    void write(Encoder out) {
      writePlaces(out.bool(complete));
    }

    private void writePlaces(Encoder out) {
      out.length(places.size());
      places.forEach(out::place);
    }

    /** Reads the output of {@link #write}; refuses more bytes of places than the limit. */
    static FollowerList read(Decoder in) {
      boolean complete = in.bool();
      List<RowFamily> places = new ArrayList<>();
      int before = in.left();
      for (int left = in.count(3, RequestLimits.MAX_FOLLOWERS, "followers"); left > 0; left--) {
        places.add(in.place());
      }
      int bytes = before - in.left();
      if (bytes > RequestLimits.MAX_FOLLOWER_BYTES) {
        throw new TooLargeException(
            "too many bytes of followers", bytes, RequestLimits.MAX_FOLLOWER_BYTES);
      }
      return new FollowerList(places, complete);
    }
  }

  /**
   * One written cell.
   *
   * @param slot savepoint slot, 0..127
   * @param kind the kind of write
   * @param qualifier the column; empty for a family delete (and legal for the others)
   * @param value value of a put; otherwise empty (which is legal for a put, too), except in a
   *     family delete that is part of {@linkplain #deletingRow a row delete}
   * @param lifetimeMillis lifetime of the value of a put; {@link FamilyRetention#FOREVER} = that of
   *     its family
   */
  record IntentCell(int slot, IntentKind kind, Bytes qualifier, Bytes value, long lifetimeMillis) {

    /** Replaces the kind in the encoding of a put with a lifetime. Older servers refuse it. */
    private static final int EXPIRING_PUT = 4;

    public IntentCell {
      if (kind != IntentKind.PUT && lifetimeMillis != FamilyRetention.FOREVER) {
        throw new MalformedException("only a put has a lifetime, kind=" + kind);
      }
    }

    /**
     * Returns the value of a family delete that, together with those of all other families, stands
     * for a row delete. A server whose table has a different number of families refuses it, because
     * cells of families unknown to the sender would survive.
     *
     * @param families number of families of the table as known to the sender
     */
    public static Bytes deletingRow(int families) {
      return Bytes.utf8(Integer.toString(families));
    }

    /** Creates a cell without an individual lifetime. */
    public IntentCell(int slot, IntentKind kind, Bytes qualifier, Bytes value) {
      this(slot, kind, qualifier, value, FamilyRetention.FOREVER);
    }

    /** Appends the cell. */
    void write(Encoder out) {
      boolean expires = lifetimeMillis != FamilyRetention.FOREVER;
      out.u8(slot).u8(expires ? EXPIRING_PUT : kind.code()).bytes(qualifier).bytes(value);
      if (expires) {
        out.i64(lifetimeMillis);
      }
    }

    /** Reads the output of {@link #write}. */
    static IntentCell read(Decoder in) {
      int slot = in.u8();
      if (slot > Timestamps.MAX_SLOT) {
        throw new MalformedException("savepoint slot out of range, slot=" + slot);
      }
      int kind = in.u8();
      return kind == EXPIRING_PUT
          ? new IntentCell(slot, IntentKind.PUT, in.bytes(), in.bytes(), in.lifetime())
          : new IntentCell(slot, IntentKind.ofCode(kind), in.bytes(), in.bytes());
    }
  }

  /** Effect of an intent on its column or family. */
  enum IntentKind {
    PUT(1),
    /** Deletes all older versions of one column. */
    DELETE_COLUMN(2),
    /** Deletes all older versions of all columns of the family. */
    DELETE_FAMILY(3);

    private final int code;

    IntentKind(int code) {
      this.code = code;
    }

    /** Returns the code of this kind. */
    public int code() {
      return code;
    }

    /** Returns the kind with the given code. */
    public static IntentKind ofCode(int code) {
      return switch (code) {
        case 1 -> PUT;
        case 2 -> DELETE_COLUMN;
        case 3 -> DELETE_FAMILY;
        default -> throw new MalformedException("unknown intent kind, code=" + code);
      };
    }
  }

  /**
   * The commit point: changes the leader's cell from PENDING to COMMITTED; it must be present
   * (protocol page, section 4). All cells of the transaction in the row change in one mutation.
   *
   * @param pass the transaction manager's statement that it has validated the transaction
   */
  record CommitLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, long commitTimestamp, Tag pass)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * Changes the leader's cell from PENDING to ABORTED (protocol page, section 4). Without a proof
   * the leader stays unchanged and its state is returned, unless the transaction is so old that any
   * client may abort it.
   *
   * @param plantOnAbsence whether an absent cell becomes ABORTED too; refused below the safe point
   * @param proof the owner's grant, or the transaction manager's statement
   */
  record AbortLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, boolean plantOnAbsence, Proof proof)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * Changes the leader's cell from COMMITTED to FINAL after every follower has been healed
   * (protocol page, section 4).
   *
   * @param proof the owner's grant, or a region server's statement
   */
  record FinishLeader(
      long startTimestamp, long floor, Bytes row, Bytes family, long commitTimestamp, Proof proof)
      implements RegionRequest {
    @Override
    public List<Bytes> rows() {
      return List.of(row);
    }
  }

  /**
   * Writes a known fate onto followers: all PENDING cells of the transaction in these rows
   * (protocol page, section 4). A leader among them stays unchanged.
   *
   * @param leader the leader whose fate it is; cells that name another leader, and leaders, are not
   *     changed
   * @param fate the fate as stated by a region server
   */
  record Heal(long startTimestamp, long floor, List<Bytes> rows, RowFamily leader, Fate fate)
      implements RegionRequest {
    public Heal {
      rows = List.copyOf(rows);
    }

    /** Returns the commit timestamp, or 0 if the transaction has been aborted. */
    public long commitTimestamp() {
      return fate.commitTimestamp();
    }
  }

  /**
   * The work after several commits in one request. Each part has the effect of a separate request
   * (protocol page, section 3), but all are applied or none.
   *
   * @param parts each a {@link Heal} of a committed transaction or a {@link FinishLeader}
   */
  record Settle(long floor, List<RegionRequest> parts) implements RegionRequest {
    public Settle {
      parts = List.copyOf(parts);
      for (RegionRequest part : parts) {
        boolean heals = part instanceof Heal heal && heal.commitTimestamp() != 0;
        if (!heals && !(part instanceof FinishLeader)) {
          throw new MalformedException("not work after a commit, part=" + part);
        }
      }
    }

    /** Returns 0: the request concerns several transactions. */
    @Override
    public long startTimestamp() {
      return 0;
    }

    @Override
    public List<Bytes> rows() {
      return List.copyOf(partsByRow().keySet());
    }

    /** Returns the parts that name a row, in their order, by row in ascending order. */
    public SortedMap<Bytes, List<RegionRequest>> partsByRow() {
      SortedMap<Bytes, List<RegionRequest>> byRow = new TreeMap<>();
      for (RegionRequest part : parts) {
        for (Bytes row : part.rows()) {
          byRow.computeIfAbsent(row, r -> new ArrayList<>(1)).add(part);
        }
      }
      return byRow;
    }
  }
}
