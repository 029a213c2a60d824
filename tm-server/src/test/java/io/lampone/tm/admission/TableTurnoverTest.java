package io.lampone.tm.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TableTurnoverTest {

  private static final int CONFLICTS = 1_024;
  private static final int DECISIONS = 128;
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final TableTurnover turnover =
      new TableTurnover(CONFLICTS, DECISIONS, Duration.ofSeconds(10));
  private long now = 123 * SECOND;

  @Test
  void aSinglePrincipal_isNeverRefused() {
    for (int i = 0; i < 100; i++) {
      assertThat(admit("t", "one", 1, 500)).isZero();
    }
  }

  @Test
  void theLargest_isRefusedWhenTheTableWouldTurnOver_andOthersAreNot() {
    assertThat(admit("t", "flood", 2, 980)).isZero();
    assertThat(admit("t", "modest", 1, 40)).isZero();
    assertThat(admit("t", "flood", 1, 20)).isEqualTo(1_000);
    for (int i = 0; i < 20; i++) {
      assertThat(admit("t", "modest", 1, 40)).isZero();
    }
  }

  /** A monotonic clock may be below zero. */
  @Test
  void belowZero_isTimeLikeAnyOther() {
    now = -25 * SECOND;
    theLargest_isRefusedWhenTheTableWouldTurnOver_andOthersAreNot();
    now += 11 * SECOND;
    assertThat(admit("t", "flood", 1, 20)).isZero();
  }

  @Test
  void decisionsWithoutHashes_count() {
    assertThat(admit("t", "modest", 1, 0)).isZero();
    for (int i = 0; i < DECISIONS - 1; i++) {
      assertThat(admit("t", "flood", 1, 0)).isZero();
    }
    assertThat(admit("t", "flood", 1, 0)).isPositive();
  }

  @Test
  void framesWithoutValidations_areFree() {
    admit("t", "modest", 1, 40);
    admit("t", "flood", 1, 2_000);
    assertThat(admit("t", "flood", 0, 0)).isZero();
  }

  /** Several principals of one tenant are one party; so many names are of no use. */
  @Test
  void theLargestTenant_isRefused_byItsLargestPrincipal() {
    for (int i = 0; i < 10; i++) {
      admit("many", "p" + i, 1, 60);
    }
    admit("one", "alone", 1, 350);
    assertThat(admit("many", "p3", 1, 100)).isPositive();
    assertThat(admit("one", "alone", 1, 100)).isZero();
    assertThat(admit("many", "new", 1, 10)).isZero();
  }

  @Test
  void whatIsOlderThanTheAge_isForgotten() {
    admit("t", "modest", 1, 40);
    admit("t", "flood", 1, 950);
    now += 9 * SECOND;
    admit("t", "modest", 1, 40);
    assertThat(admit("t", "flood", 1, 20)).isPositive();
    now += SECOND;
    assertThat(admit("t", "flood", 1, 20)).isZero();
    now += 1_000 * SECOND;
    assertThat(admit("t", "flood", 1, 950)).isZero();
  }

  @Test
  void withoutAnAge_nothingIsRefused() {
    TableTurnover unlimited = new TableTurnover(CONFLICTS, DECISIONS, Duration.ZERO);
    unlimited.admit("t", "modest", 1, 1, now);
    for (int i = 0; i < 10; i++) {
      assertThat(unlimited.admit("t", "flood", 50, 900, now)).isZero();
    }
  }

  /** However the parties behave, one that keeps to an equal part is never refused. */
  @Test
  void aPartyWithinItsEqualPart_isNeverRefused() {
    long seed = Long.getLong("lampone.test.seed", 20261124);
    Random random = new Random(seed);
    int parties = 4;
    double[] lately = new double[10];
    for (int i = 0; i < 20_000; i++) {
      if (random.nextInt(20) == 0) {
        now += SECOND;
        lately[(int) (now / SECOND % 10)] = 0;
      }
      int hashes = random.nextInt(100);
      admit("t", "p" + random.nextInt(parties), 1, hashes * 3L);
      double mine = 0;
      for (double one : lately) {
        mine += one;
      }
      // Its frame is counted whole: below the part even with it.
      if (mine + hashes < CONFLICTS / (parties + 1.0)) {
        assertThat(admit("t", "modest", 1, hashes)).as("seed=" + seed).isZero();
        lately[(int) (now / SECOND % 10)] += Math.max(hashes, CONFLICTS / DECISIONS);
      }
    }
  }

  private int admit(String tenant, String principal, int validations, long hashes) {
    return turnover.admit(tenant, principal, validations, hashes, now);
  }
}
