package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.HistoryTransaction.Freshness;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * SESSION and LATEST transactions promise one state and what their own process knows; they may miss
 * what others committed a moment ago.
 */
final class FreshnessTest {

  private static final long SECOND = 1_000_000_000L;

  /** A commit of both keys, acknowledged at time 3. */
  private static HandMade both() {
    return lists().ok(0, 1, 3, append("x", 1), append("y", 10));
  }

  @Test
  void aLatestReadOfOneStateIsCleanAndNeedsNoSnapshot() {
    assertThat(latest(both(), 1, 9, read("x", 1), read("y", 10)).kinds()).isEmpty();
    assertThat(latest(both(), 1, 2, read("x"), read("y")).kinds()).isEmpty();
    assertThat(both().at(1, 9, 9, 0, 0, read("x", 1), read("y", 10)).kinds())
        .as("only a latest transaction may")
        .containsExactly(AnomalyKind.TIMESTAMP);
  }

  @Test
  void aLatestReadThatMixesTwoStatesIsFound() {
    assertThat(latest(both(), 1, 9, read("x"), read("y", 10)).kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(latest(both(), 1, 9, read("x", 1), read("y")).kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(
            latest(
                    registers()
                        .ok(0, 1, 3, write("x", 1), write("y", 2))
                        .ok(0, 4, 5, write("x", 3), write("y", 4)),
                    1,
                    9,
                    read("x", 1),
                    read("y", 4))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    // Two commits of which it has seen the later one only.
    assertThat(
            latest(
                    lists().ok(0, 1, 3, append("x", 1)).ok(1, 4, 5, append("y", 10)),
                    2,
                    9,
                    read("x"),
                    read("y", 10))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(latest(both(), 1, 9, read("x", 1), read("x")).kinds())
        .as("a key twice")
        .contains(AnomalyKind.READ_SKEW);
  }

  @Test
  void whatAFailedTransactionHasReadIsJudged() {
    for (long start : new long[] {0, 8}) {
      HandMade half = both().failedAt(1, 9, start, read("x", 1), read("y"), append("x", 7));
      HandMade all =
          both().failedAt(1, 9, start, read("x", 1), append("x", 7), read("x", 1), read("y", 10));
      Freshness freshness = start == 0 ? Freshness.LATEST : Freshness.STRICT;
      assertThat(half.fresh(freshness).kinds()).containsExactly(AnomalyKind.READ_SKEW);
      assertThat(all.fresh(freshness).kinds()).as("aborted by another client").isEmpty();
    }
  }

  @Test
  void aFailedLatestTransactionThatFoundNothingIsJudged() {
    HandMade unknown = both().unknown(8, 2, append("x", 2)).ok(2, 9, 0, read("x", 1, 2));
    for (HandMade before : List.of(both(), unknown)) {
      before.failedAt(1, 4, 0, read("x"), append("x", 7), read("y"));
      assertThat(before.fresh(Freshness.LATEST).kinds()).isEmpty();
    }
    HandMade late = both().failedAt(1, SECOND / 2 + 4, 0, read("x"), read("y"));
    assertThat(late.fresh(Freshness.LATEST).kinds()).containsExactly(AnomalyKind.STALE_READ);
  }

  @Test
  void aLatestReadMayMissForHalfASecondWhatOthersCommitted() {
    assertThat(latest(both(), 1, SECOND / 2, read("x"), read("y")).kinds()).isEmpty();
    assertThat(latest(both(), 1, SECOND / 2 + 4, read("x"), read("y")).kinds())
        .containsExactly(AnomalyKind.STALE_READ);
    assertThat(
            latest(
                    lists().at(0, 1, SECOND, 1, 3, append("x", 1)),
                    1,
                    SECOND + SECOND / 4,
                    read("x"))
                .kinds())
        .as("acknowledged late")
        .isEmpty();
  }

  @Test
  void aLatestReadThatMissesWhatItsOwnProcessKnowsIsFound() {
    assertThat(latest(both(), 0, 9, read("x"), read("y")).kinds())
        .containsExactly(AnomalyKind.SESSION);
    assertThat(latest(both().ok(1, 5, 0, read("x", 1)), 1, 9, read("y")).kinds())
        .containsExactly(AnomalyKind.SESSION);
    HandMade back = latest(both(), 1, 8, read("x", 1), read("y", 10));
    assertThat(latest(back, 1, 9, read("y")).kinds()).containsExactly(AnomalyKind.SESSION);
  }

  /** Its versions lie below every snapshot that is taken later. */
  @Test
  void whatALatestReadHasShownBindsWhoBeginsLater() {
    HandMade shown = latest(lists().at(0, 1, 90, 1, 5, append("x", 1)), 1, 9, read("x", 1));
    assertThat(shown.at(2, 10, 11, 4, 0, read("x")).kinds()).containsExactly(AnomalyKind.REAL_TIME);
  }

  @Test
  void aLatestTransactionThatTookASnapshotIsJudgedByIt() {
    assertThat(withSnapshot(2, read("x"), read("y")).kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    assertThat(withSnapshot(8, read("x"), read("y", 10)).kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(withSnapshot(8, read("x", 1), read("y", 10)).kinds()).isEmpty();
  }

  private static HandMade withSnapshot(long start, Operation... operations) {
    return both().at(1, 8, 9, start, 0, operations).fresh(Freshness.LATEST);
  }

  @Test
  void aLatestReadOfWhatNeverWasIsFound() {
    assertThat(latest(lists().failed(0, 1, append("x", 1)), 1, 9, read("x", 1)).kinds())
        .containsExactly(AnomalyKind.ABORTED_READ);
    assertThat(
            latest(
                    lists().ok(0, 1, 3, append("x", 1)).ok(0, 4, 5, append("x", 2)),
                    1,
                    9,
                    read("x", 2))
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
  }

  @Test
  void aSessionMayMissForASecondWhatOthersCommitted() {
    assertThat(session(1, SECOND, 2, read("x"), read("y")).kinds()).isEmpty();
    assertThat(session(1, SECOND + 4, 2, read("x"), read("y")).kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    assertThat(both().at(1, 9, 9, 2, 0, read("x"), read("y")).kinds())
        .as("strict")
        .containsExactly(AnomalyKind.REAL_TIME);
  }

  @Test
  void aSessionThatMissesItsOwnCommitIsFound() {
    assertThat(session(0, 9, 2, read("x"), read("y")).kinds()).containsExactly(AnomalyKind.SESSION);
    // A snapshot sees the commits below it, and not one at it.
    assertThat(session(0, 9, 3, read("x"), read("y")).kinds()).containsExactly(AnomalyKind.SESSION);
    assertThat(session(0, 9, 4, read("x", 1), read("y", 10)).kinds()).isEmpty();
    // Its snapshot is right, and its read is not.
    assertThat(session(0, 9, 8, read("x"), read("y", 10)).kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
    assertThat(session(0, 9, 8, read("x"), read("y")).kinds())
        .containsExactly(AnomalyKind.STALE_READ);
    assertThat(session(0, 9, 8, read("x", 1), read("y", 10)).kinds()).isEmpty();
  }

  @Test
  void aSessionThatMixesTwoStatesIsFound() {
    assertThat(session(1, 9, 2, read("x"), read("y", 10)).kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  @Test
  void aSessionThatOverwritesWhatItMissedIsALostUpdate() {
    assertThat(
            registers()
                .ok(0, 1, 3, write("x", 1))
                .at(1, 8, 9, 2, 9, write("x", 2))
                .fresh(Freshness.SESSION)
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
  }

  @Test
  void anUnknownOutcomeCommitsWhereBothReadersAreRight() {
    HandMade seen =
        latest(
            lists()
                .unknown(8, 1, append("x", 1), append("y", 10))
                .at(1, 5, 6, 4, 0, read("x"))
                .fresh(Freshness.SESSION),
            2,
            7,
            read("x", 1),
            read("y", 10));
    assertThat(seen.kinds()).isEmpty();
    assertThat(
            latest(
                    lists().unknown(8, 1, append("x", 1), append("y", 10)),
                    2,
                    7,
                    read("x", 1),
                    read("y"))
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  private static HandMade latest(HandMade before, int process, long time, Operation... operations) {
    return before.at(process, time, time, 0, 0, operations).fresh(Freshness.LATEST);
  }

  /** A commit of both keys, and a transaction that began later. */
  private static HandMade session(int process, long time, long start, Operation... operations) {
    return both().at(process, time, time, start, 0, operations).fresh(Freshness.SESSION);
  }

  @Test
  void aWriterOnASnapshotAtHandMayMissOthersButNoUpdate() {
    HandMade other = both();
    assertThat(
            other.at(1, SECOND / 2, SECOND, 2, 7, append("z", 5)).fresh(Freshness.SESSION).kinds())
        .isEmpty();
    assertThat(
            both()
                .at(1, 2 * SECOND, 3 * SECOND, 2, 7, append("z", 5))
                .fresh(Freshness.SESSION)
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    assertThat(
            registers()
                .ok(0, 1, 3, write("x", 1))
                .at(1, SECOND / 2, SECOND, 2, 7, write("x", 5))
                .fresh(Freshness.SESSION)
                .kinds())
        .containsExactly(AnomalyKind.LOST_UPDATE);
  }
}
