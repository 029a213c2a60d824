package io.lampone.tm.core.transfer;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Transfer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * State that a primary has sent to a backup, the counterpart of {@link ReceivedState}: cuts what is
 * left of the tables into parts, in order, while the primary adds to them.
 */
final class SentState {

  private final PrimaryState primaryState;

  private final int chunk;
  private final Consumer<Transfer> out;

  private final TransferDigest digest = new TransferDigest();

  /** The number of the next conflict and of the next decision to send. */
  private long nextConflict;

  private long nextDecision;

  private long conflicts;
  private long decisions;
  private long holds;

  /** Number of entries that the backup has acknowledged. */
  private long received;

  /**
   * @param chunk maximum entries in a part
   * @param out sends a part that the backup answers
   */
  SentState(PrimaryState primaryState, int chunk, Consumer<Transfer> out) {
    this.primaryState = primaryState;
    this.chunk = chunk;
    this.out = out;
    this.nextConflict = primaryState.conflicts().oldestSequence();
    this.nextDecision = primaryState.decisions().oldestSequence();
  }

  /**
   * Returns why a backup with these capabilities cannot keep this state; empty if it can. One
   * without ASSIGNED takes assigned for decided [Z17].
   */
  Optional<String> obstacle(long capabilities) {
    if (!Capabilities.has(capabilities, Capabilities.BUCKETS)
        && primaryState.buckets().map().isSharded()) {
      return Optional.of("the backup is older and does not know other validators: update it first");
    }
    if (!Capabilities.has(capabilities, Capabilities.ASSIGNED)
        && primaryState.decisions().remembersAssigned()) {
      return Optional.of(
          "the backup is older and does not know serializable transactions, of which this one"
              + " remembers some: update the backup first");
    }
    return Optional.empty();
  }

  /** Records that the backup has acknowledged so many entries in all. */
  void acknowledged(long entries) {
    received = Math.max(received, entries);
  }

  /** Returns the number of entries sent that the backup has not acknowledged. */
  long unacknowledged() {
    return conflicts + decisions - received;
  }

  /** Skips entries evicted before they were sent: watermark and horizon, sent last, cover them. */
  void skipForgotten() {
    nextConflict = Math.max(nextConflict, primaryState.conflicts().oldestSequence());
    nextDecision = Math.max(nextDecision, primaryState.decisions().oldestSequence());
  }

  /** Returns the number of entries not sent yet. */
  long remaining() {
    return primaryState.conflicts().sequence()
        - nextConflict
        + primaryState.decisions().sequence()
        - nextDecision;
  }

  /** Sends the next parts: of each table at most one. */
  void sendChunk() {
    if (nextConflict < primaryState.conflicts().sequence()) {
      out.accept(nextConflicts());
    }
    if (nextDecision < primaryState.decisions().sequence()) {
      out.accept(nextDecisions());
    }
  }

  private Transfer nextConflicts() {
    long[] pairs = new long[2 * chunk];
    int[] count = {0};
    nextConflict =
        primaryState
            .conflicts()
            .copy(
                nextConflict,
                chunk,
                (hash, timestamp) -> {
                  digest.conflict(hash, timestamp);
                  pairs[2 * count[0]] = hash;
                  pairs[2 * count[0] + 1] = timestamp;
                  count[0]++;
                });
    conflicts += count[0];
    return new Transfer.Conflicts(Arrays.copyOf(pairs, 2 * count[0]));
  }

  private Transfer nextDecisions() {
    long[] starts = new long[chunk];
    long[] timestamps = new long[chunk];
    int[] checkIndexes = new int[chunk];
    int[] count = {0};
    nextDecision =
        primaryState
            .decisions()
            .copy(
                nextDecision,
                chunk,
                (start, timestamp, checkIndex) -> {
                  digest.decision(start, timestamp, checkIndex);
                  starts[count[0]] = start;
                  timestamps[count[0]] = timestamp;
                  checkIndexes[count[0]] = checkIndex;
                  count[0]++;
                });
    int n = count[0];
    decisions += n;
    return new Transfer.Decisions(
        Arrays.copyOf(starts, n), Arrays.copyOf(timestamps, n), Arrays.copyOf(checkIndexes, n));
  }

  /** Sends what follows the tables: holds, and owners of buckets if there are several. */
  void sendHoldsAndBuckets() {
    List<Hold> held = primaryState.holds().list();
    held.forEach(digest::hold);
    holds = held.size();
    out.accept(new Transfer.Holds(held));
    if (primaryState.buckets().map().isSharded()) {
      out.accept(digest.buckets(primaryState.buckets().map()));
    }
  }

  /** Returns the last part. */
  Transfer.Last last() {
    return new Transfer.Last(
        primaryState.conflicts().lowWatermark(),
        primaryState.decisions().horizon(),
        primaryState.holds().pause().toMillis() + 1,
        conflicts,
        decisions,
        holds,
        digest.value());
  }

  /** Returns true if the backup has received the same. */
  boolean equalsReceived(Transfer.Reply.Complete all) {
    return all.digest() == digest.value();
  }

  /** Returns the result of the hand-over of this state. */
  TransferResult result(String successor, boolean leading, Duration gap, int rounds) {
    return new TransferResult(successor, leading, gap, conflicts, decisions, holds, 1, rounds);
  }
}
