package io.lampone.benchmarks.command;

import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.Machine;
import io.lampone.benchmarks.compare.Comparator;
import io.lampone.benchmarks.compare.ComparePlan;
import io.lampone.benchmarks.compare.Rows;
import io.lampone.benchmarks.compare.SystemUnderTest;
import io.lampone.benchmarks.compare.TransactionClass;
import io.lampone.benchmarks.compare.report.CompareFiles;
import io.lampone.benchmarks.compare.report.CompareReport;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.client.Isolation;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lampone bench compare}. */
@Command(
    name = "compare",
    sortOptions = false,
    description = {
      "Compares Lampone's regular transactions and its fast path with native HBase and with Apache"
          + " Omid 1.1.3, on tables beside each other in one cluster, which is made for it and"
          + " thrown away: in short slices that alternate, and ratios taken within a round.",
      "Two contenders stand in it twice. Where a difference is less than three times what those"
          + " differ from themselves by, it prints 'no claim'.",
      "Omid's jars are no part of a distribution: it is compared in a source tree only."
    },
    footer = {"", "Exit codes: 0 compared, whatever the figures; 1 failed; 2 wrong options."})
final class BenchCompareCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 24 * 60 * 60;
  private static final int MAX_THREADS = 256;
  private static final int MAX_VALIDATORS = 8;
  private static final double MAX_THETA = 2;
  private static final int MIN_ROWS = 10;
  private static final int MAX_ROWS = 1_000_000;
  private static final int MAX_VALUE_BYTES = 1 << 20;
  private static final int MIN_SLICE_MILLIS = 20;
  private static final int MAX_SLICE_MILLIS = 10_000;

  /** Seeds are to be typed again. */
  private static final int SEEDS = 1_000_000;

  /** Defaults of options under {@code --quick}. */
  private static final int QUICK_SECONDS = 45;

  private static final int QUICK_WARM_UP = 12;
  private static final int QUICK_SLICE_MILLIS = 80;
  private static final int QUICK_ROWS = 1_000;

  private static final int SECONDS = 300;
  private static final int WARM_UP = 60;
  private static final int SLICE_MILLIS = 300;
  private static final int ROWS = 10_000;

  @Option(names = "--quick", description = "Takes about three minutes; wider quartiles.")
  boolean quick;

  @Option(
      names = "--systems",
      paramLabel = "NAME",
      split = ",",
      description =
          "lampone, fastpath, omid, omid-1ms, omid-lowlatency; native is always there. Default: all"
              + " of them.")
  List<String> systems =
      List.of("lampone", "fastpath", "omid", "omid-1ms", "omid-lowlatency", "native");

  @Option(
      names = "--classes",
      paramLabel = "NAME",
      split = ",",
      description =
          "read, write, read-write, mix, brwc, ten. Default: all of them but brwc, of which one"
              + " transaction in five reads and writes one row and the others are a mix.")
  List<String> classes = List.of("read", "write", "read-write", "mix", "ten");

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long is measured. Default: 300, with --quick 45.")
  @Nullable Integer seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = "Seconds before that; not measured. Default: 60, with --quick 12.")
  @Nullable Integer warmUp;

  @Option(
      names = "--slice",
      paramLabel = "MILLIS",
      description = "How long one system runs before the next does. Default: 300, with --quick 80.")
  @Nullable Integer slice;

  @Option(
      names = "--rows",
      paramLabel = "N",
      description = "Rows of each table. Default: 10000, with --quick 1000.")
  @Nullable Integer rows;

  @Option(names = "--threads", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int threads = 1;

  @Option(names = "--value-bytes", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  int valueBytes = 100;

  @Option(
      names = "--theta",
      paramLabel = "X",
      description =
          "Of the Zipf distribution of rows in a mix, at most 2. Default: ${DEFAULT-VALUE}.")
  double theta = Rows.THETA;

  @Option(
      names = "--validators",
      paramLabel = "N",
      description =
          "Validators beside Lampone's transaction manager; their processor time counts as that of"
              + " other processes. Default: ${DEFAULT-VALUE}.")
  int validators;

  @Option(
      names = "--isolation",
      paramLabel = "NAME",
      description =
          "SNAPSHOT or SERIALIZABLE, of Lampone's transactions; aborts for a row that was read are"
              + " needed ones then. Default: ${DEFAULT-VALUE}.")
  Isolation isolation = Isolation.SNAPSHOT;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of transactions and the order of slices. Default: by chance.")
  @Nullable Long seed;

  @Option(
      names = "--output",
      paramLabel = "FOLDER",
      description =
          "Where compare.json, ratios.csv, rounds.csv, a picture for each measure and index.html"
              + " go. Default: none are written.")
  @Nullable Path output;

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    Set<SystemUnderTest> contenders = contenders();
    List<TransactionClass> transactions = classes();
    requireOptions();
    return measuring.run(progress -> compare(contenders, transactions, progress));
  }

  private int compare(
      Set<SystemUnderTest> contenders, List<TransactionClass> transactions, Progress progress)
      throws IOException, InterruptedException {
    try (ScratchFolder folder = ScratchFolder.create("lampone-compare")) {
      ComparePlan plan = plan(contenders, transactions, folder, progress);
      CompareReport report = Comparator.run(plan, SystemClock.INSTANCE, progress::step);
      String machine = Machine.describe(SystemClock.INSTANCE, new Cores(false, 0, 0));
      progress.print(machine);
      if (output != null) {
        CompareFiles.write(report, List.of(machine), output);
        progress.step("Wrote " + output.resolve("index.html"));
      }
      measuring.report(progress, report.lines(), report.toJson());
      return 0;
    }
  }

  private ComparePlan plan(
      Set<SystemUnderTest> contenders,
      List<TransactionClass> transactions,
      ScratchFolder folder,
      Progress progress)
      throws IOException, InterruptedException {
    Optional<String> omid =
        contenders.stream().anyMatch(SystemUnderTest::isOmid)
            ? new OmidArtifacts(System.getProperty(OmidArtifacts.SOURCE_TREE), progress::step)
                .classPath()
            : Optional.empty();
    return new ComparePlan(
        contenders,
        transactions,
        omid,
        folder.path(),
        Duration.ofSeconds(chosen(seconds, SECONDS, QUICK_SECONDS)),
        Duration.ofSeconds(chosen(warmUp, WARM_UP, QUICK_WARM_UP)),
        Duration.ofMillis(chosen(slice, SLICE_MILLIS, QUICK_SLICE_MILLIS)),
        threads,
        chosen(rows, ROWS, QUICK_ROWS),
        valueBytes,
        theta,
        validators,
        isolation == Isolation.SERIALIZABLE,
        seed == null ? ThreadLocalRandom.current().nextInt(SEEDS) : seed);
  }

  private int chosen(@Nullable Integer given, int normally, int quickly) {
    if (given != null) {
      return given;
    }
    return quick ? quickly : normally;
  }

  private Set<SystemUnderTest> contenders() {
    EnumSet<SystemUnderTest> chosen = EnumSet.noneOf(SystemUnderTest.class);
    for (String name : systems) {
      Optional<SystemUnderTest> one = SystemUnderTest.of(name).filter(found -> !found.isControl());
      measuring.require(one.isPresent(), "--systems: there is no such system, " + name);
      one.ifPresent(chosen::add);
    }
    return chosen;
  }

  private List<TransactionClass> classes() {
    EnumSet<TransactionClass> chosen = EnumSet.noneOf(TransactionClass.class);
    for (String name : classes) {
      Optional<TransactionClass> one = TransactionClass.of(name);
      measuring.require(one.isPresent(), "--classes: there is no such class, " + name);
      one.ifPresent(chosen::add);
    }
    return Arrays.stream(TransactionClass.values()).filter(chosen::contains).toList();
  }

  private void requireOptions() {
    measuring.requireIn("--seconds", chosen(seconds, SECONDS, QUICK_SECONDS), 1, MAX_SECONDS);
    measuring.requireIn("--warm-up", chosen(warmUp, WARM_UP, QUICK_WARM_UP), 1, MAX_SECONDS);
    measuring.requireIn(
        "--slice",
        chosen(slice, SLICE_MILLIS, QUICK_SLICE_MILLIS),
        MIN_SLICE_MILLIS,
        MAX_SLICE_MILLIS);
    measuring.requireIn("--rows", chosen(rows, ROWS, QUICK_ROWS), MIN_ROWS, MAX_ROWS);
    measuring.requireIn("--threads", threads, 1, MAX_THREADS);
    measuring.requireIn("--value-bytes", valueBytes, 1, MAX_VALUE_BYTES);
    measuring.require(theta >= 0 && theta <= MAX_THETA, "--theta must be in 0..2");
    measuring.requireIn("--validators", validators, 0, MAX_VALIDATORS);
  }
}
