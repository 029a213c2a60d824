package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.BasicDB;
import site.ycsb.DB;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/** Workloads that begin and commit transactions themselves. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TransactionWorkloadsIT {

  private static final int THREADS = 4;

  /** Transactions of each thread. */
  private static final int EACH = 100;

  /** Binding that YCSB passes in; these workloads ignore it. */
  private static final DB NO_DB = new BasicDB();

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @ParameterizedTest
  @CsvSource({"random,regular", "brwc,regular", "brwc,fastpath", "random,plain"})
  void transactionsAreMeasuredBySizeKindAndPhase(String mix, String mode) throws Exception {
    Properties properties = properties(mode, "txn" + mix + mode, 30);
    properties.setProperty(TxnPlan.MIX, mix);
    // The table has one region: otherwise no commit would use the transaction manager.
    properties.setProperty(TxnWorkload.ONE_REGION, "false");
    measureAnew(properties);
    TxnWorkload workload = new TxnWorkload();
    workload.init(properties);
    load(workload, properties, 30);
    // Four threads on 30 keys: some transactions conflict.
    runThreads(workload, properties, EACH);
    workload.cleanup();

    String report = report();
    boolean transactions = !mode.equals("plain");
    assertThat(report).contains("[TXN], Return=OK", "[TXN-RANDOM-1], Operations");
    assertThat(report.contains("[TXN-BRWC-1]")).isEqualTo(mix.equals("brwc"));
    assertThat(report.contains("[TXN-COMMIT], 99thPercentileLatency(us)")).isEqualTo(transactions);
    assertThat(report.contains("[TXN-BEGIN]")).isEqualTo(transactions);
    assertThat(report.contains("[TXN-VALIDATE], 99thPercentileLatency(us)"))
        .isEqualTo(transactions);
    assertThat(report.contains("[TXN-LEADER], 99thPercentileLatency(us)")).isEqualTo(transactions);
    if (transactions) {
      // Only transactions that pass the check write the leader.
      assertThat(operations(report, "TXN-VALIDATE"))
          .isGreaterThanOrEqualTo(operations(report, "TXN-LEADER"));
      // Transactions of the fast path have no begin.
      assertThat(operations(report, "TXN-BEGIN") < THREADS * EACH)
          .isEqualTo(mode.equals("fastpath"));
    }
    assertThat(report.contains("[TXN], Return=CONFLICT")).isEqualTo(transactions);
    assertThat(report).doesNotContain("Return=ERROR");
  }

  /** Transactions of the mix that only read need no begin of their own. */
  @Test
  void transactionsThatOnlyReadBeginWithTheFreshnessThatIsChosen() throws Exception {
    Properties properties = properties("regular", "txn-latest", 30);
    properties.setProperty(Settings.FRESHNESS, "latest");
    measureAnew(properties);
    TxnWorkload workload = new TxnWorkload();
    workload.init(properties);
    load(workload, properties, 30);
    workload.initThread(properties, 0, 1); // connects
    SharedClient shared = SharedClient.acquire(properties, Settings.of(properties));
    runThreads(workload, properties, EACH);
    Map<String, Long> counts = shared.lampone().metrics().transactions();
    shared.release(properties);
    workload.cleanup();
    assertThat(counts.getOrDefault("begin-latest", 0L)).isBetween(1L, THREADS * EACH - 1L);
    assertThat(report()).contains("[TXN], Return=OK").doesNotContain("BAD_REQUEST", "=ERROR");
  }

  @ParameterizedTest
  @ValueSource(strings = {"strict", "session", "latest"})
  void noMoneyIsMadeOrLostInTransactions(String freshness) throws Exception {
    Properties properties = properties("regular", "economy-" + freshness, 6);
    properties.setProperty(Settings.FRESHNESS, freshness);
    properties.setProperty(ClosedEconomyWorkload.AUDITS, "0.3");
    measureAnew(properties);
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    load(workload, properties, 6);
    runThreads(workload, properties, 100);
    workload.cleanup();

    assertThat(workload.audits()).isGreaterThan(50);
    assertThat(workload.anomalyScore()).isZero();
    assertThat(report()).contains("[TRANSFER], Return=OK");
  }

  @Test
  void withoutTransactionsTheScoreShowsIt() throws Exception {
    Properties properties = properties("plain", "open-economy", 3);
    properties.setProperty(ClosedEconomyWorkload.AUDITS, "0.3");
    measureAnew(properties);
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    load(workload, properties, 3);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    runThreads(
        workload,
        properties,
        () -> workload.anomalyScore() > 0 || System.nanoTime() - deadline > 0);
    workload.cleanup();

    assertThat(workload.anomalyScore()).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"regular", "fastpath", "plain"})
  void transactionsOnRowsThatNobodyHasLoadedAreNotMeasured(String mode) throws Exception {
    Properties properties = properties(mode, "unloaded" + mode, 1_000);
    properties.setProperty(TxnPlan.MIX, "brwc");
    measureAnew(properties);
    TxnWorkload workload = new TxnWorkload();
    workload.init(properties);
    Object state = workload.initThread(properties, 0, 1);
    int made = 0;
    while (workload.doTransaction(NO_DB, state)) {
      made++;
      assertThat(made).isLessThan(100);
    }
    workload.cleanup();

    String report = report();
    assertThat(report).contains("[TXN], Return=NOT_LOADED, 1");
    assertThat(report.contains("[TXN], Operations") ? operations(report, "TXN") : 0)
        .isEqualTo(made);
  }

  @Test
  void anEconomyThatNobodyHasLoadedIsTold() throws Exception {
    Properties properties = properties("regular", "unloaded-economy", 6);
    properties.setProperty(ClosedEconomyWorkload.AUDITS, "0");
    measureAnew(properties);
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    assertThat(workload.doTransaction(NO_DB, workload.initThread(properties, 0, 1))).isFalse();
    workload.cleanup();
    assertThat(report()).contains("[TRANSFER], Return=NOT_LOADED, 1");
  }

  @Test
  void twoLoadsOfAHalfEachMakeAWhole() throws Exception {
    for (Workload workload : List.of(new TxnWorkload(), new ClosedEconomyWorkload())) {
      Properties properties = properties("regular", workload.getClass().getSimpleName(), 30);
      properties.setProperty("insertcount", "15");
      measureAnew(properties);
      for (String start : List.of("0", "15")) {
        Properties half = new Properties();
        half.putAll(properties);
        half.setProperty("insertstart", start);
        workload.init(half);
        load(workload, half, 15);
        assertThat(workload.doInsert(NO_DB, workload.initThread(half, 0, 1))).isFalse();
        workload.cleanup();
      }
      assertThat(rows(properties.getProperty("table"))).isEqualTo(30);
    }
  }

  /** Two clients that load the same accounts concurrently must conflict. */
  @Test
  void anAccountIsOpenedAlthoughItsTransactionAborts() throws Exception {
    Properties properties = properties("regular", "two-loads", 200);
    measureAnew(properties);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
        workload.init(properties);
        running.add(
            threads.submit(
                () -> {
                  load(workload, properties, 200);
                  workload.cleanup();
                  return true;
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(report()).contains("[OPEN], Return=OK, " + THREADS * 200).doesNotContain("CONFLICT");
  }

  @Test
  void theLastAuditIsAfterTheLastTransfer() throws Exception {
    Properties properties = properties("regular", "audited-economy", 6);
    properties.setProperty(ClosedEconomyWorkload.AUDITS, "0");
    ClosedEconomyWorkload workload = new ClosedEconomyWorkload();
    workload.init(properties);
    load(workload, properties, 6);
    runThreads(workload, properties, 10);
    try (LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      Put stolen =
          new Put(TxnPlan.row(0)).addColumn(bytes("family"), bytes("balance"), Bytes.toBytes(-1L));
      client.run(tx -> put(tx.table(TableName.valueOf("audited-economy")), stolen));
    }
    workload.cleanup();
    assertThat(workload.audits()).isEqualTo(1);
    assertThat(workload.anomalyScore()).isPositive();
  }

  private static boolean put(Table table, Put put) throws IOException {
    table.put(put);
    return true;
  }

  private static int rows(String table) throws IOException {
    try (LamponeClient client = LamponeClient.connect(cluster.configuration());
        Transaction transaction = client.begin();
        ResultScanner rows = transaction.table(TableName.valueOf(table)).getScanner(new Scan())) {
      int count = 0;
      while (rows.next() != null) {
        count++;
      }
      return count;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long operations(String report, String name) {
    Matcher matcher =
        Pattern.compile(Pattern.quote("[" + name + "], Operations, ") + "(\\d+)").matcher(report);
    assertThat(matcher.find()).as(report).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  private static void load(Workload workload, Properties properties, int records) throws Exception {
    Object state = workload.initThread(properties, 0, 1);
    for (int i = 0; i < records; i++) {
      assertThat(workload.doInsert(NO_DB, state)).isTrue();
    }
  }

  private static void runThreads(Workload workload, Properties properties, int each)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Object state = workload.initThread(properties, i, THREADS);
        running.add(
            threads.submit(
                () -> {
                  for (int left = each; left > 0; left--) {
                    assertThat(workload.doTransaction(NO_DB, state)).isTrue();
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void runThreads(Workload workload, Properties properties, BooleanSupplier enough)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Object state = workload.initThread(properties, i, THREADS);
        running.add(
            threads.submit(
                () -> {
                  while (!enough.getAsBoolean()) {
                    workload.doTransaction(NO_DB, state);
                  }
                }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** Resets the measurements of the process, so that a test gets its own figures only. */
  private static void measureAnew(Properties properties) throws ReflectiveOperationException {
    Field singleton = Measurements.class.getDeclaredField("singleton");
    singleton.setAccessible(true);
    singleton.set(null, null);
    Measurements.setProperties(properties);
  }

  private static String report() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TextMeasurementsExporter exporter = new TextMeasurementsExporter(out)) {
      Measurements.getMeasurements().exportMeasurements(exporter);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  private static Properties properties(String mode, String table, int records) {
    Properties properties = new Properties();
    cluster
        .configuration()
        .forEach(
            entry -> {
              if (entry.getKey().startsWith("hbase.zookeeper")
                  || entry.getKey().equals("hbase.client.registry.impl")) {
                properties.setProperty(entry.getKey(), entry.getValue());
              }
            });
    properties.setProperty(Mode.PROPERTY, mode.toLowerCase(Locale.ROOT));
    properties.setProperty("table", table);
    properties.setProperty("recordcount", Integer.toString(records));
    return properties;
  }
}
