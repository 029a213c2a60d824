package io.lampone.cli.quickstart;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Failure;
import io.lampone.cli.Logging;
import io.lampone.cli.Progress;
import io.lampone.cli.StopSignal;
import io.lampone.cli.shell.Database;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone bank}. */
@Command(
    name = "bank",
    sortOptions = false,
    description = {
      "Moves money in a running cluster while another thread adds it all up, and says whether every"
          + " snapshot saw the same sum. A test of an installation, and of what a failure costs:"
          + " where the cluster does not answer it goes on trying, and tells for how long.",
      "The table stays; a second run goes on with the balances of the first."
    },
    footer = {
      "",
      "Exit codes: 0 every sum was right, and every account can be read; 1 not so, or the"
          + " table is not the bank's; 2 wrong options."
    })
public final class BankCommand implements Callable<Integer> {

  private static final Duration READ_BOUND = Duration.ofSeconds(30);
  private static final int PROGRESS_SECONDS = 5;

  @Spec CommandSpec spec;

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--table",
      paramLabel = "NAME",
      description = {
        "Made if it is missing; its rows are overwritten, and made anew for another number of"
            + " accounts. A table with anything else in it is refused. Default: ${DEFAULT-VALUE}."
      })
  String table = "lampone-bank";

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long money moves. Default: ${DEFAULT-VALUE}.")
  int seconds = 30;

  @Option(names = "--threads", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int threads = 8;

  @Option(
      names = "--accounts",
      paramLabel = "N",
      description =
          "Accounts; another number than before opens them anew. Default: ${DEFAULT-VALUE}.")
  int accounts = 100;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the choice of accounts. Default: ${DEFAULT-VALUE}.")
  long seed = 1;

  @Option(
      names = "--json",
      description = "Standard output is one line of JSON; what people read goes to the other one.")
  boolean json;

  @Option(names = "--debug", description = "Shows stack traces and the log.")
  boolean debug;

  private final Clock clock = SystemClock.INSTANCE;

  @Override
  public Integer call() {
    require(
        seconds >= 1 && seconds <= QuickstartOptions.MAX_SECONDS,
        "--seconds must be in 1.." + QuickstartOptions.MAX_SECONDS + ", not " + seconds);
    require(
        threads >= 1 && threads <= BankTransfers.MAX_THREADS,
        "--threads must be in 1.." + BankTransfers.MAX_THREADS + ", not " + threads);
    require(
        accounts >= 2 && accounts <= Bank.MAX_ACCOUNTS,
        "--accounts must be in 2.." + Bank.MAX_ACCOUNTS + ", not " + accounts);
    Logging.toStandardError(debug);
    PrintWriter people = json ? spec.commandLine().getErr() : spec.commandLine().getOut();
    Progress progress = new Progress(people, ManagementFactory.getRuntimeMXBean()::getUptime);
    try (StopSignal stop = StopSignal.forThisThread()) {
      try (Database database = connection.connect(spec.commandLine().getErr())) {
        return run(database, progress);
      } catch (IOException | InterruptedException | RuntimeException e) {
        if (stop.isRaised()) {
          progress.print("Stopped; nothing has been judged.");
          return 1;
        }
        Failure.print(spec.commandLine().getErr(), e, debug);
        return 1;
      }
    }
  }

  private int run(Database database, Progress progress) throws IOException, InterruptedException {
    Bank bank = new Bank(database, tableName(), accounts);
    bank.createTable();
    Bank.State before = bank.openAccounts();
    progress.step(
        before.accounts() == accounts
            ? "The accounts of an earlier run hold " + before.sum()
            : accounts + " accounts opened with " + Bank.OPENING_BALANCE + " each");
    BankTransfers workload =
        new BankTransfers(database, bank, clock, threads, seed, BankTransfers.OutagePolicy.GO_ON);
    workload.start();
    BankReport report;
    try {
      watch(workload, progress);
    } finally {
      report = workload.stop();
    }
    try (BankProbe probe = new BankProbe(database, bank, clock, READ_BOUND)) {
      int unreadable = probe.unreadableAccounts();
      Bank.State last = probe.state();
      boolean well = report.isWell() && unreadable == 0 && last.equals(bank.expected());
      print(progress, report, unreadable, last, bank.expected());
      if (json) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line(report, unreadable, last.equals(bank.expected())));
        out.flush();
      }
      return well ? 0 : 1;
    }
  }

  private void watch(BankTransfers workload, Progress progress) throws InterruptedException {
    long endNanos = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(seconds);
    long leftNanos;
    while ((leftNanos = endNanos - clock.monotonicNanos()) > 0) {
      TimeUnit.NANOSECONDS.sleep(Math.min(leftNanos, TimeUnit.SECONDS.toNanos(PROGRESS_SECONDS)));
      progress.step(workload.transfers() + " transfers, " + workload.audits() + " audits");
    }
  }

  private static void print(
      Progress progress, BankReport report, int unreadable, Bank.State last, Bank.State expected) {
    progress.print("");
    progress.print(
        report.transfers()
            + " transfers, p50 "
            + LatencySamples.Summary.millis(report.transferLatency().p50Micros())
            + ", p99 "
            + LatencySamples.Summary.millis(report.transferLatency().p99Micros())
            + "; "
            + report.aborts()
            + " attempts met a conflict, "
            + report.unknownOutcomes()
            + " with an unknown outcome");
    progress.print(
        "Not answered in time: "
            + report.outages()
            + " calls; longest time without a transfer: "
            + report.longestPauseMillis()
            + " ms");
    progress.print(
        report.isSumConstant()
            ? report.audits() + " audits, every one saw " + expected.sum()
            : "WRONG SUMS, or no audit: " + report.wrongAudits());
    progress.print(
        last.equals(expected) ? "The last reader saw " + last.sum() : "WRONG LAST SUM: " + last);
    if (unreadable > 0) {
      progress.print(unreadable + " accounts cannot be read");
    }
    report.failures().forEach(failure -> progress.print("FAILED: " + failure));
  }

  private static String line(BankReport report, int unreadable, boolean lastSumRight) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("transfers", report.transfers());
    line.put("aborts", report.aborts());
    line.put("unknown", report.unknownOutcomes());
    line.put("outages", report.outages());
    line.put("longestPauseMillis", report.longestPauseMillis());
    line.put("audits", report.audits());
    line.put("sumConstant", report.isSumConstant() && lastSumRight);
    line.put("unreadableAccounts", unreadable);
    line.put("p50Micros", report.transferLatency().p50Micros());
    line.put("p99Micros", report.transferLatency().p99Micros());
    var failures = line.putArray("failures");
    report.failures().forEach(failures::add);
    return line.toString();
  }

  private TableName tableName() {
    try {
      return TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "--table is no name of a table: " + e.getMessage(), e);
    }
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
