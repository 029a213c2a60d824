package io.lampone.ycsb;

import io.lampone.client.CommitObserver;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import io.lampone.ycsb.TxnPlan.Access;
import io.lampone.ycsb.TxnPlan.Plan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

/**
 * Transactions of one to ten keys, chosen by {@link TxnPlan}; with {@code lampone.mode=regular},
 * with {@code fastpath}, where those of one key use the fast path (the others are regular), or with
 * {@code plain} for the same operations without a transaction. Each is measured as a whole, by kind
 * and size, and by phase: {@code TXN-BEGIN}, {@code TXN-DATA} (reads; writes are buffered), {@code
 * TXN-COMMIT}, and of that {@code TXN-VALIDATE} (the transaction manager's check) and {@code
 * TXN-LEADER}; the rest of it is sending the intents. An abort is counted by its cause, and not
 * repeated. A missing row ends the thread: the run would not measure the requested workload.
 */
public final class TxnWorkload extends TransactionWorkload {

  private static final byte[] COLUMN = "field0".getBytes(StandardCharsets.UTF_8);
  private static final String SEED = "lampone.txn.seed";

  /** Property that enables one-round-trip commits of transactions in one region. */
  static final String ONE_REGION = "lampone.txn.one.region";

  private @Nullable TxnPlan plan;

  /** Seed of all threads; set before the first of them begins. */
  private long seed;

  /** Options of transactions; those that only read add theirs. Set before the first one. */
  private TransactionOptions options = TransactionOptions.DEFAULT;

  @Override
  public void init(Properties given) throws WorkloadException {
    try {
      TxnPlan read = TxnPlan.of(given);
      plan = read;
      initialize(given, Settings.of(given), LoadedKeys.of(given, read.keys()));
      seed = Settings.number(given, SEED, 1, Long.MIN_VALUE, Long.MAX_VALUE);
      if (!Settings.flag(given, ONE_REGION, true)) {
        options = TransactionOptions.DEFAULT.withoutOneRegionCommit();
      }
    } catch (IllegalArgumentException e) {
      throw new WorkloadException(e);
    }
  }

  @Override
  public Object initThread(Properties given, int thread, int threads) throws WorkloadException {
    return thread(seed * 1_000_003 + thread);
  }

  @Override
  public boolean doInsert(DB db, Object state) {
    ThreadState thread = (ThreadState) state;
    OptionalLong key = keys().claim();
    if (key.isEmpty()) {
      report("INSERT", Status.BAD_REQUEST);
      return false;
    }
    byte[] row = TxnPlan.row(key.getAsLong());
    try {
      long start = clock.monotonicNanos();
      untilCommitted(thread.client(), table -> table.put(put(row, plan().value(thread.random()))));
      measure("INSERT", start);
      report("INSERT", Status.OK);
      return true;
    } catch (IOException e) {
      report("INSERT", new Status("ERROR", e.toString()));
      return false;
    }
  }

  @Override
  public boolean doTransaction(DB db, Object state) {
    ThreadState thread = (ThreadState) state;
    Plan next = plan().next(thread.random());
    String name = "TXN-" + next.kind() + "-" + next.accesses().size();
    long start = clock.monotonicNanos();
    try {
      run(thread, next);
      measure(name, start);
      measure("TXN", start);
      report(name, Status.OK);
      report("TXN", Status.OK);
      return true;
    } catch (LamponeException e) {
      return ended(name, start, e.code());
    } catch (Overtaken e) {
      return ended(name, start, LamponeException.Code.CONFLICT);
    } catch (NotLoadedException e) {
      report("TXN", e.status());
      return false;
    } catch (IOException e) {
      report("TXN", new Status("ERROR", e.toString()));
      return false;
    }
  }

  /** Counts an end without a commit; returns true if it is a result rather than a failure. */
  private boolean ended(String name, long startNanos, LamponeException.Code code) {
    measure(name + "-ABORTED", startNanos);
    Status cause = new Status(code.name(), "");
    report(name, cause);
    report("TXN", cause);
    return Results.isResult(code);
  }

  /** Signals a row that was written between a read and the write based on it. */
  private static final class Overtaken extends IOException {

    private static final long serialVersionUID = 1;

    Overtaken(FastPathResult result) {
      super("a conditional write was not committed, result=" + result);
    }
  }

  private void run(ThreadState thread, Plan next) throws IOException {
    if (settings().mode() == Mode.PLAIN) {
      plain(thread.client(), table -> access(table, thread, next));
      return;
    }
    LamponeClient client = thread.client().lampone();
    if (settings().mode() == Mode.FASTPATH && next.accesses().size() == 1) {
      access(client.fastPath().table(settings().table()), thread, next.accesses().get(0));
      return;
    }
    long start = clock.monotonicNanos();
    TransactionOptions chosen =
        next.writes() ? options : options.asReadOnly().withFreshness(settings().freshness());
    try (Transaction transaction = client.begin(chosen)) {
      long begun = measure("TXN-BEGIN", start);
      access(transaction.table(settings().table()), thread, next);
      long read = measure("TXN-DATA", begun);
      transaction.commit();
      if (next.writes()) {
        measure("TXN-COMMIT", read);
      }
    }
  }

  private void access(FastPathTable table, ThreadState thread, Access access) throws IOException {
    if (!access.writes()) {
      requireLoaded(table.get(get(access)), access);
      return;
    }
    Put put = put(access.row().toArray(), plan().value(thread.random()));
    if (!access.reads()) {
      table.put(put);
      return;
    }
    RowRead read = table.readForUpdate(get(access));
    requireLoaded(read.result(), access);
    FastPathResult result = table.putIf(put, read.version());
    if (!result.isCommitted()) {
      throw new Overtaken(result);
    }
  }

  private void access(Table table, ThreadState thread, Plan next) throws IOException {
    for (Access access : next.accesses()) {
      if (access.reads()) {
        requireLoaded(table.get(get(access)), access);
      }
      if (access.writes()) {
        table.put(put(access.row().toArray(), plan().value(thread.random())));
      }
    }
  }

  private static void requireLoaded(Result read, Access access) throws NotLoadedException {
    NotLoadedException.require(read, access.row().toArray());
  }

  private Get get(Access access) {
    return new Get(access.row().toArray()).addColumn(family(), COLUMN);
  }

  private Put put(byte[] row, byte[] value) {
    return new Put(row).addColumn(family(), COLUMN, value);
  }

  /** Measures an operation that began at {@code startNanos}; returns the present time. */
  private long measure(String name, long startNanos) {
    long now = clock.monotonicNanos();
    Measurements.getMeasurements()
        .measure(name, (int) TimeUnit.NANOSECONDS.toMicros(now - startNanos));
    return now;
  }

  /** Measures each attempt of transactions that commit by validation. */
  private static void measure(CommitObserver.Phase phase, long nanos) {
    Measurements.getMeasurements()
        .measure("TXN-" + phase.name(), (int) TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  private static void report(String name, Status status) {
    Measurements.getMeasurements().reportStatus(name, status);
  }

  @Override
  void connected(SharedClient client) {
    if (settings().mode() != Mode.PLAIN) {
      client.lampone().observeCommits(TxnWorkload::measure);
    }
  }

  private TxnPlan plan() {
    return initialized(plan);
  }
}
