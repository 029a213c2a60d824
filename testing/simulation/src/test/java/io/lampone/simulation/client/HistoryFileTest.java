package io.lampone.simulation.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.Anomaly;
import io.lampone.checker.AnomalyKind;
import io.lampone.checker.History;
import io.lampone.checker.Outcome;
import io.lampone.checker.SnapshotIsolationChecker;
import io.lampone.checker.Verdict;
import io.lampone.checker.format.HistoryReader;
import io.lampone.simulation.SeedReport;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.mutant.Mutant;
import io.lampone.simulation.mutant.MutantSearch;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Histories of the simulated clients, written to a file, read from it and checked, without any
 * other knowledge of the simulator. {@code -Dlampone.test.histories=N} checks more seeds, {@code
 * -Dlampone.test.seed=N} others.
 */
final class HistoryFileTest {

  private static final int HISTORIES = Integer.getInteger("lampone.test.histories", 50);
  private static final long FIRST_SEED = Long.getLong("lampone.test.seed", 1);

  /** Of a mutant, until its history shows it. */
  private static final int MOST_SEEDS = 300;

  @Test
  void theHistoriesOfSoundRunsAreClean(@TempDir Path folder) throws IOException {
    int acknowledged = 0;
    int unknown = 0;
    int faults = 0;
    int ordered = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed++) {
      Path file = folder.resolve(seed + ".jsonl");
      SeedReport report;
      try (Writer writer = Files.newBufferedWriter(file)) {
        report = Simulation.record(seed, false, writer);
      }
      assertThat(report.violation()).as("seed=%d", seed).isEmpty();
      History history;
      try (var reader = Files.newBufferedReader(file)) {
        history = HistoryReader.read(reader);
      }
      Verdict verdict = SnapshotIsolationChecker.check(history);
      assertThat(verdict.anomalies()).as("seed=%d", seed).isEmpty();
      assertThat(history.header().seed()).isEqualTo(seed);
      assertThat(history.transactions()).as("seed=%d", seed).hasSize(report.transactions());
      assertThat((long) verdict.ok()).as("seed=%d", seed).isEqualTo(report.committed());
      assertThat((long) verdict.unknown()).as("seed=%d", seed).isEqualTo(report.unknown());
      // The file does not contain their outcomes.
      assertThat(history.transactions())
          .filteredOn(each -> each.outcome() == Outcome.UNKNOWN)
          .allMatch(each -> each.commitTimestamp() == 0);
      acknowledged += verdict.ok();
      unknown += verdict.unknown();
      faults += history.faults();
      ordered += history.header().claimsOrder() ? 1 : 0;
    }
    // Otherwise little has been shown.
    assertThat(acknowledged).isGreaterThan(10 * HISTORIES);
    assertThat(unknown).isPositive();
    assertThat(faults).isGreaterThan(HISTORIES);
    assertThat(ordered).isBetween(HISTORIES / 5, HISTORIES - 1);
  }

  @Test
  void theSameSeedTwiceIsTheSameHistoryByteForByte() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 10; seed++) {
      assertThat(recorded(seed)).as("seed=%d", seed).isEqualTo(recorded(seed));
    }
  }

  @Test
  void itHasFaultsAndTheirEndsAndOneLastLook() {
    List<String> lines = recorded(FIRST_SEED).lines().toList();
    assertThat(lines.get(0)).contains("\"txnhist\":1", "\"table\":\"simulated,simulated-too\"");
    assertThat(lines).filteredOn(line -> line.contains("\"final\":true")).hasSize(2);
    assertThat(lines).noneMatch(line -> line.contains("\"resolve\""));
    String all = allFaults();
    for (String fault : List.of("kill", "client-kill", "pause", "clock", "move", "slow-disk")) {
      assertThat(all).contains("\"f\":\"" + fault + "\"", "\"f\":\"heal-" + fault + "\"");
    }
  }

  private static String allFaults() {
    StringBuilder all = new StringBuilder();
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 20; seed++) {
      recorded(seed)
          .lines()
          .filter(line -> line.contains("\"process\":\"nemesis\""))
          .forEach(line -> all.append(line).append('\n'));
    }
    return all.toString();
  }

  @Test
  void aLostUpdateIsFoundInTheHistoryAlone() throws IOException {
    theJudgeFinds("conflicts are not checked for", Set.of(AnomalyKind.LOST_UPDATE));
  }

  @Test
  void aSnapshotThatIsNotStableIsFoundInTheHistoryAlone() throws IOException {
    theJudgeFinds(
        "reads do not wait for writes that have drawn",
        Set.of(
            AnomalyKind.READ_SKEW,
            AnomalyKind.MISSED_COMMIT,
            AnomalyKind.STALE_READ,
            AnomalyKind.LONG_FORK));
  }

  @Test
  void aReadOfWhatIsNotCommittedIsFoundInTheHistoryAlone() throws IOException {
    theJudgeFinds(
        "an undecided leader is taken for a commit",
        Set.of(AnomalyKind.ABORTED_READ, AnomalyKind.INTERMEDIATE_READ, AnomalyKind.FUTURE_READ));
  }

  /** Checks the clients' view only: violated invariants do not stop the run. */
  private static void theJudgeFinds(String name, Set<AnomalyKind> expected) throws IOException {
    Mutant mutant =
        MutantSearch.mutants().stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow();
    Set<AnomalyKind> found = EnumSet.noneOf(AnomalyKind.class);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + MOST_SEEDS; seed++) {
      StringWriter history = new StringWriter();
      SeedReport unheeded = Simulation.recordUnheeded(seed, mutant.seams(), history);
      assertThat(unheeded.transactions()).as("seed=%d", seed).isPositive();
      SnapshotIsolationChecker.check(HistoryReader.read(new StringReader(history.toString())))
          .anomalies()
          .stream()
          .map(Anomaly::kind)
          .forEach(found::add);
      if (expected.stream().anyMatch(found::contains)) {
        return;
      }
    }
    throw new AssertionError(
        "not found, mutant='" + name + "' expected one of=" + expected + " found=" + found);
  }

  private static String recorded(long seed) {
    StringWriter history = new StringWriter();
    Simulation.record(seed, false, history);
    return history.toString();
  }
}
