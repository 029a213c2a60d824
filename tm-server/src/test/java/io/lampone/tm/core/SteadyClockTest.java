package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The time of timestamps when the wall clock does what it should not. */
final class SteadyClockTest {

  private static final Duration TICK = Duration.ofMillis(10);

  private final ManualClock real = new ManualClock();
  private final SteadyClock clock = new SteadyClock(real);

  @Test
  void itGoesWithAWallClockThatIsRight() {
    pass(Duration.ofHours(1));
    assertThat(clock.wallMillis()).isEqualTo(real.wallMillis());
    assertThat(clock.aheadMillis()).isZero();
  }

  @Test
  void aStepAheadIsNotFollowedNeitherAtOnceNorLater() {
    real.stepWall(Duration.ofDays(1));
    assertThat(clock.wallMillis()).isEqualTo(ManualClock.START_MILLIS);
    pass(Duration.ofHours(1));
    assertThat(clock.wallMillis()).isEqualTo(ManualClock.START_MILLIS + 3_600_000);
    assertThat(clock.aheadMillis()).isEqualTo(Duration.ofDays(1).toMillis());
    real.stepWall(Duration.ofDays(-1));
    assertThat(clock.wallMillis()).isEqualTo(real.wallMillis());
  }

  @Test
  void aStepBackIsFollowedSlowly() {
    real.stepWall(Duration.ofDays(-7));
    assertThat(clock.wallMillis()).isEqualTo(ManualClock.START_MILLIS);
    pass(Duration.ofSeconds(1000));
    // 500 millionths of 1,000 s
    assertThat(clock.wallMillis()).isEqualTo(ManualClock.START_MILLIS + 1_000_000 - 500);
  }

  @Test
  void aSmallDifferenceIsMadeUpForSlowly() {
    real.stepWall(Duration.ofMillis(900));
    pass(Duration.ofSeconds(1000));
    assertThat(clock.wallMillis()).isEqualTo(ManualClock.START_MILLIS + 1_000_000 + 500);
    pass(Duration.ofSeconds(1000));
    assertThat(clock.wallMillis()).isEqualTo(real.wallMillis());
  }

  @Test
  void itGoesOnAfterALongPauseWithoutTicks() {
    real.advance(Duration.ofMinutes(10));
    assertThat(clock.wallMillis()).isEqualTo(real.wallMillis());
  }

  /** A value with a time to live of an hour was gone within three seconds. */
  @Test
  void aPrimaryWhoseWallClockStepsADayAheadIssuesNoTimestampOfTomorrow() {
    SimulatedStore store = new SimulatedStore();
    ManagerSettings settings =
        new ManagerSettings(
            "a",
            "a:1",
            Duration.ofSeconds(2),
            Duration.ofMillis(500),
            Duration.ofSeconds(5),
            100,
            100,
            10,
            Retention.DEFAULT,
            Proofs.OPEN);
    ManagerNode node = new ManagerNode(settings, store, real, Runnable::run, new IdleListener());
    tick(node, store);
    real.stepWall(Duration.ofDays(1));
    for (int i = 0; i < 20; i++) {
      real.advance(Duration.ofMillis(250));
      tick(node, store);
    }
    WireReply reply =
        Exchange.with(node::handle, List.of(new WireRequest.Begin(1))).replies().get(0);
    long start = ((WireReply.Begun) reply).begin().startTimestamp();
    assertThat(start).isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 6_000));
    assertThat(store.record().bound())
        .isLessThan(Timestamps.ceilingOfMillis(ManualClock.START_MILLIS + 15_000));
    assertThat(node.trust().steppedMillis()).isEqualTo(Duration.ofDays(1).toMillis());
  }

  private static void tick(ManagerNode node, SimulatedStore store) {
    node.tick();
    store.settle();
  }

  private void pass(Duration duration) {
    for (long i = duration.dividedBy(TICK); i > 0; i--) {
      real.advance(TICK);
      clock.tick();
    }
  }
}
