package io.lampone.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RowsTest {

  private static final int TRANSACTIONS = 100_000;

  private final SplittableRandom random = new SplittableRandom(5);

  @Test
  void sixtyThreePercentOfTheMixHaveThreeRowsOrLessAndHalfOfTheAccessesAreReads() {
    Rows rows = new Rows(1_000, 1, Rows.THETA);
    int small = 0;
    long reads = 0;
    long all = 0;
    for (int i = 0; i < TRANSACTIONS; i++) {
      List<Access> accesses = rows.next(TransactionClass.MIX, random);
      assertThat(accesses).hasSizeBetween(1, 10);
      assertThat(accesses.stream().map(Access::row)).doesNotHaveDuplicates();
      small += accesses.size() <= 3 ? 1 : 0;
      all += accesses.size();
      reads += accesses.stream().filter(Access::reads).count();
    }
    assertThat(small / (double) TRANSACTIONS).isCloseTo(0.632, within(0.01));
    assertThat(reads / (double) all).isCloseTo(0.5, within(0.01));
  }

  @Test
  void oneInFiveOfTheOtherMixReadsAndWritesOneRow() {
    Rows rows = new Rows(1_000, 1, Rows.THETA);
    int both = 0;
    for (int i = 0; i < TRANSACTIONS; i++) {
      List<Access> accesses = rows.next(TransactionClass.BRWC, random);
      if (accesses.stream().anyMatch(access -> access.reads() && access.writes())) {
        assertThat(accesses).hasSize(1);
        both++;
      }
    }
    assertThat(both / (double) TRANSACTIONS).isCloseTo(0.2, within(0.01));
  }

  @Test
  void everyRowIsChosenAndThePopularOneAsOftenAsZipfSays() {
    ExactZipf zipf = new ExactZipf(100, 0.8);
    Set<Integer> seen = new HashSet<>();
    int first = 0;
    for (int i = 0; i < TRANSACTIONS; i++) {
      int rank = zipf.next(random);
      seen.add(rank);
      first += rank == 0 ? 1 : 0;
    }
    double weights = 0;
    for (int rank = 1; rank <= 100; rank++) {
      weights += Math.pow(rank, -0.8);
    }
    assertThat(seen).hasSize(100);
    assertThat(first / (double) TRANSACTIONS).isCloseTo(1 / weights, within(0.01));
  }

  @Test
  void withALargerThetaThePopularRowOfAMixIsChosenMoreOften() {
    assertThat(shareOfRowZero(0.99)).isGreaterThan(1.5 * shareOfRowZero(Rows.THETA));
  }

  private double shareOfRowZero(double theta) {
    Rows rows = new Rows(1_000, 1, theta);
    long chosen = 0;
    for (int i = 0; i < TRANSACTIONS; i++) {
      chosen +=
          rows.next(TransactionClass.MIX, random).stream()
              .filter(access -> access.row() == 0)
              .count();
    }
    return chosen / (double) TRANSACTIONS;
  }

  @Test
  void tenAccessesAreFiveReadsAndFiveWritesInTurns() {
    List<Access> accesses = new Rows(1_000, 1, Rows.THETA).next(TransactionClass.TEN, random);
    assertThat(accesses).hasSize(10);
    assertThat(accesses.stream().filter(Access::reads)).hasSize(5);
    assertThat(accesses.stream().filter(Access::writes)).hasSize(5);
  }
}
