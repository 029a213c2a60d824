package io.lampone.coprocessor.core.visibility;

import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.fence.Statements;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;

/** View of one read request at its snapshot (protocol page, sections 1, 4 and 5). */
public final class SnapshotView implements ReadView {

  /** Result of {@link #commitOf}: not committed, or not below the snapshot. */
  static final long NOT_BELOW = Long.MAX_VALUE;

  /** Result of {@link #commitOf}: an intent whose outcome only the leader holds. */
  static final long UNDECIDED = -1;

  private final ReadRequest request;
  private final Statements statements;

  public SnapshotView(ReadRequest request, Statements statements) {
    this.request = request;
    this.statements = statements;
  }

  @Override
  public long snapshot() {
    return request.snapshot();
  }

  @Override
  public long expiredBelow() {
    return request.snapshot();
  }

  @Override
  public long highestVersion() {
    return Timestamps.highestOwnVersion(request.snapshot());
  }

  @Override
  public Verdict ofCommittedAtBirth(long version) {
    boolean visible = Timestamps.isPlain(version) || version < request.snapshot();
    return visible ? Verdict.VISIBLE : Verdict.INVISIBLE;
  }

  @Override
  public Verdict of(long version, TransactionCell cell, StoredRow row, Bytes family) {
    int slot = Timestamps.local(version);
    // Slots are never reused, and a rollback is never undone (R2): a slot in the cell's set is
    // invisible to every reader, whatever the outcome of the transaction.
    if (cell.rolledBackSlots().contains(slot)) {
      return Verdict.INVISIBLE;
    }
    long start = Timestamps.tick(version);
    if (isOwn(start)) {
      // The reader's own write, whatever its state. If another client has aborted the transaction,
      // its commit fails; until then it sees one consistent state.
      return request.rolledBackSlots().contains(slot) ? Verdict.INVISIBLE : Verdict.VISIBLE;
    }
    long commit = commitOf(start, cell, row, family);
    if (commit == UNDECIDED) {
      return Verdict.UNDECIDED;
    }
    return commit < request.snapshot() ? Verdict.VISIBLE : Verdict.INVISIBLE;
  }

  @Override
  public boolean isOwn(long start) {
    return start == request.snapshot() && request.ownsWrites();
  }

  /**
   * Returns the commit timestamp of the transaction that began at {@code start}, as far as it may
   * lie below the snapshot: {@link #NOT_BELOW} if it is known not to, {@link #UNDECIDED} if only
   * the leader holds the outcome.
   *
   * @param cell the transaction's cell in {@code row} and {@code family}
   */
  long commitOf(long start, TransactionCell cell, StoredRow row, Bytes family) {
    return switch (cell.state()) {
      case ABORTED -> NOT_BELOW;
      case COMMITTED, FINAL -> cell.commitTimestamp();
      case PENDING -> ofIntent(start, cell, row, family);
    };
  }

  /**
   * Applies the request's judgment of an intent. A judgment counts only for the leader that the
   * stored cell names; a judgment that would reveal data needs the leader's statement, too.
   */
  private long ofIntent(long start, TransactionCell cell, StoredRow row, Bytes family) {
    if (start >= request.snapshot()) {
      // A commit timestamp is above its start timestamp.
      return NOT_BELOW;
    }
    if (request.judgments().isEmpty()) {
      return UNDECIDED;
    }
    TransactionId id = WriteBlockers.idOf(row.table(), row.key(), family, start, cell);
    Fate judgment = request.judgments().get(id);
    if (judgment == null) {
      judgment = request.judgments().get(statements.shown(row.table(), id));
    }
    if (judgment == null) {
      return UNDECIDED;
    }
    if (judgment.commitTimestamp() == 0) {
      return NOT_BELOW;
    }
    return statements.isStated(id, judgment) ? judgment.commitTimestamp() : UNDECIDED;
  }
}
