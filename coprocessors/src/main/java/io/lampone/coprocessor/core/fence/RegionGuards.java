package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;

/**
 * Checks of every request in an open region: what the server must know, may disclose, must not be
 * below, and has to prove (protocol page, sections 6 and 8). Each method that begins with {@code
 * require} returns, or throws {@link Refused}.
 */
public interface RegionGuards extends Statements {

  /**
   * The server knows a floor not older than the sender's, read after the region opened [M2, M3].
   */
  void requireKnown(long floor);

  /** {@code timestamp} is one that a transaction manager can have issued (D11). */
  void requirePossible(long timestamp);

  /** Fails unless {@code mark} of a session, 0 = none, can have been issued to it (D11). */
  void requirePossibleMark(long mark);

  /** {@code timestamp} has been issued, as the server knows or {@code proof} shows (E3). */
  void requireIssued(long timestamp, IssueProof proof);

  /** The same of a commit timestamp that is stored in the region. */
  void requireStoredIssued(long commit);

  /** The tag by which {@code timestamp} can be shown to have been issued; 0 = none. */
  long mark(long timestamp);

  /** {@code proof} is a grant of the transaction that began at {@code start}. */
  void requireOwner(long start, Proof proof);

  /** {@code pass} states that the transaction may commit at {@code commit}. */
  void requirePassed(long start, long commit, Tag pass);

  /** {@code voided} states that the transaction never passes. */
  void requireVoided(long start, Tag voided);

  /** {@code healed} states that every follower of the transaction has its fate. */
  void requireHealed(long start, long commit, Tag healed);

  /** {@code fate} states what the leader of the transaction holds. */
  void requireFate(TransactionId id, Fate fate);

  /**
   * Returns true if a stored leader that says it has committed shows the transaction manager's
   * statement, or committed before leaders had to.
   */
  boolean isProved(long start, TransactionCell leader);

  /** A leader that commits, with the statement that it rests on. */
  TransactionCell proved(TransactionCell committed, Tag pass);

  /**
   * Returns the outcome of a leader of this region, with the statement of it if it is decided. It
   * may leave this server only after {@link #requireSession}.
   */
  Outcome stated(TransactionId id, Outcome leader);

  /** Transactions that began below it may be aborted by other clients without a proof. */
  long abortableBelow();

  /** Under the row locks: the writer began with the transaction manager that is in charge. */
  void requireAdmissible(long start, long tableFloor);

  /** The same when the write has become visible, before it is acknowledged [M1]. */
  void requireStillAdmissible(long start, long tableFloor);

  /** The cluster's safe point has not passed {@code snapshot}. */
  void requireAboveSafePoint(long snapshot);

  /** Fails if data that {@code snapshot} needs has been collected in this table. */
  void requireReadable(long snapshot);

  /** Versions may be drawn for the region [H3, H4, H10]. */
  void requireDrawing();

  /** The server can prove its ZooKeeper session [H11]. */
  void requireSession();

  /** Makes sure that the local version clock is not below {@code timestamp}. */
  void bump(long timestamp);

  /** The oldest snapshot still readable. */
  long safePoint();

  /** Raises the clock to what the sender's session knows of. */
  default void bumpToMark(long mark, IssueProof proof) {
    requirePossibleMark(mark);
    requireIssued(mark, proof);
    bump(mark);
  }
}
