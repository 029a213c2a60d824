package io.lampone.client.spi;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.TransactionOptions;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.TableName;

/** Begins transactions of a client for a layer that sends its own reads. Thread-safe. */
public final class TransactionEngine {

  private final Function<TransactionOptions, CompletableFuture<HBaseTransaction>> starter;
  private final Snapshots snapshots;
  private final Supplier<CompletableFuture<Begin>> begins;
  private final Fences fences;
  private final SchemaFloors schemaFloors;
  private final Duration longestWait;

  /** Port: the schema floors of tables. */
  @FunctionalInterface
  public interface SchemaFloors {

    /** Raises the floor; when this returns, it holds in all regions of the table. */
    void raise(TableName table, long floor) throws IOException;
  }

  /** Port: transactions that read the past. */
  @FunctionalInterface
  public interface Snapshots {

    /** Begins one; see {@link io.lampone.client.LamponeClient#asOf(long, TransactionOptions)}. */
    HBaseTransaction open(long timestamp, TransactionOptions options) throws IOException;
  }

  /** Port: the fences of tables. */
  @FunctionalInterface
  public interface Fences {

    /** Records the fence at the commit timestamp of a transaction without writes. */
    CompletableFuture<Void> record(Begin begin, TableName table);
  }

  /**
   * @param starter begins transactions
   * @param snapshots begins transactions that read the past
   * @param begins supplies fresh timestamps
   * @param longestWait timeout of one step
   */
  public TransactionEngine(
      Function<TransactionOptions, CompletableFuture<HBaseTransaction>> starter,
      Snapshots snapshots,
      Supplier<CompletableFuture<Begin>> begins,
      Fences fences,
      SchemaFloors schemaFloors,
      Duration longestWait) {
    this.starter = starter;
    this.snapshots = snapshots;
    this.begins = begins;
    this.fences = fences;
    this.schemaFloors = schemaFloors;
    this.longestWait = longestWait;
  }

  /**
   * Begins a transaction. Its isolation is SNAPSHOT regardless of the client's default: reads of
   * another layer cannot be certified.
   *
   * @throws LamponeException if the options say SERIALIZABLE
   */
  public EngineTransaction begin(TransactionOptions options) throws IOException {
    if (options.isolation().orElse(Isolation.SNAPSHOT) == Isolation.SERIALIZABLE) {
      throw new LamponeException(
          Code.BAD_REQUEST,
          0,
          "reads that are sent by another layer cannot be certified: use SNAPSHOT");
    }
    CompletableFuture<HBaseTransaction> begun = starter.apply(options);
    try {
      return new EngineTransaction(await(begun, 0), this);
    } catch (IOException | RuntimeException e) {
      begun.thenAccept(HBaseTransaction::abandon);
      throw e;
    }
  }

  /** Begins a read-only transaction on the snapshot of a time in the past. */
  public EngineTransaction asOf(long timestamp, TransactionOptions options) throws IOException {
    return new EngineTransaction(snapshots.open(timestamp, options), this);
  }

  /**
   * Records the fence of a table whose indexes have changed: transactions that began earlier and
   * check it ({@link EngineTransaction#checkFence}) will fail to commit. Before, it raises the
   * table's schema floor, as commits in one region and on the fast path are not validated by the
   * transaction manager. The regions of the table are reopened one by one.
   */
  public void recordFence(TableName table) throws IOException {
    Begin begin = await(begins.get(), 0);
    schemaFloors.raise(table, begin.startTimestamp());
    await(fences.record(begin, table), begin.startTimestamp());
  }

  /** Waits for a step of a transaction; translates its failure for applications. */
  <T> T await(CompletableFuture<T> step, long startTimestamp) throws IOException {
    return translated(
        () -> step.get(longestWait.toNanos(), TimeUnit.NANOSECONDS), startTimestamp, why -> why);
  }

  /** Runs a machine on this thread; see {@link #run(Driver, Step, long, UnaryOperator)}. */
  <T> T run(Driver driver, Step<T> machine, long startTimestamp) throws IOException {
    return run(driver, machine, startTimestamp, why -> why);
  }

  /**
   * Runs a machine on this thread, which sends its requests itself where possible; translates its
   * failure for applications.
   *
   * @param broken returns the exception of a wait that ended before the machine
   */
  <T> T run(Driver driver, Step<T> machine, long startTimestamp, UnaryOperator<IOException> broken)
      throws IOException {
    long nanos = longestWait.toNanos();
    return translated(
        () -> driver.await(machine, driver.clock().monotonicNanos() + nanos, nanos),
        startTimestamp,
        broken);
  }

  /** Wait for the end of a step. */
  @FunctionalInterface
  private interface Wait<T> {
    T end() throws InterruptedException, ExecutionException, TimeoutException;
  }

  private <T> T translated(Wait<T> wait, long startTimestamp, UnaryOperator<IOException> broken)
      throws IOException {
    try {
      return wait.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw broken.apply((IOException) new InterruptedIOException("interrupted").initCause(e));
    } catch (TimeoutException e) {
      throw broken.apply(
          new LamponeException(
              Code.STORE_UNAVAILABLE,
              startTimestamp,
              "no answer in time, timeout=" + longestWait,
              e));
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, startTimestamp);
    }
  }
}
