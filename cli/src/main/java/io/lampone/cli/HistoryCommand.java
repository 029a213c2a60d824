package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.history.Anomaly;
import io.lampone.history.History;
import io.lampone.history.HistoryFormatException;
import io.lampone.history.HistoryReader;
import io.lampone.history.SnapshotIsolationChecker;
import io.lampone.history.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone history}. */
@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    description = "Judges what clients saw of a run.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = HelpCommand.class)
final class HistoryCommand implements Runnable {

  /** Every history is what it claims to be. */
  static final int EXIT_CLEAN = 0;

  /** An anomaly was found. */
  static final int EXIT_ANOMALY = 1;

  /** A file cannot be read or is no history: nothing has been judged. */
  static final int EXIT_NOT_JUDGED = 2;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      versionProvider = Versions.class,
      description = {
        "Judges histories in the format txnhist/1 by strong snapshot isolation, and prints each"
            + " anomaly with the transactions that show it. Real time and sessions are not judged of"
            + " one whose header says that it claims no more than snapshot isolation ('si').",
        "Exit code 0: all clean; 1: an anomaly; 2: a file is no history."
      })
  int check(
      @Parameters(paramLabel = "FILE", arity = "1..*", description = "Histories.") List<Path> files,
      @Option(names = "--json", description = "Prints one line of JSON for each file.")
          boolean json) {
    int worst = EXIT_CLEAN;
    for (Path file : files) {
      worst = Math.max(worst, check(file, json));
    }
    return worst;
  }

  private int check(Path file, boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    Verdict verdict;
    boolean ordered;
    try (var reader = Files.newBufferedReader(file)) {
      History history = HistoryReader.read(reader);
      verdict = SnapshotIsolationChecker.check(history);
      ordered = history.header().claimsOrder();
    } catch (IOException | HistoryFormatException | IllegalArgumentException e) {
      new Failure(
              "cannot judge, file=" + file + " cause=" + e.getMessage(),
              "the format is described in docs/histories.md")
          .print(spec.commandLine().getErr(), "");
      return EXIT_NOT_JUDGED;
    }
    if (json) {
      out.println(line(file, verdict, ordered));
    } else {
      print(out, file, verdict, ordered);
    }
    out.flush();
    return verdict.isClean() ? EXIT_CLEAN : EXIT_ANOMALY;
  }

  private static void print(PrintWriter out, Path file, Verdict verdict, boolean ordered) {
    out.printf(
        "%s: %d committed, %d failed, %d unknown, %d reads: %s%s%n",
        file,
        verdict.ok(),
        verdict.failed(),
        verdict.unknown(),
        verdict.reads(),
        verdict.isClean() ? "clean" : verdict.anomalyCount() + " anomalies",
        ordered ? "" : " (claims no order by real time or sessions)");
    for (Anomaly anomaly : verdict.anomalies()) {
      out.println("  " + anomaly.describe());
    }
    if (verdict.anomalyCount() > verdict.anomalies().size()) {
      out.println("  ... only the first " + verdict.anomalies().size() + " are shown");
    }
  }

  private static String line(Path file, Verdict verdict, boolean ordered) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("file", file.toString());
    line.put("committed", verdict.ok());
    line.put("failed", verdict.failed());
    line.put("unknown", verdict.unknown());
    line.put("reads", verdict.reads());
    line.put("anomalies", verdict.anomalyCount());
    line.put("realTimeAndSessions", ordered);
    var kinds = line.putArray("kinds");
    verdict.anomalies().stream().map(each -> each.kind().name()).distinct().forEach(kinds::add);
    return line.toString();
  }
}
