package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * One anomalous history of each kind, and the closest one that is allowed. Times are timestamps.
 */
final class AnomaliesTest {

  @Test
  void aHistoryWithoutFaultIsClean() {
    Verdict verdict =
        lists()
            .ok(0, 1, 2, read("x"), append("x", 1))
            .ok(1, 3, 4, read("x", 1), append("x", 2))
            .ok(2, 5, 0, read("x", 1, 2), read("y"))
            .failed(3, 6, append("x", 3))
            .judge();
    assertThat(verdict.anomalies()).isEmpty();
    assertThat(verdict.ok()).isEqualTo(3);
    assertThat(verdict.failed()).isEqualTo(1);
    assertThat(verdict.reads()).isEqualTo(4);
  }

  @Test
  void g0TwoTransactionsOverwriteEachOtherInDifferentOrders() {
    assertThat(
            lists()
                .ok(0, 1, 3, append("x", 1), append("y", 10))
                .ok(1, 4, 5, append("x", 2), append("y", 20))
                .ok(2, 7, 0, read("x", 1, 2), read("y", 20, 10))
                .kinds())
        .containsExactly(AnomalyKind.DIRTY_WRITE);
  }

  @Test
  void g1aAReadOfWhatFailed() {
    assertThat(lists().failed(0, 1, append("x", 1)).ok(1, 3, 0, read("x", 1)).kinds())
        .containsExactly(AnomalyKind.ABORTED_READ);
  }

  @Test
  void g1bAReadOfWhatItsWriterHasOverwritten() {
    assertThat(
            registers().ok(0, 1, 2, write("x", 1), write("x", 2)).ok(1, 3, 0, read("x", 1)).kinds())
        .containsExactly(AnomalyKind.INTERMEDIATE_READ);
    assertThat(
            lists().ok(0, 1, 2, append("x", 1), append("x", 2)).ok(1, 3, 0, read("x", 1)).kinds())
        .containsExactly(AnomalyKind.INTERMEDIATE_READ);
  }

  @Test
  void g1cTwoTransactionsReadFromEachOther() {
    assertThat(
            lists()
                .ok(0, 1, 4, append("x", 1), read("y", 10))
                .ok(1, 2, 5, append("y", 10), read("x", 1))
                .kinds())
        .containsExactly(AnomalyKind.CIRCULAR_READ);
  }

  @Test
  void p4TwoUpdatesOfWhichOneIsLost() {
    assertThat(
            registers()
                .ok(0, 1, 3, read("x"), write("x", 1))
                .ok(1, 2, 4, read("x"), write("x", 2))
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
    assertThat(
            lists()
                .ok(0, 1, 3, read("x"), append("x", 1))
                .ok(1, 2, 4, read("x"), append("x", 2))
                .at(2, 9, 9, 9, 0, read("x", 2))
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
  }

  @Test
  void twoBlindWritesThatOverlapAreALostUpdateToo() {
    assertThat(registers().ok(0, 1, 3, write("x", 1)).ok(1, 2, 4, write("x", 2)).kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
    assertThat(registers().ok(0, 1, 3, write("x", 1)).ok(1, 4, 5, write("x", 2)).kinds()).isEmpty();
  }

  @Test
  void gSingleReadSkew() {
    assertThat(
            lists()
                .ok(0, 1, 3, append("x", 1), append("y", 10))
                .ok(1, 2, 0, read("x"), read("y", 10))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(
            lists()
                .ok(0, 1, 3, append("x", 1), append("y", 10))
                .ok(1, 4, 0, read("x"), read("y", 10))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  @Test
  void twoReadsOfAKeyThatDiffer() {
    assertThat(lists().ok(0, 1, 3, append("x", 1)).ok(1, 2, 0, read("x"), read("x", 1)).kinds())
        .contains(AnomalyKind.READ_SKEW);
  }

  @Test
  void longFork() {
    assertThat(
            lists()
                .at(0, 1, 90, 1, 5, append("x", 1))
                .at(1, 2, 91, 2, 6, append("y", 10))
                .at(2, 7, 92, 8, 0, read("x", 1), read("y"))
                .at(3, 7, 93, 9, 0, read("x"), read("y", 10))
                .kinds())
        .containsOnly(AnomalyKind.LONG_FORK);
  }

  @Test
  void writeSkewIsAllowed() {
    assertThat(
            registers()
                .ok(0, 1, 3, read("x"), read("y"), write("x", 1))
                .ok(1, 2, 4, read("x"), read("y"), write("y", 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void aStaleRead() {
    assertThat(lists().ok(0, 1, 2, append("x", 1)).ok(1, 3, 0, read("x")).kinds())
        .containsExactly(AnomalyKind.STALE_READ);
  }

  @Test
  void aStaleSnapshotIsFoundEvenIfItsReadsAgreeWithIt() {
    assertThat(lists().ok(0, 2, 3, append("x", 1)).at(1, 5, 6, 1, 0, read("x")).kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
  }

  /** A reader that misses a commit of its snapshot is found under every claim. */
  @Test
  void whoClaimsNoOrderIsJudgedByWhatWasSeenAndNotByRealTimeOrSessions() {
    History late = lists().at(0, 1, 2, 5, 6, append("x", 1)).at(0, 3, 4, 3, 0, read("x")).history();
    assertThat(SnapshotIsolationChecker.check(late).anomalies())
        .extracting(Anomaly::kind)
        .containsExactlyInAnyOrder(AnomalyKind.REAL_TIME, AnomalyKind.SESSION);
    assertThat(SnapshotIsolationChecker.check(claimingLess(late)).anomalies()).isEmpty();
    History blind = lists().ok(0, 1, 2, append("x", 1)).ok(1, 3, 0, read("x")).history();
    assertThat(SnapshotIsolationChecker.check(claimingLess(blind)).anomalies()).hasSize(1);
  }

  @Test
  void atLevelRowOfTwoWritersOfARowOneLoses() {
    for (String level : List.of("", "cell", "cell,row")) {
      assertThat(
              registers()
                  .level(level)
                  .ok(0, 1, 5, write("6", 1))
                  .ok(1, 2, 6, write("7", 2))
                  .kinds())
          .isEmpty();
    }
    assertThat(
            registers()
                .level("row,cell")
                .ok(0, 1, 5, write("6", 1))
                .ok(1, 2, 6, write("7", 2))
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
    assertThat(
            registers()
                .level("row")
                .ok(0, 1, 5, write("6", 1), write("7", 1))
                .ok(1, 6, 7, write("7", 2))
                .ok(2, 1, 8, write("8", 3))
                .unknown(3, 1, write("6", 4))
                .kinds())
        .isEmpty();
  }

  private static History claimingLess(History history) {
    return new History(
        new History.Header(history.header().workload(), History.Header.SNAPSHOT_ISOLATION, 0, 0),
        history.transactions(),
        0);
  }

  @Test
  void aCommitThatIsMissedWhileItIsBeingAcknowledged() {
    assertThat(lists().at(0, 1, 90, 1, 2, append("x", 1)).at(1, 4, 5, 3, 0, read("x")).kinds())
        .containsExactly(AnomalyKind.MISSED_COMMIT);
  }

  @Test
  void aCommitAboveTheSnapshot() {
    assertThat(lists().ok(0, 1, 4, append("x", 1)).ok(1, 2, 0, read("x", 1)).kinds())
        .containsExactly(AnomalyKind.FUTURE_READ);
  }

  @Test
  void aValueThatNobodyWrote() {
    assertThat(lists().ok(0, 1, 0, read("x", 7)).kinds())
        .containsExactly(AnomalyKind.INVENTED_VALUE);
  }

  @Test
  void anElementThatWasAppliedTwice() {
    assertThat(lists().ok(0, 1, 2, append("x", 1)).ok(1, 3, 0, read("x", 1, 1)).kinds())
        .containsExactly(AnomalyKind.DUPLICATED_VALUE);
  }

  @Test
  void anOwnWriteThatIsNotSeen() {
    assertThat(lists().ok(0, 1, 2, append("x", 1), read("x")).kinds())
        .containsExactly(AnomalyKind.INTERNAL);
    assertThat(registers().ok(0, 1, 2, write("x", 1), read("x", 1)).kinds()).isEmpty();
  }

  @Test
  void timestampsThatCannotBe() {
    assertThat(lists().ok(0, 5, 5, append("x", 1)).kinds()).containsExactly(AnomalyKind.TIMESTAMP);
    assertThat(lists().ok(0, 1, 256, append("x", 1)).ok(1, 2, 256, append("y", 2)).kinds())
        .containsExactly(AnomalyKind.TIMESTAMP);
    assertThat(lists().at(0, 1, 2, 1, 0, append("x", 1)).kinds())
        .containsExactly(AnomalyKind.TIMESTAMP);
    assertThat(lists().at(0, 1, 2, 0, 0, read("x")).kinds()).containsExactly(AnomalyKind.TIMESTAMP);
    assertThat(registers().at(0, 1, 2, 0, 30, write("x", 1)).kinds())
        .as("without a start timestamp first-committer-wins could not be checked")
        .containsExactly(AnomalyKind.TIMESTAMP);
  }

  @Test
  void aProcessThatGoesBack() {
    // At a moment that two processes might share.
    assertThat(lists().at(0, 10, 11, 10, 0, read("x")).at(0, 11, 13, 9, 0, read("x")).kinds())
        .containsExactly(AnomalyKind.SESSION);
  }

  @Test
  void theFastPathFollowsItsOwnProcessAndNobodyElse() {
    // Another client's fast read may be stale: the paper's Figure 2.
    assertThat(lists().ok(0, 1, 3, append("x", 1)).fast(1, 9, 0, read("x")).kinds()).isEmpty();
    assertThat(lists().ok(0, 1, 3, append("x", 1)).fast(0, 9, 0, read("x")).kinds())
        .containsExactly(AnomalyKind.SESSION);
    assertThat(lists().ok(0, 1, 5, append("x", 1)).fast(0, 9, 4, read("y"), append("y", 2)).kinds())
        .containsExactly(AnomalyKind.SESSION);
  }

  @Test
  void whatSomebodyWasShownBindsWhoBeginsLater() {
    // A snapshot, ...
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1))
                .at(1, 4, 5, 4, 0, read("x", 1))
                .at(2, 8, 9, 3, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    // ... and a read of the fast path: a version is drawn below whatever is issued later.
    assertThat(
            lists()
                .at(0, 1, 90, 1, 4, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .at(2, 8, 9, 3, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .at(2, 8, 9, 3, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
  }

  @Test
  void whatSomebodyWasShownBindsNobodyWhoHadBegun() {
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1))
                .at(1, 4, 5, 4, 0, read("x", 1))
                .fast(3, 5, 0, read("x", 1))
                .at(2, 5, 9, 3, 0, read("x"))
                .kinds())
        .isEmpty();
    // Nor the reads of another process by the fast path: the paper's Figure 2.
    assertThat(
            lists()
                .at(0, 1, 90, 1, 2, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .at(2, 6, 7, 6, 0, read("x", 1))
                .fast(3, 9, 0, read("x"))
                .kinds())
        .isEmpty();
  }

  @Test
  void aProcessFollowsWhatItsFastReadsHaveShown() {
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .fast(1, 6, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.SESSION);
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .ok(0, 3, 4, append("y", 2))
                .fast(1, 5, 0, read("y", 2))
                .fast(1, 6, 0, read("x"))
                .kinds())
        .containsExactly(AnomalyKind.SESSION);
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .ok(0, 3, 4, append("y", 2))
                .fast(1, 5, 0, read("x", 1))
                .fast(1, 6, 0, read("y"))
                .kinds())
        .isEmpty();
    assertThat(
            lists()
                .at(0, 1, 90, 1, 4, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .fast(1, 6, 3, append("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.SESSION);
  }

  @Test
  void aReadOfTheFastPathShowsOneStateOfItsRow() {
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .ok(1, 3, 4, read("x", 1), append("y", 2))
                .fast(2, 9, 0, read("x"), read("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .ok(1, 3, 4, read("x", 1), append("y", 2))
                .fast(2, 9, 0, read("x", 1), read("y"))
                .fast(3, 9, 0, read("x"), read("y"))
                .kinds())
        .isEmpty();
    assertThat(
            registers()
                .ok(0, 1, 2, write("x", 1), write("y", 2))
                .ok(0, 3, 4, write("x", 3), write("y", 4))
                .fast(2, 9, 0, read("x", 1), read("y", 4))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  @Test
  void aConditionalWriteOfTheFastPathReadsWhatLiesBelowIt() {
    assertThat(
            lists()
                .fast(0, 1, 3, read("x"), append("x", 1))
                .fast(1, 2, 4, read("x", 1), append("x", 2))
                .kinds())
        .isEmpty();
    assertThat(
            lists()
                .fast(0, 1, 3, read("x"), append("x", 1))
                .fast(1, 2, 4, read("x"), append("x", 2))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void aRegularTransactionOverAFastWriteIsALostUpdate() {
    assertThat(
            registers()
                .fast(0, 2, 3, write("x", 1))
                .at(1, 1, 5, 1, 4, read("x"), write("x", 2))
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
  }

  @Test
  void anUnknownTransactionMayHaveCommittedWhereverItExplainsWhatWasSeen() {
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1), append("y", 10))
                .ok(1, 3, 0, read("x"), read("y"))
                .ok(2, 5, 0, read("x", 1), read("y", 10))
                .unknown(3, 1, append("z", 5))
                .ok(4, 7, 0, read("z"))
                .kinds())
        .isEmpty();
  }

  @Test
  void anUnknownTransactionThatIsSeenInPartIsReadSkew() {
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1), append("y", 10))
                .ok(1, 3, 0, read("x", 1), read("y"))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(
            registers()
                .unknown(0, 1, write("x", 1), write("y", 10))
                .ok(1, 3, 0, read("x", 1), read("y"))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  @Test
  void anUnknownTransactionThatVanishesAgainIsFound() {
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1))
                .ok(1, 3, 0, read("x", 1))
                .ok(2, 5, 0, read("x"))
                .kinds())
        .isNotEmpty();
    assertThat(
            registers()
                .unknown(0, 1, write("x", 1))
                .ok(1, 3, 0, read("x", 1))
                .ok(2, 5, 0, read("x"))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void aHistoryInWhichAnElementIsWrittenTwiceCannotBeJudged() {
    assertThatThrownBy(
            () -> lists().ok(0, 1, 2, append("x", 1)).ok(1, 3, 4, append("x", 1)).judge())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("element=1");
  }
}
