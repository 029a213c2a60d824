package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.Hold;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Transfer of a primary's state to the backup that replaces it; needs {@link
 * Capabilities#TRANSFER}. One connection carries one transfer: an {@link Offer}, any number of
 * entries in order of their creation, {@link Last}, and {@link Written}. If the connection ends
 * earlier, the transfer is void.
 */
public sealed interface Transfer {

  /** Writes this as a complete frame. */
  void writeTo(FrameWriter writer);

  /**
   * Start of a transfer.
   *
   * @param epoch the epoch of the primary
   * @param id name of this hand-over, never used again
   */
  record Offer(long epoch, String id) implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, OFFER).i64(epoch);
      writeText(writer, id);
    }
  }

  /** Entries of the conflict table: a hash at each even index, then its commit timestamp. */
  @SuppressWarnings("ArrayRecordComponent") // bulk; never changed after construction
  record Conflicts(long[] hashesAndTimestamps) implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, CONFLICTS).i32(hashesAndTimestamps.length / 2).i64s(hashesAndTimestamps);
    }
  }

  /**
   * Decisions.
   *
   * @param startTimestamps the transactions
   * @param timestamps the commit timestamp of each, or the one that it conflicted with
   * @param checkIndexes the index of the conflicting hash; negative if it passed
   */
  @SuppressWarnings("ArrayRecordComponent") // bulk; never changed after construction
  record Decisions(long[] startTimestamps, long[] timestamps, int[] checkIndexes)
      implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, DECISIONS).i32(startTimestamps.length);
      for (int i = 0; i < startTimestamps.length; i++) {
        writer.i64(startTimestamps[i]).i64(timestamps[i]).i32(checkIndexes[i]);
      }
    }
  }

  /** Holds. */
  record Holds(List<Hold> holds) implements Transfer {

    public Holds {
      holds = List.copyOf(holds);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, HOLDS).i32(holds.size());
      for (Hold hold : holds) {
        writeText(writer, hold.owner());
        writeText(writer, hold.name());
        writer.i64(hold.timestamp()).i64(hold.remainingMillis());
      }
    }
  }

  /**
   * End of the transfer: no more decisions will follow, and everything has been sent.
   *
   * @param lowWatermark of the conflict table
   * @param horizon of the decision memory
   * @param safePointPauseMillis how much longer the safe point must not rise, because of holds that
   *     this primary may not know
   * @param conflicts number of conflict table entries sent
   * @param decisions number of decisions sent
   * @param holds number of holds sent
   * @param digest over all of them, in order
   */
  record Last(
      long lowWatermark,
      long horizon,
      long safePointPauseMillis,
      long conflicts,
      long decisions,
      long holds,
      long digest)
      implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, LAST).i64(lowWatermark).i64(horizon).i64(safePointPauseMillis);
      writer.i64(conflicts).i64(decisions).i64(holds).i64(digest);
    }
  }

  /**
   * The owners of the buckets of conflict hashes, if they have ever changed; before {@link Last}.
   *
   * @param map output of {@code BucketMap.encode}
   */
  record Buckets(String map) implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      byte[] bytes = map.getBytes(StandardCharsets.UTF_8);
      start(writer, BUCKETS).i32(bytes.length).bytes(bytes);
    }
  }

  /**
   * The primary's periodic question to a validator, on a connection without a hand-over.
   *
   * @param timestamp the last one issued
   * @param share the buckets that it owns, which it repeats to the next primary
   */
  record Ping(long timestamp, String share) implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      byte[] bytes = share.getBytes(StandardCharsets.UTF_8);
      start(writer, PING).i64(timestamp).i32(bytes.length).bytes(bytes);
    }
  }

  /** The record now names the successor, which may read it at once instead of waiting. */
  record Written() implements Transfer {

    @Override
    public void writeTo(FrameWriter writer) {
      start(writer, WRITTEN);
    }
  }

  /** Answer of the backup. */
  sealed interface Reply {

    /** Writes this as a complete frame. */
    void writeTo(FrameWriter writer);

    /**
     * Acknowledges entries of all kinds.
     *
     * @param entries number of entries received since the offer
     */
    record Received(long entries) implements Reply {

      @Override
      public void writeTo(FrameWriter writer) {
        startReply(writer, RECEIVED).i64(entries);
      }
    }

    /** Everything has arrived and has this digest. */
    record Complete(long digest) implements Reply {

      @Override
      public void writeTo(FrameWriter writer) {
        startReply(writer, COMPLETE).i64(digest);
      }
    }

    /** The backup is now the primary, in this epoch. */
    record Leading(long epoch) implements Reply {

      @Override
      public void writeTo(FrameWriter writer) {
        startReply(writer, LEADING).i64(epoch);
      }
    }

    /**
     * A validator's answer to {@link Ping}.
     *
     * @param incarnation random number of its process
     * @param mark proof of the timestamp in the question, by its cluster key; 0 without keys
     * @param counts what it has done and can do
     * @param share the buckets that it had before this question
     */
    record Voting(String name, long incarnation, long mark, Counts counts, String share)
        implements Reply {

      @Override
      public void writeTo(FrameWriter writer) {
        startReply(writer, VOTING);
        writeText(writer, name);
        writer.i64(incarnation).i64(mark).i64(counts.capacity()).i64(counts.entries());
        writer.i64(counts.votes()).i64(counts.hashes()).i64(counts.low());
        byte[] bytes = share.getBytes(StandardCharsets.UTF_8);
        writer.i32(bytes.length).bytes(bytes);
      }
    }

    /**
     * Counts of a validator.
     *
     * @param capacity number of hashes that it keeps
     * @param entries number of hashes that it has
     * @param votes number of votes since its start
     * @param hashes number of hashes in them
     * @param low timestamp below which it cannot vote any more
     */
    record Counts(long capacity, long entries, long votes, long hashes, long low) {}

    /** The backup refuses the transfer; {@code text} has the reason for people. */
    record Refused(String text) implements Reply {

      @Override
      public void writeTo(FrameWriter writer) {
        startReply(writer, REFUSED);
        writeText(writer, text);
      }
    }

    /** Reads a reply. */
    static Reply readFrom(FrameReader reader) {
      reader.expect(FrameKind.TRANSFER_REPLY);
      int type = reader.u8();
      Reply reply =
          switch (type) {
            case RECEIVED -> new Received(reader.i64());
            case COMPLETE -> new Complete(reader.i64());
            case LEADING -> new Leading(reader.i64());
            case REFUSED -> new Refused(readText(reader));
            case VOTING ->
                new Voting(
                    readText(reader),
                    reader.i64(),
                    reader.i64(),
                    new Counts(
                        reader.i64(), reader.i64(), reader.i64(), reader.i64(), reader.i64()),
                    readLongText(reader));
            default -> throw new MalformedException("unknown reply to a transfer, type=" + type);
          };
      reader.end();
      return reply;
    }
  }

  int OFFER = 1;
  int CONFLICTS = 2;
  int DECISIONS = 3;
  int HOLDS = 4;
  int LAST = 5;
  int WRITTEN = 6;
  int BUCKETS = 7;
  int PING = 8;

  int RECEIVED = 1;
  int COMPLETE = 2;
  int LEADING = 3;
  int REFUSED = 4;
  int VOTING = 5;

  /** Reads a part of a transfer. */
  static Transfer readFrom(FrameReader reader) {
    reader.expect(FrameKind.TRANSFER);
    int type = reader.u8();
    Transfer transfer =
        switch (type) {
          case OFFER -> new Offer(reader.i64(), readText(reader));
          case CONFLICTS ->
              new Conflicts(reader.i64s(2 * reader.count(FrameLayout.TRANSFER_CONFLICT_BYTES)));
          case DECISIONS -> readDecisions(reader);
          case HOLDS -> readHolds(reader);
          case LAST ->
              new Last(
                  reader.i64(),
                  reader.i64(),
                  reader.i64(),
                  reader.i64(),
                  reader.i64(),
                  reader.i64(),
                  reader.i64());
          case WRITTEN -> new Written();
          case BUCKETS -> new Buckets(readLongText(reader));
          case PING -> new Ping(reader.i64(), readLongText(reader));
          default -> throw new MalformedException("unknown part of a transfer, type=" + type);
        };
    reader.end();
    return transfer;
  }

  private static Decisions readDecisions(FrameReader reader) {
    int count = reader.count(FrameLayout.TRANSFER_DECISION_BYTES);
    long[] startTimestamps = new long[count];
    long[] timestamps = new long[count];
    int[] checkIndexes = new int[count];
    for (int i = 0; i < count; i++) {
      startTimestamps[i] = reader.i64();
      timestamps[i] = reader.i64();
      checkIndexes[i] = reader.i32();
    }
    return new Decisions(startTimestamps, timestamps, checkIndexes);
  }

  private static Holds readHolds(FrameReader reader) {
    int count = reader.count(FrameLayout.TRANSFER_HOLD_FIXED_BYTES);
    List<Hold> holds = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      holds.add(new Hold(readText(reader), readText(reader), reader.i64(), reader.i64()));
    }
    return new Holds(holds);
  }

  private static FrameWriter start(FrameWriter writer, int type) {
    writer.start(FrameKind.TRANSFER);
    return writer.u8(type);
  }

  private static FrameWriter startReply(FrameWriter writer, int type) {
    writer.start(FrameKind.TRANSFER_REPLY);
    return writer.u8(type);
  }

  private static void writeText(FrameWriter writer, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > FrameLayout.MAX_TRANSFER_TEXT_BYTES) {
      throw new MalformedException("text too long, bytes=" + bytes.length);
    }
    writer.u16(bytes.length).bytes(bytes);
  }

  private static String readLongText(FrameReader reader) {
    return new String(reader.bytes(reader.count(Byte.BYTES)), StandardCharsets.UTF_8);
  }

  private static String readText(FrameReader reader) {
    int length = reader.u16();
    if (length > FrameLayout.MAX_TRANSFER_TEXT_BYTES) {
      throw new MalformedException("text too long, bytes=" + length);
    }
    return new String(reader.bytes(length), StandardCharsets.UTF_8);
  }
}
