package io.lampone.sql;

import io.lampone.cli.Progress;
import io.lampone.cli.quickstart.DoomedProcess;
import io.lampone.cli.quickstart.QuickstartOptions;
import io.lampone.cli.quickstart.SqlQuickstart;
import io.lampone.client.ClientMetrics;
import io.lampone.coprocessor.TableGuard;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.sql.AccountsTable.Sums;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.query.QueryServices;

/** The quick start in SQL: a bank with an index, transfers and audits, and a client that dies. */
public final class BankStory implements SqlQuickstart {

  private static final Duration INTENTS_BOUND = Duration.ofSeconds(120);
  private static final long DOOMED_AMOUNT = 100;
  private static final long SEED = 20;

  /** Made by {@link java.util.ServiceLoader}. */
  public BankStory() {}

  @Override
  public void configure(EmbeddedHBaseConfig.Builder hbase) {
    hbase
        .masterCoprocessor(TableGuard.class)
        .setting(QueryServices.TRANSACTIONS_ENABLED, "true")
        .setting(
            "hbase.regionserver.wal.codec",
            "org.apache.hadoop.hbase.regionserver.wal.IndexedWALEditCodec");
  }

  private static Connection connect() throws SQLException {
    Connection connection = DriverManager.getConnection(CommandConfiguration.url());
    connection.setAutoCommit(false);
    return connection;
  }

  @Override
  public Outcome run(QuickstartOptions options, Progress progress, EmbeddedLampone cluster)
      throws IOException, InterruptedException {
    CommandConfiguration.use(cluster.configuration());
    LamponePhoenix.install();
    progress.step("Apache Phoenix makes its catalogue, in tables of its own");
    try (Connection connection = connect()) {
      AccountsTable.create(connection);
      progress.step(
          "Created the transactional table "
              + AccountsTable.NAME
              + " and its index "
              + AccountsTable.INDEX);
      AccountsTable.open(connection, options.accounts());
      double seconds = progress.seconds();
      progress.step("First transaction committed: " + options.accounts() + " accounts");
      TransferThreads bank = new TransferThreads(BankStory::connect, options.accounts());
      progress.step(
          String.format(
              Locale.ROOT,
              "%d threads move money for %d s, one adds it all up by table and by index, one looks up"
                  + " balances",
              options.threads(),
              options.transferTime().toSeconds()));
      bank.start(options.threads(), SEED);
      int intents;
      try {
        intents = killOne(options, progress, cluster);
        TimeUnit.NANOSECONDS.sleep(options.transferTime().toNanos());
      } finally {
        bank.stop();
      }
      return outcome(connection, options, bank, intents, seconds);
    } catch (SQLException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Returns the number of intents that the killed client has left. */
  private static int killOne(QuickstartOptions options, Progress progress, EmbeddedLampone cluster)
      throws IOException, InterruptedException {
    try (DoomedProcess client =
        DoomedProcess.start(
            DoomedSqlClient.class,
            options.site(),
            options.data().resolve("killed-client.log"),
            List.of("--from=0", "--to=" + (options.accounts() - 1), "--amount=" + DOOMED_AMOUNT))) {
      progress.step(
          "A second client, a process of its own, begins a transfer (" + client.pid() + ")");
      client.await(DoomedSqlClient.INTENTS, INTENTS_BOUND);
      client.kill();
    }
    progress.step("Its writes are in HBase, its commit is not: killed it (SIGKILL)");
    return cluster.pendingIntents(TableName.valueOf(AccountsTable.INDEX)).size();
  }

  private static Outcome outcome(
      Connection connection,
      QuickstartOptions options,
      TransferThreads bank,
      int intents,
      double seconds)
      throws SQLException {
    connection.commit(); // a new snapshot
    Sums last = AccountsTable.sums(connection);
    boolean equal = AccountsTable.isIndexEqual(connection);
    ClientMetrics metrics = LamponePhoenix.metrics(connection);
    connection.commit();
    List<String> problems = new ArrayList<>(bank.problems());
    if (bank.transfers() == 0 || bank.audits() == 0) {
      problems.add("nothing was transferred, or nothing added up");
    }
    if (intents == 0) {
      problems.add("the killed client left no intent behind: the test has shown nothing");
    }
    boolean consistent = last.areOf(options.accounts()) && equal && bank.problems().isEmpty();
    if (!consistent) {
      problems.add("table and index do not agree, or the sum is wrong: " + last);
    }
    BankResult result =
        new BankResult(
            bank.transfers(),
            bank.aborts(),
            last.byTable(),
            last.byIndex(),
            consistent,
            1,
            metrics.fastReads() + metrics.fastWrites(),
            BigDecimal.valueOf(seconds).setScale(2, RoundingMode.HALF_UP).doubleValue());
    return new Outcome(result.toJson(), lines(result, bank.audits(), problems), problems.isEmpty());
  }

  private static List<String> lines(BankResult result, long audits, List<String> problems) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        String.format(
            Locale.ROOT,
            "%,d transfers, %,d conflicts that were run again, %,d audits; sum by table %,d, by"
                + " index %,d",
            result.transfers(),
            result.aborts(),
            audits,
            result.sumByTable(),
            result.sumByIndex()));
    lines.add("The killed client's transfer never happened, in the table and in its index.");
    lines.add(problems.isEmpty() ? "All is well." : "NOT WELL:");
    problems.forEach(problem -> lines.add("  " + problem));
    return lines;
  }

  @Override
  public void prompt(EmbeddedLampone cluster) throws IOException {
    SqlPrompt.run(List.of());
  }
}
