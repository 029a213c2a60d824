package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.fastpath.FastPath;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * The fast path for callers that wait. Who stops waiting for a write, because of an interrupt, does
 * not know how it ended, and is told so.
 *
 * @param path does the work
 * @param longest wait for one call; what is inside ends before it
 */
public record BlockingFastPath(HBaseFastPath path, Duration longest) implements FastPath {

  @Override
  public FastPathTable table(TableName name) {
    return new BlockingFastPathTable(path.machines(name), this);
  }

  @Override
  public FastPath strict() {
    return new BlockingFastPath(path.strict(), longest);
  }

  @Override
  public TransactionOutcome outcome(FastPathId id) throws IOException {
    return run(path.finding(id), List.of());
  }

  private record BlockingFastPathTable(HBaseFastPathTable table, BlockingFastPath path)
      implements FastPathTable {

    @Override
    public TableName getName() {
      return table.getName();
    }

    @Override
    public Result get(Get get) throws IOException {
      return path.run(table.get(get), List.of());
    }

    @Override
    public Result getLatest(Get get) throws IOException {
      return path.run(table.getLatest(get), List.of());
    }

    @Override
    public List<Result> getAll(List<Get> gets) throws IOException {
      return path.run(table.getAll(gets), List.of());
    }

    @Override
    public RowRead readForUpdate(Get get) throws IOException {
      return path.run(table.readForUpdate(get), List.of());
    }

    @Override
    public List<RowRead> readAllForUpdate(List<Get> gets) throws IOException {
      return path.run(table.readAllForUpdate(gets), List.of());
    }

    @Override
    public FastPathResult apply(FastPathOperation operation) throws IOException {
      return path.run(table.apply(operation));
    }

    @Override
    public List<FastPathResult> applyAll(List<FastPathOperation> operations) throws IOException {
      return path.run(table.applyAll(operations));
    }

    @Override
    public FastPathResult applyTogether(List<FastPathOperation> operations) throws IOException {
      return path.run(table.applyTogether(operations));
    }
  }

  private <T> T run(HBaseFastPathTable.Named<T> call) throws IOException {
    return run(call.machine(), call.ids());
  }

  private <T> T run(Step<T> machine, List<FastPathId> ids) throws IOException {
    Driver driver = path.context().access().driver();
    try {
      return driver.await(
          machine, driver.clock().monotonicNanos() + longest.toNanos(), longest.toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!ids.isEmpty()) {
        throw new CommitOutcomeUnknownException(ids, "interrupted while it was under way", e);
      }
      throw (IOException) new InterruptedIOException("interrupted").initCause(e);
    } catch (TimeoutException e) {
      if (!ids.isEmpty()) {
        throw new CommitOutcomeUnknownException(ids, "it did not end in time", e);
      }
      throw new LamponeException(
          Code.STORE_UNAVAILABLE, 0, "no answer in time, timeout=" + longest, e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
