package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.Permissions;
import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Execution of a request whose writes are committed at birth. */
final class FastBatch extends LockedRequest {

  private final RegionRequest request;
  private final List<Bytes> keys;
  private final FastAttempt attempt;
  private final OpenRegion open;

  /** Filled under the row locks, by the thread that runs the request. */
  private final List<Outcome> outcomes = new ArrayList<>();

  FastBatch(
      RegionRequest request,
      List<Bytes> keys,
      FastAttempt attempt,
      OpenRegion open,
      Permissions permissions) {
    super(open, request, keys, permissions);
    this.request = request;
    this.keys = keys;
    this.attempt = attempt;
    this.open = open;
  }

  @Override
  public void decide() throws IOException {
    FastAdmission.requireReadable(request, open.guards());
    List<HBaseRow> rows = new ArrayList<>(keys.size());
    for (Bytes key : keys) {
      rows.add(open.row(key, HBaseRow.STORED));
    }
    List<Written> written = attempt.decide(rows, reads());
    for (int i = 0; i < written.size(); i++) {
      Outcome outcome = written.get(i).outcome();
      outcomes.add(outcome.blocker().isEmpty() ? outcome : shown(outcome, i, rows.get(i)));
      if (i < keys.size()) {
        fill(i, written.get(i).writes());
      }
    }
  }

  /**
   * Hides a leader in another table, as from readers, unless the request writes in a family where
   * the intent was met: the sender has shown its right to that.
   */
  private Outcome shown(Outcome busy, int index, HBaseRow row) throws IOException {
    TransactionId id = busy.blocker().orElseThrow();
    TransactionId shown = open.guards().shown(open.table(), id);
    if (shown.equals(id)) {
      return busy;
    }
    AtomicBoolean writes = new AtomicBoolean();
    row.visit(
        Selection.exactly(row.families(), Reserved.TRANSACTION, id.startTimestamp()),
        cell -> {
          writes.compareAndSet(false, writes(index, cell.family()));
          return Next.FAMILY;
        });
    return writes.get() ? busy : Outcome.busy(shown);
  }

  private boolean writes(int index, Bytes family) {
    return request instanceof FastWrite write
        ? write.operations().get(index).mutations().stream()
            .anyMatch(m -> m.kind() == Kind.DELETE_ROW || m.family().equals(family))
        : request instanceof OneRegionCommit commit
            && commit.intents().get(index).families().stream()
                .anyMatch(intents -> intents.family().equals(family));
  }

  private List<HBaseRow> reads() {
    return request instanceof OneRegionCommit commit
        ? commit.reads().stream().map(read -> open.row(read.row(), HBaseRow.VISIBLE)).toList()
        : List.of();
  }

  FastReply reply() {
    long highest = FastReply.highest(outcomes);
    return new FastReply(outcomes, open.guards().mark(highest));
  }
}
