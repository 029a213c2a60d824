package io.lampone.protocol.tm;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The holds of one owner (protocol page, section 7): while one lasts, its snapshot remains
 * readable. Futures fail with {@link RefusedException} if the transaction manager said no, and with
 * {@link TransactionManagerException} if it said nothing; then a hold may be there or not.
 */
public interface SnapshotHolds {

  /**
   * Terms that the transaction manager grants.
   *
   * @param retention every snapshot is readable for so long without a hold
   * @param longestHold no hold lasts longer unless it is renewed
   */
  record Terms(Duration retention, Duration longestHold) {}

  /** Returns the granted terms, without taking a hold. */
  CompletableFuture<Terms> terms();

  /** Takes a hold; or renews it, if there is one of that name on that snapshot. */
  CompletableFuture<Terms> hold(String name, long timestamp, Duration lifetime);

  /** Lets a hold last for {@code lifetime} from now on. */
  CompletableFuture<Void> renew(String name, Duration lifetime);

  /** Ends a hold, if there is one. */
  CompletableFuture<Void> release(String name);

  /** The transaction manager has said no, and nothing has changed. */
  final class RefusedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean tooOld;

    /**
     * @param tooOld whether it said so because the snapshot is below the safe point
     * @param message what it said
     */
    public RefusedException(boolean tooOld, String message) {
      super(message);
      this.tooOld = tooOld;
    }

    /** Returns true if the snapshot is below the safe point, and so never readable again. */
    public boolean isTooOld() {
      return tooOld;
    }
  }
}
