package io.lampone.client.core.failure;

import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.Refusal;

/**
 * Signals that ABORTED could not be planted on a leader, because its table does not exist, or has
 * been made plain: the leader is absent, and no leader of this transaction will ever be put there
 * (protocol page, section 5).
 */
public final class AbsentLeaderException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public AbsentLeaderException(TransactionId id) {
    super("the table of the transaction's commit entry has been dropped, or made plain, id=" + id);
  }

  /**
   * Returns true if the failure of a plant shows that the leader is absent for good. Either its
   * table does not exist, or is plain, or is being changed, or it is below the safe point: an
   * absent leader there may have been committed, finished and collected, but then its followers
   * have been healed before. So an intent that is pending after this was not committed, or its
   * commit is no longer provable.
   */
  public static boolean isSaidBy(Throwable failure) {
    return failure instanceof AbsentLeaderException
        || (failure instanceof StoreRefusedException refused
            && refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT);
  }
}
