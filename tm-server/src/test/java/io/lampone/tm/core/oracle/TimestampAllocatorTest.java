package io.lampone.tm.core.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Timestamps;
import io.lampone.tm.core.ManualClock;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Trap D3, findings R10 and R12. */
final class TimestampAllocatorTest {

  private static final Duration AHEAD = Duration.ofSeconds(3);

  private final ManualClock clock = new ManualClock();
  private final long first = TimestampAllocator.firstAfter(0, clock);
  private final long bound = TimestampAllocator.boundAhead(first, AHEAD);
  private final TimestampAllocator allocator = new TimestampAllocator(clock, first, bound, AHEAD);

  @Test
  void beginsWithTheFirstTimestampAndCountsOnInTicks() {
    assertThat(first).isEqualTo(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS));
    assertThat(next()).isEqualTo(first);
    assertThat(next()).isEqualTo(first + Timestamps.TICK);
    clock.advance(Duration.ofMillis(5));
    assertThat(next()).isEqualTo(Timestamps.ceilingOfMillis(clock.wallMillis()));
  }

  @Test
  void countsOnFromTheLastOneUntilTheClockIsReadAgain() {
    long before = next();
    clock.advance(Duration.ofMillis(5));
    assertThat(allocator.next()).isEqualTo(before + Timestamps.TICK);
    assertThat(next()).isEqualTo(Timestamps.ceilingOfMillis(clock.wallMillis()));
  }

  @Test
  void neverGoesBackWhenTheWallClockStepsBackAWeek() {
    clock.advance(Duration.ofSeconds(1));
    long before = next();
    clock.stepWall(Duration.ofDays(-7));
    assertThat(next()).isEqualTo(before + Timestamps.TICK);
    assertThat(allocator.wantedBound()).isGreaterThanOrEqualTo(bound);
  }

  @Test
  void countsOnBelowTheBoundWhenTheWallClockHasRunPastIt() {
    long before = next();
    clock.advance(Duration.ofSeconds(3));
    assertThat(next()).isEqualTo(before + Timestamps.TICK);
    assertThat(allocator.needsExtension()).isTrue();
    allocator.extendTo(allocator.wantedBound());
    assertThat(allocator.needsExtension()).isFalse();
    assertThat(next()).isEqualTo(Timestamps.ceilingOfMillis(clock.wallMillis()));
  }

  @Test
  void blocksAreConsecutiveAndNotIssuedAgain() {
    long before = next();
    assertThat(allocator.block(5)).isEqualTo(5);
    assertThat(allocator.last()).isEqualTo(before + 5 * Timestamps.TICK);
    assertThat(allocator.next()).isEqualTo(before + 6 * Timestamps.TICK);
    assertThat(allocator.block(0)).isZero();
    assertThat(allocator.last()).isEqualTo(before + 6 * Timestamps.TICK);
  }

  /** However many blocks are requested, timestamps stay near the time of day. */
  @Test
  void blocksDoNotRunAwayFromTheWallClock() {
    next();
    for (int i = 0; i < 10_000; i++) {
      allocator.block(1024);
    }
    long ahead = allocator.last() - Timestamps.ceilingOfMillis(clock.wallMillis());
    assertThat(Duration.ofNanos(ahead)).isLessThan(Duration.ofMillis(101));
    assertThat(allocator.next()).isNotEqualTo(CommitTimestamps.NONE);
    clock.advance(Duration.ofMillis(50));
    allocator.readClock();
    assertThat(allocator.block(1024)).isEqualTo(1024);
  }

  @Test
  void aBlockEndsBelowTheBound() {
    TimestampAllocator tight =
        new TimestampAllocator(clock, first, first + 4 * Timestamps.TICK, AHEAD);
    tight.readClock();
    assertThat(tight.block(10)).isEqualTo(4);
    assertThat(tight.last()).isEqualTo(first + 3 * Timestamps.TICK);
    assertThat(tight.block(10)).isZero();
    assertThat(tight.next()).isEqualTo(CommitTimestamps.NONE);
  }

  @Test
  void issuesNothingAtTheBound() {
    TimestampAllocator tight =
        new TimestampAllocator(clock, first, first + 2 * Timestamps.TICK, AHEAD);
    assertThat(tight.next()).isEqualTo(first);
    assertThat(tight.next()).isEqualTo(first + Timestamps.TICK);
    assertThat(tight.next()).isEqualTo(CommitTimestamps.NONE);
    tight.extendTo(first + 3 * Timestamps.TICK);
    assertThat(tight.next()).isEqualTo(first + 2 * Timestamps.TICK);
  }

  @Test
  void aNewEpochBeginsAboveTheOldBoundEvenWhenTheClockIsWrong() {
    clock.stepWall(Duration.ofDays(-365));
    assertThat(TimestampAllocator.firstAfter(bound, clock)).isEqualTo(bound + Timestamps.TICK);
    clock.stepWall(Duration.ofDays(-365 * 60));
    assertThat(TimestampAllocator.firstAfter(0, clock)).isEqualTo(Timestamps.PLAIN_LIMIT);
  }

  @Test
  void aBoundThatGoesBackIsNoticed() {
    assertThatThrownBy(() -> allocator.extendTo(bound - Timestamps.TICK))
        .isInstanceOf(InvariantViolatedException.class);
  }

  @Test
  void strictlyIncreasesBelowTheBoundUnderAnyClock() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    long last = 0;
    for (int i = 0; i < 100_000; i++) {
      switch (random.nextInt(20)) {
        case 0 -> clock.stepWall(Duration.ofMillis(random.nextInt(20_000) - 10_000));
        case 1 -> clock.advance(Duration.ofMillis(random.nextInt(2_000)));
        case 2 -> allocator.extendTo(allocator.wantedBound());
        default -> {
          long next = next();
          if (next != CommitTimestamps.NONE) {
            assertThat(next).as("seed=%d", seed).isGreaterThan(last).isLessThan(allocator.bound());
            assertThat(Timestamps.isGlobal(next)).as("seed=%d", seed).isTrue();
            last = next;
          }
        }
      }
    }
  }

  /** The first timestamp of a frame. */
  private long next() {
    allocator.readClock();
    return allocator.next();
  }
}
