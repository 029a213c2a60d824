package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;

/**
 * Checks of every request in an open region: what the server must know and may disclose, which
 * limits apply, and what has to be proved (protocol page, sections 6 and 8). Each method that
 * begins with {@code require} returns, or throws {@link Refused}.
 */
public interface RegionGuards extends Statements {

  /** Requires that a floor not older than the sender's was read after the opening [M2, M3]. */
  void requireKnown(long floor);

  /** Requires a {@code timestamp} that a transaction manager can have issued (D11). */
  void requirePossible(long timestamp);

  /** Requires that a session's {@code mark}, 0 = none, can have been issued (D11). */
  void requirePossibleMark(long mark);

  /** Requires that {@code timestamp} was issued, as known here or proved by {@code proof} (E3). */
  void requireIssued(long timestamp, IssueProof proof);

  /** Requires the same of a commit timestamp that is stored in the region. */
  void requireStoredIssued(long commit);

  /** Returns the tag that proves that {@code timestamp} has been issued; 0 = none. */
  long mark(long timestamp);

  /** Requires that {@code proof} is a grant of the transaction that began at {@code start}. */
  void requireOwner(long start, Proof proof);

  /** Requires that {@code pass} states that the transaction may commit at {@code commit}. */
  void requirePassed(long start, long commit, Tag pass);

  /** Requires that {@code voided} states that the transaction never passes. */
  void requireVoided(long start, Tag voided);

  /** Requires that {@code healed} states that every follower of the transaction has its fate. */
  void requireHealed(long start, long commit, Tag healed);

  /** Requires that {@code fate} states what the leader of the transaction holds. */
  void requireFate(TransactionId id, Fate fate);

  /**
   * Returns true unless a stored leader claims to have committed and shows no statement of the
   * transaction manager although its commit timestamp requires one.
   */
  boolean isProved(long start, TransactionCell leader);

  /** Returns the committed leader with the statement that its commit rests on. */
  TransactionCell proved(TransactionCell committed, Tag pass);

  /**
   * Returns the outcome of a leader of this region, with its statement if it is decided. It may
   * leave this server only after {@link #requireSession}.
   */
  Outcome stated(TransactionId id, Outcome leader);

  /** Returns the start timestamp below which any client may abort without a proof. */
  long abortableBelow();

  /** Requires, under the row locks, that the writer's transaction began at or above the floor. */
  void requireAdmissible(long start, long tableFloor);

  /** Requires the same after the write has become visible, before it is acknowledged [M1]. */
  void requireStillAdmissible(long start, long tableFloor);

  /** Requires that the cluster's safe point has not passed {@code snapshot}. */
  void requireAboveSafePoint(long snapshot);

  /** Requires that nothing {@code snapshot} needs has been collected in this table. */
  void requireReadable(long snapshot);

  /** Requires that versions may be drawn for the region [H3, H4, H10]. */
  void requireDrawing();

  /** Requires that the server can prove its ZooKeeper session [H11]. */
  void requireSession();

  /** Raises the local version clock to at least {@code timestamp}. */
  void bump(long timestamp);

  /** Returns the oldest snapshot still readable. */
  long safePoint();

  /** Raises the clock to the mark of the sender's session. */
  default void bumpToMark(long mark, IssueProof proof) {
    requirePossibleMark(mark);
    requireIssued(mark, proof);
    bump(mark);
  }
}
