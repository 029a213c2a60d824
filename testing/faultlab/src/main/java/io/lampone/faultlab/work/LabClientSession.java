package io.lampone.faultlab.work;

import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.Operation;
import io.lampone.checker.Operation.Read;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.faultlab.work.async.AsyncTransactions;
import io.lampone.faultlab.work.check.LatestCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;

/** One thread of a client: runs transactions of a workload, one at a time, and records each. */
public final class LabClientSession {

  /** One of so many read-only transactions waits before it reads, if any waits at all. */
  private static final int READERS_WAIT_IN = 15;

  /** Others meet a conflict mostly when they have waited; at each of two places one of so many. */
  private static final int WRITERS_WAIT_IN = 150;

  /** One of so many transactions uses the asynchronous interface of the client. */
  private static final int ASYNCHRONOUS_IN = 4;

  private static final int ALL_PERCENT = 100;

  /** From the beginning of a wait to that of the next one at least so many times its length. */
  private static final int WORK_FOR_A_WAIT = 4;

  private final LamponeClient client;
  private final List<TableName> tables;
  private final Recorder recorder;
  private final Stamps stamps;
  private final RandomGenerator random;
  private final long longestWaitMillis;
  private final int serializablePercent;

  /** Time before which no transaction waits. */
  private long busyUntil;

  /**
   * @param tables the workload's
   * @param longestWaitMillis so long at most a transaction waits in its middle; 0 if none does
   * @param serializablePercent so many of the transactions that write are serializable
   */
  public LabClientSession(
      LamponeClient client,
      List<TableName> tables,
      Recorder recorder,
      Stamps stamps,
      RandomGenerator random,
      long longestWaitMillis,
      int serializablePercent) {
    this.client = client;
    this.tables = List.copyOf(tables);
    this.recorder = recorder;
    this.stamps = stamps;
    this.random = random;
    this.longestWaitMillis = longestWaitMillis;
    this.serializablePercent = serializablePercent;
    this.busyUntil = recorder.now();
  }

  /** Operations of a regular transaction between begin and commit. */
  interface Body {
    void run(Steps steps) throws IOException;
  }

  /** A call of the fast path. */
  interface FastCall<T> {
    T call(FastPathTable fast) throws IOException;
  }

  public RandomGenerator random() {
    return random;
  }

  /** Returns true if all transactions that write are serializable. */
  boolean isSerializable() {
    return serializablePercent == ALL_PERCENT;
  }

  public Stamps stamps() {
    return stamps;
  }

  public Recorder recorder() {
    return recorder;
  }

  public List<TableName> tables() {
    return tables;
  }

  public void violation(String text) {
    recorder.violation(text);
  }

  /**
   * Runs one regular transaction; its outcome is recorded, and it is not repeated.
   *
   * @return true if it has committed
   */
  boolean transaction(TransactionOptions options, Body body) {
    Freshness freshness = Freshness.valueOf(options.freshness().name());
    recorder.begin(
        freshness == Freshness.LATEST
            ? StepKind.LATEST
            : options.readOnly() ? StepKind.READ_ONLY : StepKind.TRANSACTION);
    TransactionOptions isolated = options;
    // Read-only transactions read their snapshot at both levels, and some of them scan.
    if (!options.readOnly()
        && options.isolation().isEmpty()
        && serializablePercent > 0
        && random.nextInt(ALL_PERCENT) < serializablePercent) {
      isolated = options.withIsolation(Isolation.SERIALIZABLE);
      recorder.serializable();
    }
    recorder.freshness(freshness);
    if (options.readOnly() && freshness != Freshness.LATEST) {
      recorder.readsSnapshot();
    }
    Transaction transaction;
    try {
      transaction =
          random.nextInt(ASYNCHRONOUS_IN) == 0
              ? AsyncTransactions.begin(client, isolated)
              : client.begin(isolated);
    } catch (IOException e) {
      recorder.invoke(List.of());
      recorder.failed(e);
      return false;
    }
    boolean committed =
        commit(transaction, body, options.readOnly() ? READERS_WAIT_IN : WRITERS_WAIT_IN);
    try {
      transaction.close();
    } catch (IOException ignored) {
      // Its end is recorded; readers resolve its leftovers.
    }
    return committed;
  }

  /** Waits in some cases, so that its snapshot, or its reads, become old. */
  private void mayWait(int oneOf) {
    if (longestWaitMillis > 0 && recorder.now() - busyUntil >= 0 && random.nextInt(oneOf) == 0) {
      long millis = random.nextLong(longestWaitMillis);
      busyUntil = recorder.now() + TimeUnit.MILLISECONDS.toNanos(WORK_FOR_A_WAIT * millis);
      try {
        TimeUnit.MILLISECONDS.sleep(millis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean commit(Transaction transaction, Body body, int waitsIn) {
    Steps steps = Steps.of(transaction, tables, recorder::violation);
    // A LATEST transaction has none yet; what it reads before it takes one is another state.
    recorder.readsAt(transaction.startTimestamp());
    try {
      mayWait(waitsIn);
      body.run(steps);
    } catch (IOException | UncheckedIOException e) {
      // The writes so far must never become visible.
      recorder.invoke(steps.operations());
      recorder.failed(unwrap(e));
      return false;
    }
    mayWait(WRITERS_WAIT_IN);
    recorder.invoke(steps.operations(), steps.scans());
    try {
      transaction.commit();
    } catch (IOException | RuntimeException e) {
      recorder.commitThrew(e, transaction.id().map(Object::toString).orElse(""));
      return false;
    }
    recorder.ok(
        steps.operations(),
        transaction.id().map(Object::toString).orElse(""),
        transaction.startTimestamp(),
        transaction.commitTimestamp().orElse(0L));
    return true;
  }

  /**
   * The same without transactions, by HBase's own client; it claims the time at which it began for
   * its snapshot and the time at which it ended for its commit.
   */
  void plain(Connection connection, Body body) {
    recorder.begin(StepKind.PLAIN);
    long start = recorder.tick();
    try (Table plain = connection.getTable(tables.get(0))) {
      Steps steps = new Steps(List.of(plain), recorder::violation);
      body.run(steps);
      recorder.invoke(steps.operations());
      boolean wrote = steps.operations().stream().anyMatch(each -> !(each instanceof Read));
      recorder.ok(steps.operations(), "", start, wrote ? recorder.tick() : 0);
    } catch (IOException e) {
      // Its writes so far remain.
      recorder.invoke(List.of());
      recorder.unknown(Recorder.cause(e), "");
    }
  }

  /**
   * A read of the fast path.
   *
   * @param look receives the result too
   */
  void fastRead(long key, Get get, Consumer<Result> look) {
    fastRead(key, "", fast -> fast.get(get), look);
  }

  /** Reads the latest state by the fast path: {@link LatestCheck}. */
  void latestRead(long key) {
    fastRead(key, LatestCheck.NAME, fast -> fast.getLatest(Steps.get(key)), seen -> {});
  }

  private void fastRead(long key, String name, FastCall<Result> call, Consumer<Result> look) {
    recorder.begin(name.isEmpty() ? StepKind.FAST_READ : StepKind.FAST_READ_LATEST);
    recorder.invokeFast(List.of());
    try {
      Result result = call.call(fast(key));
      look.accept(result);
      List<Long> seen = HistoryCells.elements(Steps.value(result, key));
      recorder.ok(List.of(new Operation.Read(Long.toString(key), seen)), name, 0, 0);
    } catch (IOException e) {
      recorder.failed(e);
    }
  }

  /**
   * A write of the fast path.
   *
   * @param step of one row, or of several
   * @param key one of the keys that it writes
   * @param writes its writes, in the terms of the history
   * @param done the same, with the previous values that the result shows
   */
  void fastWrite(
      StepKind step,
      long key,
      List<Operation> writes,
      FastCall<FastPathResult> call,
      Function<Committed, List<Operation>> done) {
    recorder.begin(step);
    recorder.invokeFast(writes);
    finishFast(key, call, done);
  }

  /** Reads, and writes if the value has not changed since: one transaction of the history. */
  <T> void fastReadThenWrite(
      long key,
      FastCall<T> read,
      Function<T, List<Operation>> operations,
      Function<T, FastCall<FastPathResult>> write) {
    recorder.begin(StepKind.FAST_READ_THEN_WRITE);
    T found;
    try {
      found = read.call(fast(key));
    } catch (IOException e) {
      recorder.invokeFast(List.of());
      recorder.failed(e);
      return;
    }
    List<Operation> all = operations.apply(found);
    recorder.invokeFast(all);
    finishFast(key, write.apply(found), committed -> all);
  }

  private void finishFast(
      long key, FastCall<FastPathResult> call, Function<Committed, List<Operation>> done) {
    FastPathResult result;
    try {
      result = call.call(fast(key));
    } catch (IOException | RuntimeException e) {
      recorder.commitThrew(e, "");
      return;
    }
    if (result instanceof Committed committed) {
      recorder.ok(done.apply(committed), "", 0, committed.version());
    } else {
      recorder.failed(result.getClass().getSimpleName());
    }
  }

  private FastPathTable fast(long key) {
    return client.fastPath().table(tables.get(HistoryCells.table(key)));
  }

  private static Exception unwrap(Exception thrown) {
    return thrown instanceof UncheckedIOException && thrown.getCause() instanceof IOException cause
        ? cause
        : thrown;
  }
}
