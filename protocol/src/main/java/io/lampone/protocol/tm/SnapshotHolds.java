package io.lampone.protocol.tm;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The holds of one owner (protocol page, section 7): a snapshot remains readable while a hold on it
 * lasts. Futures fail with {@link RefusedException} if the transaction manager refuses, and with
 * {@link TransactionManagerException} if it does not answer; in the latter case the hold may or may
 * not exist.
 */
public interface SnapshotHolds {

  /**
   * Terms that the transaction manager grants.
   *
   * @param retention how long every snapshot is readable without a hold
   * @param longestHold maximum lifetime of a hold unless it is renewed
   */
  record Terms(Duration retention, Duration longestHold) {}

  /** Returns the granted terms, without taking a hold. */
  CompletableFuture<Terms> terms();

  /** Takes a hold, or renews the hold of that name on that snapshot. */
  CompletableFuture<Terms> hold(String name, long timestamp, Duration lifetime);

  /** Extends a hold to {@code lifetime} from now. */
  CompletableFuture<Void> renew(String name, Duration lifetime);

  /** Ends a hold if it exists. */
  CompletableFuture<Void> release(String name);

  /** Thrown if the transaction manager has refused and nothing has changed. */
  final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean tooOld;

    /**
     * @param tooOld whether the reason is that the snapshot is below the safe point
     * @param message the refusal
     */
    public RefusedException(boolean tooOld, String message) {
      super(message);
      this.tooOld = tooOld;
    }

    /** Returns true if the snapshot is below the safe point and hence never readable again. */
    public boolean isTooOld() {
      return tooOld;
    }
  }
}
