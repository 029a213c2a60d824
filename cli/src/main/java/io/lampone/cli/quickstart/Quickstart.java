package io.lampone.cli.quickstart;

import io.lampone.cli.Progress;
import io.lampone.cli.shell.ClientDatabase;
import io.lampone.cli.shell.Database;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * The first minute with Lampone: a cluster, a bank, transfers and audits, and a client that dies at
 * the worst moment.
 */
final class Quickstart {

  /** Table of the accounts, named for users of the shell. */
  static final TableName TABLE = TableName.valueOf("bank");

  private static final Duration READ_BOUND = Duration.ofSeconds(5);
  private static final Duration INTENTS_BOUND = Duration.ofMinutes(3);
  private static final Duration REPORT_INTERVAL = Duration.ofSeconds(3);
  private static final long DOOMED_AMOUNT = 100;
  private static final int READS_AFTER_DEATH = 100;
  private static final long SEED = 20;

  private final QuickstartOptions options;
  private final Progress progress;
  private final Clock clock;

  Quickstart(QuickstartOptions options, Progress progress, Clock clock) {
    this.options = options;
    this.progress = progress;
    this.clock = clock;
  }

  /** Starts the cluster; the caller closes it. */
  EmbeddedLampone startCluster() throws IOException {
    return startCluster(hbase -> {});
  }

  /**
   * Starts the cluster with further settings.
   *
   * @param further adds the settings
   */
  EmbeddedLampone startCluster(Consumer<EmbeddedHBaseConfig.Builder> further) throws IOException {
    progress.step("Data folder " + options.data() + " (kept; delete it to begin afresh)");
    boolean published = options.publishedPort() > 0;
    progress.step(
        "Starting ZooKeeper, an HBase master, "
            + (published ? "a region server" : "2 region servers")
            + " and the transaction manager ...");
    EmbeddedHBaseConfig.Builder hbase =
        EmbeddedHBaseConfig.builder(options.data()).zooKeeperPort(options.zooKeeperPort());
    if (published) {
      hbase.publishedAt(options.publishedPort());
    }
    further.accept(hbase);
    EmbeddedLampone cluster = EmbeddedLampone.start(hbase.build());
    try (Writer site = Files.newBufferedWriter(options.site(), StandardCharsets.UTF_8)) {
      options.forClients(cluster.clientConfiguration()).writeXml(site);
    } catch (IOException e) {
      cluster.close();
      throw e;
    }
    progress.step("All of them run; ZooKeeper is at " + cluster.hbase().zooKeeperConnectString());
    return cluster;
  }

  /** Runs the whole story on a running cluster. */
  QuickstartSummary run(EmbeddedLampone cluster) throws IOException, InterruptedException {
    try (Database database = ClientDatabase.connect(options.forClients(cluster.configuration()))) {
      Bank bank = new Bank(database, TABLE, options.accounts());
      boolean survived = openBank(bank);
      double secondsToFirst = progress.seconds();
      progress.step("First transaction committed");
      BankTransfers workload = new BankTransfers(database, bank, clock, options.threads(), SEED);
      progress.step(
          String.format(
              "%d threads move money for %d s, another one adds it all up, again and again",
              options.threads(), options.transferTime().toSeconds()));
      workload.start();
      ScheduledExecutorService ticker = tick(workload);
      long endNanos = clock.monotonicNanos() + options.transferTime().toNanos();
      BankReport report;
      KilledClient killed;
      try (BankProbe probe = new BankProbe(database, bank, clock, READ_BOUND)) {
        try {
          killed = killOne(cluster, bank, probe);
          long leftNanos = endNanos - clock.monotonicNanos();
          TimeUnit.NANOSECONDS.sleep(Math.max(0, leftNanos));
        } finally {
          ticker.shutdownNow();
          report = workload.stop();
        }
        progress.step("Checking every account with a new reader");
        int unreadable = probe.unreadableAccounts();
        Bank.State last = probe.state();
        return new QuickstartSummary(
            report, killed, last, bank.expected(), unreadable, survived, secondsToFirst);
      }
    }
  }

  /**
   * Opens the accounts; returns true if they were there from an earlier start, with the right sum.
   */
  boolean openBank(Bank bank) throws IOException {
    if (bank.createTable()) {
      progress.step("Created the transactional table '" + TABLE + "'");
    }
    Bank.State before = bank.openAccounts();
    if (!before.equals(bank.expected())) {
      if (before.accounts() == bank.accounts()) {
        progress.step(
            before.accounts()
                + " accounts hold "
                + before.sum()
                + " in all, not "
                + bank.expected().sum()
                + ": they were changed since an earlier start");
        bank.openAnew();
      }
      progress.step(bank.accounts() + " accounts opened with " + Bank.OPENING_BALANCE + " each");
      return false;
    }
    progress.step(
        before.accounts()
            + " accounts with "
            + before.sum()
            + " in all have survived from an earlier start");
    return true;
  }

  private KilledClient killOne(EmbeddedLampone cluster, Bank bank, BankProbe probe)
      throws IOException, InterruptedException {
    int from = bank.richestAccount();
    int to = from == bank.accounts() - 1 ? 0 : bank.accounts() - 1;
    TransactionId id;
    try (DoomedProcess client =
        DoomedProcess.start(
            options.site(),
            options.data().resolve("killed-client.log"),
            List.of(
                "--table=" + TABLE,
                "--accounts=" + bank.accounts(),
                "--from=" + from,
                "--to=" + to,
                "--amount=" + DOOMED_AMOUNT))) {
      progress.step(
          "A second client, a process of its own, begins a transfer (" + client.pid() + ")");
      id = TransactionId.parse(client.await(DoomedClient.INTENTS, INTENTS_BOUND));
      client.kill();
    }
    progress.step("Its writes are in HBase, its commit is not: killed it (SIGKILL)");
    return probe(cluster, probe, new Doomed(id, from, to));
  }

  /** The transaction of the client that was killed. */
  private record Doomed(TransactionId id, int from, int to) {}

  private static KilledClient probe(EmbeddedLampone cluster, BankProbe probe, Doomed doomed)
      throws IOException, InterruptedException {
    long start = doomed.id().startTimestamp();
    int intents =
        (int)
            cluster.pendingIntents(TABLE).stream()
                .filter(intent -> intent.startTimestamp() == start)
                .count();
    long slowest = 0;
    for (int i = 0; i < READS_AFTER_DEATH; i++) {
      slowest = Math.max(slowest, probe.readNanos(doomed.from()));
      slowest = Math.max(slowest, probe.readNanos(doomed.to()));
    }
    long write = probe.transferNanos(doomed.from(), doomed.to(), 1);
    return new KilledClient(
        doomed.id(),
        doomed.from(),
        doomed.to(),
        DOOMED_AMOUNT,
        intents,
        2 * READS_AFTER_DEATH,
        slowest,
        write,
        Math.max(slowest, write) >= READ_BOUND.toNanos());
  }

  /** Reports progress at intervals. */
  private ScheduledExecutorService tick(BankTransfers workload) {
    ScheduledExecutorService ticker =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "quickstart-progress");
              thread.setDaemon(true);
              return thread;
            });
    ticker.scheduleAtFixedRate(
        () ->
            progress.step(
                String.format(
                    Locale.ROOT,
                    "  %,d transfers, %,d audits",
                    workload.transfers(),
                    workload.audits())),
        REPORT_INTERVAL.toMillis(),
        REPORT_INTERVAL.toMillis(),
        TimeUnit.MILLISECONDS);
    return ticker;
  }
}
