package io.lampone.simulation.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.simulation.SeedReport;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.mutant.Mutant;
import io.lampone.simulation.mutant.MutantSearch;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Runs with a hostile client: its requests do not affect honest rows. */
class StrangerTest {

  private static final int RUNS = 40;

  @Test
  void whatAStrangerDecidesReachesItsOwnRowsOnly() {
    int attacked = 0;
    int replayed = 0;
    int reserved = 0;
    for (long seed = 1; seed <= RUNS; seed++) {
      SeedReport report = Simulation.run(seed, true);
      assertThat(report.violation()).as("seed=%d", seed).isEqualTo(Optional.empty());
      if (report.trace().stream().anyMatch(line -> line.contains("PLANTS"))) {
        attacked++;
      }
      if (report.trace().stream().anyMatch(line -> line.contains("OWN ENDED"))) {
        replayed++;
      }
      if (report.trace().stream().anyMatch(line -> line.contains("RESERVES"))) {
        reserved++;
      }
    }
    assertThat(attacked).as("runs with a stranger").isPositive();
    assertThat(replayed).as("runs in which it shows statements of its own").isPositive();
    assertThat(reserved).as("runs in which it reserves").isPositive();
  }

  @Test
  void withoutTheComparisonOfLeadersItIsSeen() {
    assertSeen("A14");
  }

  @Test
  void withoutTheGrantOfAFlushOrAValidationItIsSeen() {
    assertSeen("A17");
  }

  @Test
  void withoutTheStatementOfACommitItIsSeen() {
    assertSeen("A18");
  }

  @Test
  void withoutTheStatementThatFollowersAreHealedItIsSeen() {
    assertSeen("A19");
  }

  @Test
  void withoutTheStatementOfAHealItIsSeen() {
    assertSeen("A20");
  }

  @Test
  void withoutTheStatementOfAJudgmentItIsSeen() {
    assertSeen("A21");
  }

  @Test
  void whereAnUndecidedLeaderIsStatedItIsSeen() {
    assertSeen("A22");
  }

  @Test
  void whereTheLeaderIsNoPartOfAStatementItIsSeen() {
    assertSeen("A23");
  }

  @Test
  void withoutTheCheckOfAShadeItIsSeen() {
    assertSeen("A24");
  }

  @Test
  void withoutTheCheckOfAMarkItIsSeen() {
    assertSeen("A25");
  }

  @Test
  void withAClockThatRisesToTheBoundItIsSeen() {
    assertSeen("A26");
  }

  @Test
  void withoutTheProofOfACommittedLeaderItIsSeen() {
    assertSeen("A28");
  }

  @Test
  void whereAPrincipalIsNotToldApartFromOthersItsFloodIsSeen() {
    assertSeen("A30");
  }

  @Test
  void withoutThePassOfAVoteItIsSeen() {
    assertSeen("Z28");
  }

  private static void assertSeen(String trap) {
    List<Mutant> mutants =
        MutantSearch.mutants().stream().filter(mutant -> mutant.trap().equals(trap)).toList();
    assertThat(mutants).isNotEmpty();
    for (Mutant mutant : mutants) {
      MutantSearch.Trophy found = MutantSearch.one(mutant, 1, 400);
      assertThat(found.violation()).as(mutant.name()).isPresent();
    }
  }
}
