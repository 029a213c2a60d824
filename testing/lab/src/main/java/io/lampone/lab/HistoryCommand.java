package io.lampone.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.checker.Anomaly;
import io.lampone.checker.History;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.checker.Verdict;
import io.lampone.checker.format.EdnWriter;
import io.lampone.checker.format.HistoryFormatException;
import io.lampone.checker.format.HistoryReader;
import io.lampone.cli.Failure;
import io.lampone.cli.LamponeCommand;
import io.lampone.faultlab.work.WorkloadKind;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    description = "Judges or exports what clients saw of a run.",
    subcommands = HelpCommand.class)
public final class HistoryCommand implements Runnable, LamponeCommand {

  /** Every history satisfies its claims. */
  static final int EXIT_CLEAN = 0;

  /** An anomaly was found, or a client has recorded a violation. */
  static final int EXIT_ANOMALY = 1;

  /** A file cannot be read, is no history, or contains no commit: no conclusion. */
  static final int EXIT_NOT_JUDGED = 2;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }

  @Command(
      name = "check",
      description = {
        "Judges histories in the format txnhist/1 by strong snapshot isolation, and prints each"
            + " anomaly with the transactions that show it. Real time and sessions are not judged"
            + " of one whose header says that it claims no more than snapshot isolation ('si'). Of"
            + " a workload of 'lampone torture' its own checks are made, too.",
        "Exit code 0: all clean; 1: an anomaly, or a violation that a client has recorded; 2: a"
            + " file is no history, or nothing has committed in it."
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

  @Command(
      name = "export",
      description = {
        "Writes a history for a checker that is not ours. --edn: operation maps for Elle, as"
            + " list-append or rw-register, one a line, ordered by time.",
        "Unknown outcomes are :info, also those that Lampone has told after the run. Single"
            + " operations of the fast path are transactions there: they hold snapshot isolation,"
            + " and no order by real time.",
        "Exit code 0: written; 2: the file is no history, or cannot be written."
      })
  int export(
      @Parameters(paramLabel = "FILE", description = "The history.") Path file,
      @Option(names = "--edn", required = true, description = "As EDN, for Elle.") boolean edn,
      @Option(
              names = "--output",
              paramLabel = "FILE",
              description = "A new file; otherwise standard output.")
          @Nullable Path output) {
    PrintWriter out = spec.commandLine().getOut();
    try (var reader = Files.newBufferedReader(file)) {
      History history = HistoryReader.readUnresolved(reader);
      if (output == null) {
        EdnWriter.write(history, out);
        out.flush();
      } else {
        try (Writer to = Files.newBufferedWriter(output, StandardOpenOption.CREATE_NEW)) {
          EdnWriter.write(history, to);
        }
      }
      return EXIT_CLEAN;
    } catch (FileAlreadyExistsException e) {
      new Failure("the file exists, file=" + output, "name a new one")
          .print(spec.commandLine().getErr(), "");
      return EXIT_NOT_JUDGED;
    } catch (IOException | HistoryFormatException | IllegalArgumentException e) {
      new Failure(
              "cannot export, file=" + file + " cause=" + e.getMessage(),
              "the format is described in docs/histories.md")
          .print(spec.commandLine().getErr(), "");
      return EXIT_NOT_JUDGED;
    }
  }

  private int check(Path file, boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    History history;
    Verdict verdict;
    List<String> violations;
    try (var reader = Files.newBufferedReader(file)) {
      history = HistoryReader.read(reader);
      verdict = SnapshotIsolationChecker.check(history);
      violations = violations(history);
    } catch (IOException | HistoryFormatException | IllegalArgumentException e) {
      new Failure(
              "cannot judge, file=" + file + " cause=" + e.getMessage(),
              "the format is described in docs/histories.md")
          .print(spec.commandLine().getErr(), "");
      return EXIT_NOT_JUDGED;
    }
    if (json) {
      out.println(line(file, history, verdict, violations));
    } else {
      print(out, file, history, verdict, violations);
    }
    out.flush();
    if (!verdict.isClean() || !violations.isEmpty()) {
      return EXIT_ANOMALY;
    }
    return verdict.ok() == 0 ? EXIT_NOT_JUDGED : EXIT_CLEAN;
  }

  /** Returns violations recorded by clients or found by the checks of the lab's workload. */
  private static List<String> violations(History history) {
    List<String> all = new ArrayList<>(history.violations());
    WorkloadKind.ofTables(history.header().table()).stream()
        .flatMap(kind -> kind.checks().stream())
        .forEach(check -> all.addAll(check.violations(history)));
    return all;
  }

  private static String result(Verdict verdict, List<String> violations) {
    List<String> found = new ArrayList<>();
    if (!verdict.isClean()) {
      found.add(verdict.anomalyCount() + " anomalies");
    }
    if (!violations.isEmpty()) {
      found.add(violations.size() + " violations recorded by clients or found by the workload");
    }
    if (!found.isEmpty()) {
      return String.join(", ", found);
    }
    return verdict.ok() == 0 ? "nothing has committed, so nothing is shown" : "clean";
  }

  private static void print(
      PrintWriter out, Path file, History history, Verdict verdict, List<String> violations) {
    out.printf(
        "%s: %d committed, %d failed, %d unknown, %d reads: %s%s%n",
        file,
        verdict.ok(),
        verdict.failed(),
        verdict.unknown(),
        verdict.reads(),
        result(verdict, violations),
        history.header().claimsOrder() ? "" : " (claims no order by real time or sessions)");
    for (Anomaly anomaly : verdict.anomalies()) {
      out.println("  " + anomaly.describe());
    }
    if (verdict.anomalyCount() > verdict.anomalies().size()) {
      out.println("  ... only the first " + verdict.anomalies().size() + " are shown");
    }
    violations.forEach(text -> out.println("  violation: " + text));
  }

  private static String line(Path file, History history, Verdict verdict, List<String> violations) {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("file", file.toString());
    line.put("committed", verdict.ok());
    line.put("failed", verdict.failed());
    line.put("unknown", verdict.unknown());
    line.put("reads", verdict.reads());
    line.put("anomalies", verdict.anomalyCount());
    line.put("realTimeAndSessions", history.header().claimsOrder());
    var kinds = line.putArray("kinds");
    verdict.anomalies().stream().map(each -> each.kind().name()).distinct().forEach(kinds::add);
    violations.forEach(line.putArray("violations")::add);
    return line.toString();
  }
}
