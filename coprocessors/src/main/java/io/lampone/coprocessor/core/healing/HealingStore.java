package io.lampone.coprocessor.core.healing;

import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.util.Collection;

/**
 * Leaders and followers wherever they are, for who may wait for them: no handler of a region server
 * may. Each method fails with an {@link IOException} if nothing is known of what became of it. In a
 * table that does not exist leaders are absent, and followers need not be told anything; one that
 * is disabled, or cannot be reached, is no such table. Safe for use by several threads.
 */
public interface HealingStore {

  /**
   * The state of a transaction's cell where its leader or a follower is.
   *
   * @throws AbsentForGoodException if there is no such table
   */
  Outcome read(long start, RowFamily place) throws IOException;

  /** The leader PENDING -> COMMITTED; what it holds then. */
  Outcome commitLeader(TransactionId id, Status.Passed passed) throws IOException;

  /**
   * The leader PENDING -> ABORTED; what it holds then.
   *
   * @param plant whether an absent one becomes ABORTED too
   * @param proof what the transaction manager has stated
   * @throws AbsentForGoodException if it is absent, and none is planted because no leader of this
   *     transaction will ever be put there: it began below the safe point, or there is no such
   *     table
   */
  Outcome abortLeader(TransactionId id, boolean plant, Proof proof) throws IOException;

  /** The leader COMMITTED -> FINAL. */
  void finishLeader(TransactionId id, long commitTimestamp) throws IOException;

  /**
   * Followers PENDING -> COMMITTED, or ABORTED if the timestamp is 0. What names another leader
   * than the transaction's is none of its followers, and left alone.
   */
  void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp)
      throws IOException;

  /**
   * Every follower PENDING -> COMMITTED, wherever it is: looks through all transactional tables.
   * The leader must have been seen COMMITTED before: then all followers are there to be found.
   */
  void healEverywhere(TransactionId id, long commitTimestamp) throws IOException;

  /** The leader is absent, and no leader of this transaction will ever be put there. */
  final class AbsentForGoodException extends IOException {

    private static final long serialVersionUID = 1L;

    /**
     * Told.
     *
     * @param why what keeps a leader from being put
     */
    public AbsentForGoodException(RowFamily leader, String why, Throwable cause) {
      super("no leader, and there will be none: " + why + ", leader=" + leader, cause);
    }
  }
}
