package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Histories that some assignment of the unknown outcomes explains have no anomaly; all others have
 * one, however many outcomes are unknown.
 */
final class UnknownOutcomesTest {

  private static final int RUNS = Integer.getInteger("lampone.test.histories", 1_500);
  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final int LONGEST = 120;

  @Test
  void historiesThatAreAllowedAreCleanHoweverManyOutcomesAreUnknown() {
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      assertThat(SnapshotIsolationChecker.check(history(seed)).anomalies())
          .as("seed=%d", seed)
          .isEmpty();
    }
  }

  @Test
  void aReaderWhoMissesWhatWasAcknowledgedIsFoundHoweverManyOutcomesAreUnknown() {
    int altered = 0;
    for (long seed = SEED; seed < SEED + RUNS; seed++) {
      List<HistoryTransaction> all = new ArrayList<>(history(seed).transactions());
      if (missOne(history(seed), all)) {
        altered++;
        History history = new History(history(seed).header(), all, 0);
        assertThat(SnapshotIsolationChecker.check(history).isClean()).as("seed=%d", seed).isFalse();
      }
    }
    assertThat(altered).isGreaterThan(RUNS / 10);
  }

  /** Makes a regular reader miss an acknowledged commit that it has seen. */
  private static boolean missOne(History history, List<HistoryTransaction> all) {
    WriterIndex writers = new WriterIndex(history.transactions());
    for (int i = all.size() - 1; i >= 0; i--) {
      HistoryTransaction reader = all.get(i);
      if (reader.outcome() != Outcome.OK || reader.fastPath() || reader.writes()) {
        continue;
      }
      for (Operation operation : reader.operations()) {
        if (operation instanceof Operation.Read read
            && read.elements().stream()
                .anyMatch(
                    each ->
                        writers.writer(read.key(), each).orElseThrow().outcome() == Outcome.OK)) {
          all.set(
              i,
              new HistoryTransaction(
                  reader.number(),
                  reader.process(),
                  reader.invokeNanos(),
                  reader.completeNanos(),
                  Outcome.OK,
                  List.of(new Operation.Read(read.key(), List.of())),
                  "",
                  reader.startTimestamp(),
                  0,
                  false,
                  false,
                  List.of(),
                  HistoryTransaction.Freshness.STRICT,
                  HistoryTransaction.NO_SESSION));
          return true;
        }
      }
    }
    return false;
  }

  private static History history(long seed) {
    return new UnknownOutcomes(seed).run(10 + (int) Math.floorMod(seed, LONGEST));
  }

  @Test
  void whoWasMissedMayHaveCommittedAfterTheCommitOfTheReaderWhoMissedIt() {
    // It lies behind the snapshot of the reader, which has written another of its keys unseen.
    assertThat(
            registers()
                .unknown(9, 1, write("x", 1), write("y", 1))
                .ok(0, 2, 5, read("y"), write("x", 2))
                .ok(1, 7, 0, read("y", 1))
                .kinds())
        .isEmpty();
  }

  @Test
  void oneReaderMayMissSeveral() {
    // A write of the fast path has the timestamp behind the reader's, where there was room.
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .unknown(9, 1, append("x", 2))
                .ok(0, 2, 0, read("x"))
                .fast(1, 3, 3, read("x", 1), append("x", 3))
                .ok(2, 5, 0, read("x", 1, 3, 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void aFastReadThatFollowsItsOwnProcessMayMissWhatNobodyHadSeenYet() {
    assertThat(
            lists()
                .unknown(9, 1, append("x", 1))
                .ok(0, 2, 5, append("y", 2))
                .fast(0, 6, 0, read("x"))
                .ok(1, 9, 0, read("x", 1))
                .kinds())
        .isEmpty();
  }

  @Test
  void aWriteOfTheFastPathMayLieBelowWhatWasAcknowledgedBeforeItBegan() {
    assertThat(
            lists()
                .ok(0, 1, 9, append("y", 1))
                .at(1, 2, 30, 5, 0, read("x", 2))
                .unknownFast(2, 20, append("x", 2))
                .kinds())
        .isEmpty();
    assertThat(
            lists()
                .ok(0, 1, 9, append("y", 1))
                .at(1, 2, 30, 5, 0, read("x", 2))
                .unknown(2, 20, append("x", 2))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void whoIsNeverSeenOnAKeyComesBeforeWhoIsOrAfterAllWhoSeeThat() {
    // The first can only have come before the second, ...
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1), write("y", 1))
                .unknown(9, 1, write("x", 2))
                .ok(0, 5, 0, read("x", 2), read("y", 1))
                .ok(1, 7, 0, read("x", 2))
                .kinds())
        .isEmpty();
    // ... here only after all that saw it, ...
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1), write("y", 1))
                .unknown(9, 1, write("x", 2))
                .ok(0, 3, 0, read("x", 2), read("y"))
                .ok(1, 5, 0, read("x", 2), read("y"))
                .ok(2, 7, 0, read("y", 1))
                .kinds())
        .isEmpty();
    // ... and here neither.
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1), write("y", 1))
                .unknown(9, 1, write("x", 2))
                .ok(0, 3, 0, read("x", 2), read("y"))
                .ok(1, 5, 0, read("y", 1))
                .ok(2, 7, 0, read("x", 2), read("y", 1))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void aCircleIsFound() {
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1), append("y", 1))
                .unknown(9, 1, append("x", 2), append("y", 2))
                .ok(0, 3, 0, read("x", 1, 2), read("y", 2, 1))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void aProcessFollowsWhatItsFastReadsHaveShownAlsoIfItsOutcomeIsUnknown() {
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .fast(0, 5, 0, read("x", 1))
                .fast(0, 6, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.SESSION);
    // The missed writer comes after the one that was shown, ...
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .unknown(9, 1, append("y", 2))
                .fast(0, 5, 0, read("x", 1))
                .fast(0, 6, 0, read("y"))
                .ok(1, 7, 0, read("x", 1), read("y", 2))
                .kinds())
        .isEmpty();
    // ... and not before.
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .unknown(9, 1, append("y", 2))
                .fast(0, 5, 0, read("x", 1))
                .fast(0, 6, 0, read("y"))
                .at(1, 1, 7, 4, 0, read("x"), read("y", 2))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void whoBeginsAfterAReaderCommitsBehindIt() {
    assertThat(
            lists()
                .at(0, 1, 9, 9, 0, read("y"))
                .unknown(2, 20, append("x", 2))
                .at(1, 2, 30, 5, 0, read("x", 2))
                .kinds())
        .isNotEmpty();
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1))
                .unknown(9, 1, write("x", 2))
                .fast(0, 5, 0, read("x", 1))
                .at(1, 6, 9, 6, 0, read("x", 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void aReadOfTheFastPathShowsOneStateOfItsRowAlsoIfTheWritersAreUnknown() {
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1), append("y", 2))
                .fast(0, 5, 0, read("x", 1), read("y"))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    // Each by itself may have come first, ...
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .unknown(9, 1, append("y", 2))
                .fast(0, 5, 0, read("x", 1), read("y"))
                .ok(1, 7, 0, read("x", 1), read("y", 2))
                .kinds())
        .isEmpty();
    // ... but not both.
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .unknown(9, 1, append("y", 2))
                .fast(0, 5, 0, read("x", 1), read("y"))
                .fast(1, 5, 0, read("x"), read("y", 2))
                .kinds())
        .contains(AnomalyKind.READ_SKEW);
  }
}
