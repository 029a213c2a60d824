package io.lampone.coprocessor;

import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.coprocessor.write.RequestPut;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region.Operation;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.jspecify.annotations.Nullable;

/**
 * Hooks for operations of plain HBase clients: on a transactional table they are executed as
 * fast-path operations, or refused.
 */
abstract class PlainClientObserver extends StoreObserver {

  /** Returns the region. */
  abstract OpenRegion open();

  /** Returns the region even if other coprocessors follow this one in the chain. */
  abstract OpenRegion uncheckedRegion();

  /** Runs a hook, counts its refusals and audits some of them. */
  final void runAudited(String hook, Guard.Action action) throws IOException {
    callAudited(
        hook,
        () -> {
          action.run();
          return Boolean.TRUE;
        });
  }

  /** Calls a hook with a result, audited like {@link #runAudited}. */
  final <T> T callAudited(String hook, Guard.Work<T> work) throws IOException {
    return Guard.call(
        hook,
        () -> {
          try {
            return work.run();
          } catch (Refused e) {
            OpenRegion refusing = uncheckedRegion();
            refusing.server().counts().refused(e.refusal().code());
            refusing.server().audit().refused(e.refusal(), refusing.table());
            throw e;
          }
        });
  }

  /** Returns the support of plain clients; null if the observer did not start. */
  abstract @Nullable PlainClientSupport plainClients();

  /** Returns the support of plain clients, or refuses if the observer did not start. */
  final PlainClientSupport plain() {
    open();
    return Objects.requireNonNull(plainClients());
  }

  /** From here on, a failure does not tell whether the log has the cells. Must not fail. */
  @Override
  public void preWALAppend(
      ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit) {
    if (plainClients() == null) {
      return;
    }
    InFlightWrites inFlight = uncheckedRegion().fast().inFlight();
    // Cells of other observers may come first.
    for (Cell cell : edit.getCells()) {
      long version = cell.getTimestamp();
      if (Timestamps.isCommittedAtBirth(version)
          && inFlight.logging(Bytes.wrap(CellUtil.cloneRow(cell)), version)) {
        return;
      }
    }
  }

  @Override
  public void postStartRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> context, Operation operation) {
    PlainClientSupport clients = plainClients();
    if (operation == Operation.BATCH_MUTATE && clients != null) {
      clients.enteredBatch();
    }
  }

  @Override
  public void postCloseRegionOperation(
      ObserverContext<RegionCoprocessorEnvironment> context, Operation operation) {
    PlainClientSupport clients = plainClients();
    if (operation == Operation.BATCH_MUTATE && clients != null) {
      clients.leftBatch();
    }
  }

  // An executed operation must not be reported as failed because of us: the next three methods call
  // nothing that can fail. HBase skips them if another observer, all of which precede ours, throws
  // in one of them.

  @Override
  public void postBatchMutateIndispensably(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> operations,
      boolean success) {
    for (int i = 0; i < operations.size(); i++) {
      ended(operations.getOperation(i), success);
    }
  }

  @Override
  public void postPut(
      ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
    ended(put, true);
  }

  @Override
  public void postDelete(
      ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit) {
    ended(delete, true);
  }

  private void ended(Mutation mutation, boolean success) {
    PlainClientSupport clients = plainClients();
    // Requests of ours end in another way, and often.
    if (clients != null && !(mutation instanceof RequestPut)) {
      clients.batches().ended(mutation, success);
    }
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    if (!(put instanceof RequestPut)) {
      runAudited("prePut", () -> prePlain("Put", put, edit, false));
    }
  }

  @Override
  public void preDelete(
      ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
      throws IOException {
    runAudited("preDelete", () -> prePlain("Delete", delete, edit, false));
  }

  @Override
  public @Nullable Result preIncrement(
      ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
      throws IOException {
    runAudited("preIncrement", () -> prePlain("Increment", increment, edit, true));
    return null;
  }

  @Override
  public @Nullable Result preIncrementAfterRowLock(
      ObserverContext<RegionCoprocessorEnvironment> context, Increment increment)
      throws IOException {
    return callAudited("preIncrementAfterRowLock", () -> plain().buildInstead(context, increment))
        .orElse(null);
  }

  @Override
  public @Nullable Result preAppend(
      ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
      throws IOException {
    runAudited("preAppend", () -> prePlain("Append", append, edit, true));
    return null;
  }

  @Override
  public @Nullable Result preAppendAfterRowLock(
      ObserverContext<RegionCoprocessorEnvironment> context, Append append) throws IOException {
    return callAudited("preAppendAfterRowLock", () -> plain().buildInstead(context, append))
        .orElse(null);
  }

  @Override
  public @Nullable Result postIncrement(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Increment increment,
      @Nullable Result result,
      WALEdit edit)
      throws IOException {
    PlainClientSupport clients = plainClients();
    return clients == null
        ? result
        : callAudited("postIncrement", () -> clients.afterBuild(increment, result)).orElse(null);
  }

  @Override
  public @Nullable Result postAppend(
      ObserverContext<RegionCoprocessorEnvironment> context,
      Append append,
      @Nullable Result result,
      WALEdit edit)
      throws IOException {
    PlainClientSupport clients = plainClients();
    return clients == null
        ? result
        : callAudited("postAppend", () -> clients.afterBuild(append, result)).orElse(null);
  }

  @Override
  public boolean preExists(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, boolean exists)
      throws IOException {
    runAudited(
        "preExists",
        () -> {
          if (!plain().admitsRead(get)) {
            open().refusePlain("Exists");
          }
        });
    return exists;
  }

  @Override
  public void preBulkLoadHFile(
      ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> files)
      throws IOException {
    runAudited("preBulkLoadHFile", () -> open().refuseBulkLoad());
  }

  private void prePlain(String operation, Mutation mutation, WALEdit batch, boolean builds)
      throws IOException {
    if (plain().admits(mutation)) {
      PlainClientSupport.patientlyDo(() -> plain().require(mutation, batch, builds));
    } else if (builds) {
      open().refusePlain(operation);
    } else {
      plain().refuse(operation, mutation);
    }
  }
}
