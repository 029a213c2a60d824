package io.lampone.tm.core.transfer;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.Backup;
import io.lampone.tm.core.HoldTable;
import io.lampone.tm.core.oracle.InvariantViolatedException;
import io.lampone.tm.core.validation.DecisionCache;
import java.time.Duration;
import java.util.Optional;

/**
 * State received by a backup from the primary, from the offer on. It is valid only if it is
 * complete <em>and</em> the record states that nothing was decided afterwards: see {@link Backup}.
 *
 * <p>These tables may be smaller than the primary's: then they evict the oldest entries while they
 * are filled, and watermark and horizon rise as usual.
 */
public final class ReceivedState {

  private final Transfer.Offer offer;
  private final TransferSource from;
  private final PrimaryState primaryState;
  private final Clock clock;
  private final TransferDigest digest = new TransferDigest();

  private long conflicts;
  private long decisions;
  private long holds;

  /** The newest commit timestamp so far: they arrive in order. */
  private long newest;

  /** Set once totals and digest have been verified. */
  private boolean complete;

  /** Time at which {@link #complete} was set. */
  private long completeNanos;

  /**
   * Creates an empty state.
   *
   * @param primaryState empty tables to fill; owned by this object from now on
   */
  public ReceivedState(
      Transfer.Offer offer, TransferSource from, PrimaryState primaryState, Clock clock) {
    this.offer = offer;
    this.from = from;
    this.primaryState = primaryState;
    this.clock = clock;
  }

  /** Returns the name of the hand-over. */
  public String id() {
    return offer.id();
  }

  /** Returns the epoch of the sending primary. */
  public long epoch() {
    return offer.epoch();
  }

  public TransferSource from() {
    return from;
  }

  public boolean isComplete() {
    return complete;
  }

  /** Returns true if the record has had this much time to name the hand-over. */
  public boolean isCompleteFor(Duration duration) {
    return complete && clock.monotonicNanos() - completeNanos >= duration.toNanos();
  }

  /** Returns the complete state; requires {@link #isComplete}. */
  public PrimaryState primaryState() {
    if (!complete) {
      throw new InvariantViolatedException("incomplete inheritance, id=" + offer.id());
    }
    return primaryState;
  }

  /**
   * Processes a part.
   *
   * @return the answer
   * @throws MalformedException if the part is out of turn or impossible; the transfer is then
   *     invalid
   */
  public Optional<Transfer.Reply> receive(Transfer part) {
    if (complete) {
      throw new MalformedException("transfer goes on after its end, id=" + offer.id());
    }
    if (part instanceof Transfer.Conflicts more) {
      takeConflicts(more.hashesAndTimestamps());
    } else if (part instanceof Transfer.Decisions more) {
      takeDecisions(more);
    } else if (part instanceof Transfer.Holds more) {
      more.holds().forEach(this::take);
    } else if (part instanceof Transfer.Buckets buckets) {
      primaryState.buckets().restore(BucketMap.decode(buckets.map()));
      digest.buckets(primaryState.buckets().map());
    } else if (part instanceof Transfer.Last last) {
      return Optional.of(finish(last));
    } else {
      throw new MalformedException("part of a transfer out of turn, id=" + offer.id());
    }
    return Optional.of(new Transfer.Reply.Received(conflicts + decisions + holds));
  }

  private void takeConflicts(long[] pairs) {
    for (int i = 0; i < pairs.length; i += 2) {
      long timestamp = pairs[i + 1];
      if (timestamp < newest || !Timestamps.isGlobal(timestamp)) {
        throw new MalformedException("impossible timestamp in a transfer, timestamp=" + timestamp);
      }
      newest = timestamp;
      primaryState.conflicts().record(pairs[i], timestamp);
      digest.conflict(pairs[i], timestamp);
      conflicts++;
    }
  }

  private void takeDecisions(Transfer.Decisions more) {
    for (int i = 0; i < more.startTimestamps().length; i++) {
      long start = more.startTimestamps()[i];
      long timestamp = more.timestamps()[i];
      int checkIndex = more.checkIndexes()[i];
      // A second decision exists only if the first one had been forgotten there and a client
      // repeated its request as a first sending. This table may be larger and keeps the first
      // decision.
      if (primaryState.decisions().find(start) == DecisionCache.NOT_FOUND) {
        primaryState.decisions().restore(start, timestamp, checkIndex);
      }
      digest.decision(start, timestamp, checkIndex);
      decisions++;
    }
  }

  private void take(Hold hold) {
    if (holds >= HoldTable.MAX_HOLDS) {
      throw new MalformedException("too many holds in a transfer, limit=" + HoldTable.MAX_HOLDS);
    }
    primaryState.holds().restore(hold);
    digest.hold(hold);
    holds++;
  }

  private Transfer.Reply finish(Transfer.Last last) {
    boolean matches =
        last.conflicts() == conflicts
            && last.decisions() == decisions
            && last.holds() == holds
            && last.digest() == digest.value();
    if (!matches) {
      return new Transfer.Reply.Refused(
          "not everything arrived, conflicts=" + conflicts + " decisions=" + decisions);
    }
    primaryState.conflicts().raiseLowWatermark(last.lowWatermark());
    primaryState.decisions().raiseHorizon(last.horizon());
    primaryState.holds().pauseFor(pause(last.safePointPauseMillis()));
    complete = true;
    completeNanos = clock.monotonicNanos();
    return new Transfer.Reply.Complete(last.digest());
  }

  private Duration pause(long millis) {
    long longest = primaryState.holds().longestLifetime().toMillis();
    return Duration.ofMillis(Math.max(0, Math.min(millis, longest)));
  }
}
