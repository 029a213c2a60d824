package io.lampone.coprocessor.write;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * HBase's batches of puts and deletes of plain clients in a region: their cells are replaced under
 * the row locks, by cells at one version for the whole batch. An ordinary batch holds shared locks
 * (E8), which suffice: a blind write only has to exclude intents, which take the lock exclusively,
 * and needs a version above everything on the row, which the clock gives to each of two writers. A
 * batch that HBase executes atomically, RowMutations, thus remains atomic.
 */
public final class PlainBatches {

  private final OpenRegion open;

  /**
   * Batches of this thread whose writes are in flight, by each of their mutations: HBase passes
   * executed ones individually, and omits those that were not executed.
   */
  private final ThreadLocal<Map<Mutation, Batch>> inFlight =
      ThreadLocal.withInitial(IdentityHashMap::new);

  private record Batch(FastAttempt attempt, List<Mutation> mutations) {}

  /**
   * The batch whose mutations this thread receives one by one: HBase passes each with one edit for
   * the batch.
   */
  private final ThreadLocal<Shown> shown = new ThreadLocal<>();

  private record Shown(WALEdit batch, boolean builds) {}

  PlainBatches(OpenRegion open) {
    this.open = open;
  }

  /**
   * Refuses the next mutation of a batch that mixes increments or appends with others.
   *
   * @param builds whether it is an increment or append, which HBase executes one by one: with
   *     others in one RowMutations they would not be atomic
   */
  void requireUnmixed(WALEdit batch, boolean builds) {
    Shown last = shown.get();
    boolean sameBatch = last != null && last.batch() == batch;
    shown.set(new Shown(batch, builds));
    if (sameBatch && (builds || last.builds())) {
      throw Refused.because(
          Refusal.Code.UNSUPPORTED,
          "RowMutations with an increment or append need the Lampone client, table="
              + open.table());
    }
  }

  /** Replaces the cells of puts and deletes; called under their row locks. */
  public void rewrite(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
    Map<Bytes, List<Integer>> byRow = new TreeMap<>();
    for (int i = 0; i < batch.size(); i++) {
      Mutation mutation = batch.getOperation(i);
      if ((mutation instanceof Put || mutation instanceof Delete)
          && batch.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
        byRow.computeIfAbsent(Bytes.wrap(mutation.getRow()), r -> new ArrayList<>()).add(i);
      }
    }
    if (byRow.isEmpty()) {
      return;
    }
    List<FastOperation> operations = new ArrayList<>();
    List<StoredRow> rows = new ArrayList<>();
    for (Map.Entry<Bytes, List<Integer>> entry : byRow.entrySet()) {
      List<Mutation> mutations = entry.getValue().stream().map(batch::getOperation).toList();
      operations.add(
          PlainMutations.operation(entry.getKey(), new FastCondition.Always(), mutations));
      rows.add(open.row(entry.getKey(), HBaseRow.STORED));
    }
    byRow.keySet().forEach(open.fast().inFlight()::requireNoDoubt);
    // An ordinary batch holds shared locks; the kind of this batch is unknown here.
    TableSettings settings = open.requireTransactional();
    FastAttempt attempt =
        open.attempt(new FastWrite(0, 0, false, operations), open.rules(settings), false);
    Batch registered =
        new Batch(
            attempt,
            byRow.values().stream().flatMap(List::stream).map(batch::getOperation).toList());
    registered.mutations().forEach(mutation -> inFlight.get().put(mutation, registered));
    List<Written> written = decide(attempt, rows);
    int next = 0;
    // HBase ignores the status of parts of one RowMutations, and coprocessors that of any row.
    boolean isWhole = byRow.size() == 1 || settings.plainClients() == PlainClients.PHOENIX;
    for (List<Integer> indexes : byRow.values()) {
      replace(batch, indexes, written.get(next), isWhole);
      next++;
    }
  }

  /**
   * Leaves a batch unchanged: maintenance writes all kinds of cells, e.g. transaction cells. Fails
   * if a coprocessor has refused a part of maintenance: HBase would execute the remaining mutations
   * of the row, and report success.
   */
  public void leave(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
    for (int i = 0; i < batch.size(); i++) {
      Mutation mutation = batch.getOperation(i);
      OperationStatus status = batch.getOperationStatus(i);
      if (status.getOperationStatusCode() != OperationStatusCode.NOT_RUN
          && PlainClientSupport.isMaintenance(mutation)) {
        throw new DoNotRetryIOException(
            "a coprocessor refuses a part of the row, which stays unchanged: only superusers of"
                + " HBase may write labelled cells, repeat the command as one, table="
                + open.table()
                + " refusal="
                + status.getExceptionMsg());
      }
      Bytes row = Bytes.wrap(mutation.getRow());
      open.fast().settled().forget(row);
      open.fast().known().forget(row, Long.MAX_VALUE);
    }
  }

  /** Ends what is still in flight when this thread has left its last batch. */
  void left() {
    List.copyOf(inFlight.get().keySet()).forEach(mutation -> ended(mutation, false));
    inFlight.remove();
  }

  /**
   * Handles the end of a batch, when its cells are visible or rolled back, for any of its
   * mutations.
   *
   * @param success whether they are visible
   */
  public void ended(Mutation mutation, boolean success) {
    Map<Mutation, Batch> mine = inFlight.get();
    Batch batch = mine.get(mutation);
    if (batch == null) {
      return;
    }
    batch.mutations().forEach(mine::remove);
    if (!success) {
      batch.attempt().failed((row, version) -> LockedRequest.isVisible(open, row, version));
    }
    batch.attempt().end();
  }

  private static List<Written> decide(FastAttempt attempt, List<StoredRow> rows)
      throws IOException {
    try {
      return attempt.decide(rows);
    } catch (ExhaustedException e) {
      throw exhausted();
    }
  }

  private void replace(
      MiniBatchOperationInProgress<Mutation> batch,
      List<Integer> indexes,
      Written written,
      boolean isWhole)
      throws IOException {
    if (written.outcome().kind() != FastReply.Kind.COMMITTED) {
      IOException busy = PlainClientSupport.busy(open.table());
      if (isWhole) {
        throw busy;
      }
      for (int index : indexes) {
        batch.setOperationStatus(
            index, new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, busy.getMessage()));
      }
      return;
    }
    for (int index : indexes) {
      batch.getOperation(index).getFamilyCellMap().clear();
    }
    LockedRequest.fill(batch.getOperation(indexes.get(0)), written.writes());
  }

  static IOException exhausted() {
    return new RegionTooBusyException("no version can be drawn at the moment");
  }
}
