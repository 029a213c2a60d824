package io.lampone.coprocessor.core.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The clock from which versions are drawn. */
class LocalVersionClockTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  @Test
  void aVersionIsAboveEverythingThatTheClockHasSeen() {
    LocalVersionClock clock = new LocalVersionClock();
    clock.bump(t(5));
    assertThat(clock.next(0)).isEqualTo(t(5) + 128);
    assertThat(clock.next(0)).isEqualTo(t(5) + 129);
    clock.bump(t(5) + 200);
    assertThat(clock.next(0)).isEqualTo(t(5) + 201);
    clock.bump(t(3));
    assertThat(clock.next(0)).isEqualTo(t(5) + 202);
    assertThat(clock.next(t(7))).isEqualTo(t(7) + 128);
    assertThat(clock.current()).isEqualTo(t(7) + 128);
  }

  @Test
  void aClockThatHasSeenNothingDrawsNothing() {
    LocalVersionClock clock = new LocalVersionClock();
    assertThat(clock.next(0)).isEqualTo(LocalVersionClock.EXHAUSTED);
    assertThat(clock.current()).isZero();
  }

  @Test
  void anOldTickIsDiscarded() { // H4b
    LocalVersionClock clock = new LocalVersionClock(1);
    clock.supply(new long[] {t(1), t(2), t(3)});
    clock.bump(t(4));
    assertThat(clock.next(0)).isEqualTo(t(4) + 128);
    assertThat(clock.next(0)).isEqualTo(LocalVersionClock.EXHAUSTED);
    clock.supply(new long[] {t(4), t(6)});
    assertThat(clock.next(0)).isEqualTo(t(6) + 128);
  }

  @Test
  void theClockMovesWithItsSupplyThoughNobodyDraws() { // H13
    LocalVersionClock clock = new LocalVersionClock();
    clock.supply(new long[] {t(1)});
    clock.supply(new long[] {t(4_000_000)});
    assertThat(Timestamps.tick(clock.next(0))).isEqualTo(t(4_000_000));
  }

  @Test
  void ticksAreAskedForBeforeTheyHaveRunOut() {
    AtomicInteger asked = new AtomicInteger();
    LocalVersionClock clock = new LocalVersionClock();
    clock.onNeed(asked::incrementAndGet);
    clock.supply(new long[] {t(1), t(2), t(3), t(4)});
    int drawn = 0;
    while (asked.get() == 0) {
      assertThat(clock.next(0)).isNotEqualTo(LocalVersionClock.EXHAUSTED);
      drawn++;
    }
    assertThat(drawn).isBetween(64, 3 * 128);
    int left = 0;
    while (clock.next(0) != LocalVersionClock.EXHAUSTED) {
      left++;
    }
    assertThat(left).isGreaterThanOrEqualTo(128);
  }

  /** E3, with few local numbers, so that they run out all the time. */
  @Test
  void noVersionHasATickThatWasNotIssued() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int localNumbers : new int[] {1, 2, 4, 128}) {
      LocalVersionClock clock = new LocalVersionClock(localNumbers);
      long issued = t(0);
      long last = 0;
      for (int i = 0; i < 20_000; i++) {
        switch (random.nextInt(6)) {
          case 0 -> {
            long[] ticks = new long[1 + random.nextInt(4)];
            for (int k = 0; k < ticks.length; k++) {
              issued += Timestamps.TICK * (1 + random.nextInt(2));
              ticks[k] = issued;
            }
            if (random.nextBoolean()) {
              issued += Timestamps.TICK;
              clock.bump(issued); // a snapshot that overtakes the reply
            }
            clock.supply(ticks);
          }
          case 1 -> clock.bump(Math.max(t(0), issued - random.nextInt(2_000)));
          default -> {
            long drawn = clock.next(random.nextBoolean() ? 0 : issued);
            if (drawn != LocalVersionClock.EXHAUSTED) {
              assertThat(drawn).as("seed=%d", seed).isGreaterThan(last);
              assertThat(Timestamps.tick(drawn)).as("seed=%d", seed).isLessThanOrEqualTo(issued);
              assertThat(Timestamps.local(drawn) - 128)
                  .as("seed=%d", seed)
                  .isBetween(0, localNumbers - 1);
              last = drawn;
            }
          }
        }
      }
      assertThat(last).isPositive();
    }
  }

  @Test
  void manyWritersNeverDrawTheSameVersion() throws Exception {
    LocalVersionClock clock = new LocalVersionClock(4);
    int threads = 4;
    int each = 20_000;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Long>>> parts = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        parts.add(pool.submit(() -> draw(clock, each)));
      }
      long issued = t(0);
      while (!parts.stream().allMatch(Future::isDone)) {
        clock.supply(new long[] {issued += 256, issued += 256, issued += 256});
      }
      Set<Long> all = new HashSet<>();
      for (Future<List<Long>> part : parts) {
        assertThat(part.get()).isSorted();
        all.addAll(part.get());
      }
      assertThat(all).hasSize(threads * each);
    } finally {
      pool.shutdownNow();
    }
  }

  private static List<Long> draw(LocalVersionClock clock, int count) {
    List<Long> drawn = new ArrayList<>();
    while (drawn.size() < count) {
      long version = clock.next(0);
      if (version != LocalVersionClock.EXHAUSTED) {
        drawn.add(version);
      } else {
        Thread.onSpinWait();
      }
    }
    return drawn;
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
