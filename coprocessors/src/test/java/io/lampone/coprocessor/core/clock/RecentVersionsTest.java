package io.lampone.coprocessor.core.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What is said of a row's versions may be too high, and is never too low. */
public class RecentVersionsTest {

  private static final long OPENED = 1_000;
  private static final int ROWS = 20_000; // several for each slot
  private static final int DRAWS = 50_000;

  private final RecentVersions recent = new RecentVersions();

  @Test
  void neverTooLowAndExactForWhoDrewLast() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    recent.openedBelow(OPENED);
    Map<Integer, Long> drawn = new HashMap<>();
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < DRAWS; i++) {
      // Nearly in order: under different locks a later version may be noted first.
      long version = OPENED + 10L * i + random.nextInt(40);
      int row = random.nextInt(ROWS);
      drawn.merge(row, version, Math::max);
      order.add(row);
      recent.drawn(row(row), version);
      if (i % 100 == 0) {
        assertThat(recent.bornUpTo(row(row))).isGreaterThanOrEqualTo(drawn.get(row));
      }
    }
    int exact = 0;
    for (int row = 0; row < ROWS; row++) {
      long highest = drawn.getOrDefault(row, 0L);
      assertThat(recent.bornUpTo(row(row)))
          .as("seed=%d row=%d", seed, row)
          .isGreaterThanOrEqualTo(Math.max(highest, OPENED));
      for (long above :
          new long[] {0, OPENED, highest - 1, highest, highest + 1, OPENED + 250_000}) {
        long born = recent.bornAbove(row(row), above);
        if (born == 0) {
          assertThat(highest).as("seed=%d row=%d", seed, row).isLessThanOrEqualTo(above);
        } else if (born != RecentVersions.UNKNOWN) {
          assertThat(born).as("seed=%d row=%d", seed, row).isEqualTo(highest);
        }
      }
      exact += highest != 0 && recent.bornAbove(row(row), 0) == highest ? 1 : 0;
    }
    assertThat(exact).as("rows that are known, of those that drew last").isGreaterThan(4_000);
    int last = order.get(order.size() - 1);
    assertThat(recent.bornUpTo(row(last))).isGreaterThanOrEqualTo(drawn.get(last));
  }

  @Test
  void afterAWriteThatMayHaveBeenRolledBackOnlyTheCellsCanTell() {
    recent.openedBelow(OPENED);
    recent.drawn(row(1), OPENED + 10);
    recent.doubt(row(1));
    assertThat(recent.bornAbove(row(1), OPENED)).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornAbove(row(1), OPENED + 10)).isZero();
    assertThat(recent.bornUpTo(row(1))).isGreaterThanOrEqualTo(OPENED + 10);
    recent.drawn(row(1), OPENED + 20);
    assertThat(recent.bornAbove(row(1), OPENED)).isEqualTo(OPENED + 20);
  }

  @Test
  void whatWasDrawnForARowStaysKnownWhenAnOlderVersionOfAnotherRowIsNotedLater() {
    recent.openedBelow(OPENED);
    Bytes first = row(0);
    Bytes second = sharing(first);
    recent.drawn(first, OPENED + 20);
    recent.drawn(second, OPENED + 10);
    assertThat(recent.bornAbove(first, OPENED)).isEqualTo(OPENED + 20);
    assertThat(recent.bornAbove(second, OPENED + 9)).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornAbove(second, OPENED + 10)).isZero();
    recent.drawn(second, OPENED + 30);
    assertThat(recent.bornAbove(first, OPENED + 19)).isEqualTo(RecentVersions.UNKNOWN);
    assertThat(recent.bornAbove(first, OPENED + 20)).isZero();
    assertThat(recent.bornUpTo(second)).isEqualTo(OPENED + 30);
  }

  /** Another row of the same slot. */
  public static Bytes sharing(Bytes row) {
    for (int i = 1; ; i++) {
      RecentVersions probe = new RecentVersions();
      probe.openedBelow(1);
      probe.drawn(row, 3);
      probe.drawn(row(i), 2);
      if (probe.bornAbove(row(i), 1) == RecentVersions.UNKNOWN) {
        return row(i);
      }
    }
  }

  private static Bytes row(int number) {
    return Bytes.utf8("row" + number);
  }
}
