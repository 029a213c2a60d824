package io.lampone.checker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RandomHistoryTest {

  private static final int TRANSACTIONS = 2_000;
  private static final int PROCESSES = 12;
  private static final int KEYS = 15;

  /** Large enough that most scanned keys are absent. */
  private static final int SPARSE_KEYS = 400;

  private static final int RUNS = 100;

  @Test
  void whatAStoreWithSnapshotIsolationDoesIsFoundClean() {
    long first = System.nanoTime();
    for (long seed = first; seed < first + RUNS; seed++) {
      Verdict verdict = judge(seed, RandomHistory.Fault.NONE);
      assertThat(verdict.anomalies()).as("seed=%d", seed).isEmpty();
      assertThat(verdict.reads()).isPositive();
      assertThat(verdict.unknown()).isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(value = RandomHistory.Fault.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void everyPlantedFaultIsFound(RandomHistory.Fault fault) {
    long first = System.nanoTime();
    for (long seed = first; seed < first + RUNS / 10; seed++) {
      assertThat(judge(seed, fault).anomalyCount()).as("seed=%d", seed).isPositive();
    }
  }

  private static Verdict judge(long seed, RandomHistory.Fault fault) {
    int keys =
        fault == RandomHistory.Fault.NO_RANGE_CHECK
                || seed % 5 == 0 && fault == RandomHistory.Fault.NONE
            ? SPARSE_KEYS
            : KEYS;
    return SnapshotIsolationChecker.check(
        new RandomHistory(seed, seed % 2 == 0, fault).run(TRANSACTIONS, PROCESSES, keys));
  }
}
