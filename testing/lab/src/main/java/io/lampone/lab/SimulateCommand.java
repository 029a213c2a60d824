package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.CommandException;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Logging;
import io.lampone.protocol.time.SystemClock;
import io.lampone.simulation.SeedCampaign;
import io.lampone.simulation.SeedReport;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.mutant.MutantSearch;
import io.lampone.simulation.world.Violation;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code lampone simulate}. */
@Command(
    name = "simulate",
    sortOptions = false,
    description = {
      "Runs the protocol's own code over a simulated network, store, ZooKeeper and time, with"
          + " faults of every kind, and checks its invariants after every event. One seed is one"
          + " run: it happens again in the same way, event by event.",
      "Needs no cluster."
    },
    footer = {
      "",
      "Exit codes: 0 everything held, or every mutant was caught; 1 something did not hold, or a",
      "mutant survived; 2 wrong options."
    })
public final class SimulateCommand implements Callable<Integer>, LamponeCommand {

  private static final int MAX_THREADS = 256;
  private static final long DEFAULT_SEEDS = 100;
  private static final long DEFAULT_MUTANT_SEEDS = 10_000;
  private static final long MAX_SEEDS = 1_000_000_000;
  private static final int THOUSAND = 1_000;
  private static final double SECONDS_BETWEEN_TELLING = 5;

  /** Violations that are described one by one. */
  private static final int MAX_DESCRIBED = 20;

  @Spec private CommandSpec spec;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      description =
          "How many seeds are run. Default: 100, with --trace 1; with --mutants the most that one"
              + " mutant gets, 10000.")
  private Optional<Long> seeds = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "The first seed; the others follow it. Default: ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--validators",
      description = "Runs only seeds with validators, which are about one of five.")
  private boolean validators;

  @Option(names = "--trace", description = "Prints everything that happens in one seed.")
  private boolean trace;

  @Option(
      names = "--mutants",
      description = "Runs planted mistakes, each until something is seen of it.")
  private boolean mutants;

  @Option(
      names = "--markdown",
      description =
          "With --mutants: prints the table as it is kept in docs/evidence/simulation.md.")
  private boolean markdown;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "Seeds that run beside each other. Default: one for each processor.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--progress",
      paramLabel = "FILE",
      description =
          "Writes every few seconds into this file how far it has come, and tells it on the"
              + " standard error; if the file is there, goes on from there.")
  private Optional<Path> progress = Optional.empty();

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description =
          "Writes what the clients of one seed saw into this file, which must not be there yet; for"
              + " 'lampone history check'. What they did not know is unknown there.")
  private Optional<Path> history = Optional.empty();

  @Option(names = "--json", description = "Prints one line of JSON.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException, IOException {
    require(threads >= 1 && threads <= MAX_THREADS, "--threads must be 1 to " + MAX_THREADS);
    require(
        seeds.orElse(1L) >= 1 && seeds.orElse(1L) <= MAX_SEEDS,
        "--seeds must be 1 to " + MAX_SEEDS);
    require(!(trace && mutants), "--trace shows one seed without a mutant: leave out --mutants");
    require(
        !trace || seeds.orElse(1L) <= 1,
        "--trace shows one seed: leave out --seeds, and give --seed");
    require(
        !validators || !(trace || mutants) && history.isEmpty(), "--validators is for many seeds");
    require(progress.isEmpty() || !(trace || mutants), "--progress is for many seeds");
    require(
        history.isEmpty() || !mutants && progress.isEmpty() && seeds.orElse(1L) <= 1,
        "--history is of one seed: leave out --seeds, --mutants and --progress, and give --seed");
    require(
        history.isEmpty() || !(trace && json),
        "--history with --trace or with --json, not with both");
    require(
        history.filter(Files::exists).isEmpty(),
        "--history: the file is there already, name another one, file=" + history.orElse(null));
    require(!markdown || mutants && !json, "--markdown is for --mutants, without --json");
    Logging.toStandardError(false);
    if (mutants) {
      return hunt();
    }
    return trace ? show() : run();
  }

  private void require(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  private int show() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    SeedReport report = history.isPresent() ? record(history.get()) : Simulation.run(seed, true);
    report.trace().forEach(out::println);
    out.printf(
        "seed %d: %d transactions, %d events: %s%n",
        seed,
        report.transactions(),
        report.events(),
        report.violation().map(v -> "violates " + v.invariant()).orElse("everything held"));
    out.flush();
    return report.violation().isPresent() ? 1 : 0;
  }

  /** Runs the one seed, and writes the history of its clients. */
  private SeedReport record(Path file) throws IOException {
    try (Writer writer = create(file)) {
      return Simulation.record(seed, trace, writer);
    }
  }

  private static Writer create(Path file) {
    try {
      return Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW);
    } catch (IOException e) {
      throw CommandException.cannotWrite(file, e);
    }
  }

  private int run() throws InterruptedException, IOException {
    long beganNanos = SystemClock.INSTANCE.monotonicNanos();
    if (history.isPresent()) {
      return print(
          SeedCampaign.Result.of(record(history.get())), secondsSince(beganNanos) * THOUSAND);
    }
    long count = seeds.orElse(DEFAULT_SEEDS);
    Optional<CampaignFile> file = progress.map(path -> new CampaignFile(path, seed, validators));
    SeedCampaign.Result before = file.map(CampaignFile::read).orElse(SeedCampaign.Result.NONE);
    // Fails now, not after hours, if the file cannot be written.
    file.ifPresent(kept -> kept.write(before));
    long[] toldNanos = {beganNanos};
    SeedCampaign.Result result =
        SeedCampaign.run(
            LongStream.iterate(seed, last -> last + 1)
                .filter(each -> !validators || Simulation.hasValidators(each))
                .limit(count),
            threads,
            before,
            sofar -> {
              if (file.isPresent() && secondsSince(toldNanos[0]) >= SECONDS_BETWEEN_TELLING) {
                toldNanos[0] = SystemClock.INSTANCE.monotonicNanos();
                tell(file.get(), sofar, count);
              }
            });
    file.ifPresent(kept -> tell(kept, result, count));
    double perThousand =
        secondsSince(beganNanos) * THOUSAND / Math.max(1, result.seeds() - before.seeds());
    return print(result, perThousand);
  }

  private int print(SeedCampaign.Result result, double perThousand) {
    PrintWriter out = spec.commandLine().getOut();
    List<SeedReport> bad = result.violations();
    if (json) {
      ObjectNode line = new ObjectMapper().createObjectNode();
      line.put("seeds", result.seeds());
      line.put("transactions", result.transactions());
      line.put("violations", result.violated());
      line.put("secondsPerThousandSeeds", Math.round(perThousand * THOUSAND) / (double) THOUSAND);
      line.put("committed", result.committed());
      line.put("unknown", result.unknown());
      ArrayNode violated = line.putArray("violated");
      bad.stream().limit(MAX_DESCRIBED).forEach(report -> describe(violated.addObject(), report));
      out.println(line);
    } else {
      out.printf(
          "%d seeds, %d transactions (%d committed, %d unknown), %.1f s for a thousand seeds: %s%n",
          result.seeds(),
          result.transactions(),
          result.committed(),
          result.unknown(),
          perThousand,
          result.violated() == 0 ? "everything held" : result.violated() + " violations");
      for (SeedReport report : bad.subList(0, Math.min(bad.size(), MAX_DESCRIBED))) {
        Violation violation = report.violation().orElseThrow();
        out.printf("  seed %d: %s: %s%n", report.seed(), violation.invariant(), violation.text());
        out.printf("    lampone simulate --seed %d --trace%n", report.seed());
      }
    }
    out.flush();
    return result.violated() == 0 ? 0 : 1;
  }

  private void tell(CampaignFile file, SeedCampaign.Result sofar, long count) {
    file.write(sofar);
    PrintWriter err = spec.commandLine().getErr();
    err.printf("%d of %d seeds, %d violations%n", sofar.seeds(), count, sofar.violated());
    err.flush();
  }

  private static void describe(ObjectNode into, SeedReport report) {
    Violation violation = report.violation().orElseThrow();
    into.put("seed", report.seed());
    into.put("invariant", violation.invariant());
    into.put("text", violation.text());
  }

  private int hunt() throws InterruptedException {
    int most = Math.toIntExact(seeds.orElse(DEFAULT_MUTANT_SEEDS));
    List<MutantSearch.Trophy> trophies = MutantSearch.all(seed, most, threads);
    long caught = trophies.stream().filter(each -> each.violation().isPresent()).count();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode line = new ObjectMapper().createObjectNode();
      line.put("mutants", trophies.size());
      line.put("caught", caught);
      ArrayNode each = line.putArray("each");
      for (MutantSearch.Trophy trophy : trophies) {
        ObjectNode one = each.addObject();
        one.put("mutant", trophy.mutant());
        one.put("trap", trophy.trap());
        one.put("seeds", trophy.seeds());
        one.put("invariant", trophy.violation().map(Violation::invariant).orElse(null));
      }
      out.println(line);
    } else if (markdown) {
      MutantSearch.markdownHead().forEach(out::println);
      trophies.forEach(trophy -> out.println(trophy.markdown()));
    } else {
      out.printf("%-76s %-8s %6s  %s%n", "mutant", "trap", "seeds", "invariant");
      for (MutantSearch.Trophy trophy : trophies) {
        out.printf(
            "%-76s %-8s %6d  %s%n",
            trophy.mutant(),
            trophy.trap(),
            trophy.seeds(),
            trophy.violation().map(Violation::invariant).orElse("SURVIVED"));
      }
      out.printf("%d of %d mutants caught%n", caught, trophies.size());
    }
    out.flush();
    return caught == trophies.size() ? 0 : 1;
  }

  private static double secondsSince(long beganNanos) {
    return (SystemClock.INSTANCE.monotonicNanos() - beganNanos)
        / (double) TimeUnit.SECONDS.toNanos(1);
  }
}
