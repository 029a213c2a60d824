package io.lampone.client.hbase;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.TransactionOutcome;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
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
    return new BlockingFastPathTable(path.table(name), longest);
  }

  @Override
  public FastPath strict() {
    return new BlockingFastPath(path.strict(), longest);
  }

  @Override
  public TransactionOutcome outcome(FastPathId id) throws IOException {
    return await(path.outcome(id), List.of(), longest);
  }

  private record BlockingFastPathTable(HBaseFastPathTable table, Duration longest)
      implements FastPathTable {

    /** Starts a call that sends one request at a time: from this thread, which will wait. */
    private <T> T here(Supplier<T> call) {
      return table.here(longest, call);
    }

    @Override
    public TableName getName() {
      return table.getName();
    }

    @Override
    public Result get(Get get) throws IOException {
      return await(here(() -> table.get(get)), List.of(), longest);
    }

    @Override
    public Result getLatest(Get get) throws IOException {
      return await(here(() -> table.getLatest(get)), List.of(), longest);
    }

    @Override
    public List<Result> getAll(List<Get> gets) throws IOException {
      return await(table.getAll(gets), List.of(), longest);
    }

    @Override
    public RowRead readForUpdate(Get get) throws IOException {
      return await(here(() -> table.readForUpdate(get)), List.of(), longest);
    }

    @Override
    public List<RowRead> readAllForUpdate(List<Get> gets) throws IOException {
      return await(table.readAllForUpdate(gets), List.of(), longest);
    }

    @Override
    public FastPathResult apply(FastPathOperation operation) throws IOException {
      return await(here(() -> table.start(operation)), longest);
    }

    @Override
    public List<FastPathResult> applyAll(List<FastPathOperation> operations) throws IOException {
      return await(table.startAll(operations), longest);
    }

    @Override
    public FastPathResult applyTogether(List<FastPathOperation> operations) throws IOException {
      return await(here(() -> table.startTogether(operations)), longest);
    }
  }

  private static <T> T await(HBaseFastPathTable.Started<T> started, Duration longest)
      throws IOException {
    return await(started.end(), started.ids(), longest);
  }

  private static <T> T await(CompletableFuture<T> end, List<FastPathId> ids, Duration longest)
      throws IOException {
    try {
      return end.get(longest.toNanos(), TimeUnit.NANOSECONDS);
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
