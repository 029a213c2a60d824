package io.lampone.ycsb;

import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;

/**
 * Accounts with transfers that preserve the total, after YCSB+T (Dey and others, 2014). An audit
 * sums all accounts in one snapshot. The anomaly score is the total deviation seen by audits,
 * divided by the number of transactions: 0 with transactions in all cases; without them ({@code
 * lampone.mode=plain}) it shows the anomalies.
 */
public final class ClosedEconomyWorkload extends TransactionWorkload {

  static final String AUDITS = "lampone.economy.audit.proportion";

  private static final long BALANCE = 1_000;
  private static final int DEFAULT_ACCOUNTS = 100;
  private static final int FEWEST_ACCOUNTS = 2;
  private static final int MOST_ACCOUNTS = 1_000_000_000;
  private static final int MOST = 10;
  private static final byte[] COLUMN = "balance".getBytes(StandardCharsets.UTF_8);

  private final LongAdder transactions = new LongAdder();
  private final LongAdder audits = new LongAdder();
  private final LongAdder deviation = new LongAdder();

  private int accounts;
  private double auditProportion;

  @Override
  public void init(Properties given) throws WorkloadException {
    try {
      Settings settings = Settings.of(given);
      accounts =
          (int)
              Settings.number(
                  given, LoadedKeys.RECORDS, DEFAULT_ACCOUNTS, FEWEST_ACCOUNTS, MOST_ACCOUNTS);
      initialize(given, settings, LoadedKeys.of(given, accounts));
      auditProportion = Settings.proportion(given, AUDITS, "0.1");
      if (settings.mode() == Mode.FASTPATH) {
        throw new IllegalArgumentException(
            "money moves between two accounts: " + Mode.PROPERTY + "=regular or plain");
      }
    } catch (IllegalArgumentException e) {
      throw new WorkloadException(e);
    }
  }

  @Override
  public Object initThread(Properties given, int thread, int threads) throws WorkloadException {
    return thread(thread);
  }

  @Override
  public boolean doInsert(DB db, Object state) {
    OptionalLong account = keys().claim();
    if (account.isEmpty()) {
      Measurements.getMeasurements().reportStatus("OPEN", Status.BAD_REQUEST);
      return false;
    }
    SharedClient client = ((ThreadState) state).client();
    // A load must be complete: aborted inserts are repeated.
    return measured(
        "OPEN",
        () -> untilCommitted(client, table -> table.put(put(account.getAsLong(), BALANCE))));
  }

  @Override
  public boolean doTransaction(DB db, Object state) {
    ThreadState thread = (ThreadState) state;
    transactions.increment();
    if (thread.random().nextDouble() < auditProportion) {
      return attempt("AUDIT", settings().forScans(), thread, this::audit);
    }
    int from = thread.random().nextInt(accounts);
    int to = (from + 1 + thread.random().nextInt(accounts - 1)) % accounts;
    long amount = 1L + thread.random().nextInt(MOST);
    return attempt(
        "TRANSFER", TransactionOptions.DEFAULT, thread, table -> transfer(table, from, to, amount));
  }

  /**
   * Audits again after the last transfer, and prints the result in the format of YCSB's own lines;
   * a load prints nothing.
   */
  @Override
  public void cleanup() throws WorkloadException {
    if (transactions.sum() > 0) {
      lastAudit();
      System.out.println("[CLOSED-ECONOMY], Audits, " + audits.sum());
      System.out.println(
          String.format(Locale.ROOT, "[CLOSED-ECONOMY], AnomalyScore, %.6f", anomalyScore()));
      // The score of a long run rounds a single lost unit to zero.
      System.out.println("[CLOSED-ECONOMY], MoneyMissingOrTooMuch, " + deviation.sum());
    }
    super.cleanup();
  }

  /** Returns the deviation seen by audits, for each transaction. */
  double anomalyScore() {
    return transactions.sum() == 0 ? 0 : (double) deviation.sum() / transactions.sum();
  }

  /** Returns the number of completed audits. */
  long audits() {
    return audits.sum();
  }

  private void transfer(Table table, int from, int to, long amount) throws IOException {
    long giver = balance(table.get(new Get(row(from))), row(from));
    long taker = balance(table.get(new Get(row(to))), row(to));
    table.put(put(from, giver - amount));
    table.put(put(to, taker + amount));
  }

  private void audit(Table table) throws IOException {
    long sum = 0;
    try (ResultScanner rows = table.getScanner(new Scan().addColumn(family(), COLUMN))) {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        sum += balance(row, row.getRow());
      }
    }
    audits.increment();
    deviation.add(Math.abs(sum - BALANCE * accounts));
  }

  /** Audits after the end: otherwise the effects of the last transfers would be unchecked. */
  private void lastAudit() {
    try {
      untilCommitted(client(), this::audit);
    } catch (IOException | WorkloadException e) {
      System.out.println("[CLOSED-ECONOMY], NothingShown, the last audit has failed: " + e);
    }
  }

  /** Runs once: an abort is a result. */
  private boolean attempt(String name, TransactionOptions options, ThreadState thread, Work work) {
    return measured(
        name,
        () -> {
          if (settings().mode() == Mode.PLAIN) {
            plain(thread.client(), work);
            return;
          }
          try (Transaction transaction = thread.client().lampone().begin(options)) {
            work.on(transaction.table(settings().table()));
            transaction.commit();
          }
        });
  }

  /** Measured operation. */
  @FunctionalInterface
  private interface Measured {
    void run() throws IOException;
  }

  private boolean measured(String name, Measured work) {
    long start = clock.monotonicNanos();
    try {
      work.run();
      long micros = TimeUnit.NANOSECONDS.toMicros(clock.monotonicNanos() - start);
      Measurements.getMeasurements().measure(name, (int) micros);
      Measurements.getMeasurements().reportStatus(name, Status.OK);
      return true;
    } catch (LamponeException e) {
      Measurements.getMeasurements().reportStatus(name, new Status(e.code().name(), ""));
      return Results.isResult(e.code());
    } catch (NotLoadedException e) {
      Measurements.getMeasurements().reportStatus(name, e.status());
      return false;
    } catch (IOException e) {
      Measurements.getMeasurements().reportStatus(name, new Status("ERROR", e.toString()));
      return false;
    }
  }

  private static byte[] row(long account) {
    return TxnPlan.row(account);
  }

  private Put put(long account, long balance) {
    return new Put(row(account)).addColumn(family(), COLUMN, Bytes.toBytes(balance));
  }

  private long balance(Result read, byte[] row) throws NotLoadedException {
    return Bytes.toLong(NotLoadedException.require(read, row).getValue(family(), COLUMN));
  }
}
