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
    // Slots are never reused and never come back (R2): one in the cell's set counts for nobody,
    // however the transaction ends.
    if (cell.rolledBackSlots().contains(slot)) {
      return Verdict.INVISIBLE;
    }
    long start = Timestamps.tick(version);
    if (start == request.snapshot() && request.ownsWrites()) {
      // The reader's own write, whatever became of it: if somebody has aborted it, the commit says
      // so, and until then the transaction sees one world.
      return request.rolledBackSlots().contains(slot) ? Verdict.INVISIBLE : Verdict.VISIBLE;
    }
    return switch (cell.state()) {
      case ABORTED -> Verdict.INVISIBLE;
      case COMMITTED, FINAL -> ofCommit(cell.commitTimestamp());
      case PENDING -> ofIntent(start, cell, row, family);
    };
  }

  private Verdict ofCommit(long commitTimestamp) {
    return commitTimestamp < request.snapshot() ? Verdict.VISIBLE : Verdict.INVISIBLE;
  }

  /**
   * A judgment counts for the leader that the stored cell names, and for no other; and one that a
   * reader might see more by only with its statement.
   */
  private Verdict ofIntent(long start, TransactionCell cell, StoredRow row, Bytes family) {
    if (start >= request.snapshot()) {
      // A commit timestamp is above its start timestamp.
      return Verdict.INVISIBLE;
    }
    if (request.judgments().isEmpty()) {
      return Verdict.UNDECIDED;
    }
    TransactionId id = WriteBlockers.idOf(row.table(), row.key(), family, start, cell);
    Fate judgment = request.judgments().get(id);
    if (judgment == null) {
      judgment = request.judgments().get(statements.shown(row.table(), id));
    }
    if (judgment == null) {
      return Verdict.UNDECIDED;
    }
    if (judgment.commitTimestamp() == 0) {
      return Verdict.INVISIBLE;
    }
    return statements.isStated(id, judgment)
        ? ofCommit(judgment.commitTimestamp())
        : Verdict.UNDECIDED;
  }
}
