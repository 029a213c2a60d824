package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/**
 * Access to leaders and followers in any region, for callers that may block: handlers of a region
 * server may not. Each method throws {@link IOException} if the outcome of the call is unknown. In
 * a table that does not exist, leaders are absent and followers need no heal; a table that is
 * disabled or unreachable exists. Safe for use by several threads.
 */
public interface HealingStore {

  /**
   * Returns the state of a transaction's cell at its leader or a follower.
   *
   * @throws AbsentForGoodException if there is no such table
   */
  Outcome read(long start, RowFamily place) throws IOException;

  /** Changes the leader from PENDING to COMMITTED; returns its resulting state. */
  Outcome commitLeader(TransactionId id, Status.Passed passed) throws IOException;

  /**
   * Changes the leader from PENDING to ABORTED; returns its resulting state.
   *
   * @param plant whether to create an absent leader as ABORTED
   * @param proof the transaction manager's statement
   * @throws AbsentForGoodException if it is absent, and none is planted because no leader of this
   *     transaction can be put there any more: it began below the safe point, or there is no such
   *     table
   */
  Outcome abortLeader(TransactionId id, boolean plant, Proof proof) throws IOException;

  /**
   * Returns true if the leader's table takes no flush of the transaction any more: it is being
   * changed, or has been since the transaction began.
   */
  boolean isClosedTo(TransactionId id) throws IOException;

  /** Changes the leader from COMMITTED to FINAL. */
  void finishLeader(TransactionId id, long commitTimestamp) throws IOException;

  /**
   * Changes followers from PENDING to COMMITTED, or to ABORTED if the timestamp is 0. Cells that
   * name another leader are not followers of the transaction, and are left unchanged.
   */
  void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp)
      throws IOException;

  /**
   * Changes every follower of these transactions from PENDING to COMMITTED, searching all
   * transactional tables once. The leaders must have been seen COMMITTED before: then all followers
   * exist and can be found.
   *
   * @param commits commit timestamps
   * @return the transactions whose followers are all healed
   */
  Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) throws IOException;

  /** Signals that the leader is absent, and that none can be put there any more. */
  final class AbsentForGoodException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param why what prevents a leader from being put
     */
    public AbsentForGoodException(RowFamily leader, String why, Throwable cause) {
      super("no leader, and there will be none: " + why + ", leader=" + leader, cause);
    }
  }
}
