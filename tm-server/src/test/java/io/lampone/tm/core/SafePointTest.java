package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.tm.Hold;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The safe point that a primary raises by itself (protocol page, section 7; finding R8). */
final class SafePointTest {

  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration RENEW = Duration.ofMillis(500);
  private static final Duration STEP = Duration.ofMillis(250);
  private static final Duration RETENTION = Duration.ofSeconds(64);
  private static final Duration SAMPLE = RETENTION.dividedBy(SnapshotAges.SAMPLES);
  private static final Duration LONGEST_HOLD = Duration.ofMinutes(3);

  /** A sample and a renewal may lie between a snapshot's age and what is published. */
  private static final Duration LAG = SAMPLE.plus(RENEW).plus(STEP.multipliedBy(2));

  private final ManualClock clock = new ManualClock();
  private final SimulatedStore store = new SimulatedStore();

  @Test
  void aSnapshotIsBelowTheSafePointSoonAfterTheRetentionAndNotBefore() {
    ManagerNode node = elect("a");
    long snapshot = begin(node);
    begin(node);
    pass(node, RETENTION.minus(STEP));
    assertThat(published()).isLessThanOrEqualTo(snapshot);
    pass(node, LAG);
    assertThat(published()).isGreaterThan(snapshot);
  }

  @Test
  void whatIsPublishedIsRefusedBeforeAndNeverGoesBack() {
    ManagerNode node = elect("a");
    long highest = 0;
    for (int i = 0; i < 600; i++) {
      begin(node);
      pass(node, STEP);
      assertThat(published()).isGreaterThanOrEqualTo(highest);
      assertThat(node.safePoint()).isGreaterThanOrEqualTo(published());
      highest = published();
    }
    assertThat(highest).isPositive();
  }

  /** D2, D3: the wall clock may say what it likes. */
  @Test
  void noStepOfTheWallClockMakesASnapshotOldBeforeItsTime() {
    for (Duration step : List.of(Duration.ofDays(1), Duration.ofDays(-7), Duration.ofHours(1))) {
      ManagerNode node = elect("a" + step);
      pass(node, LONGEST_HOLD.plus(RETENTION).plus(LAG));
      long snapshot = begin(node);
      clock.stepWall(step);
      begin(node);
      pass(node, RETENTION.minus(STEP.multipliedBy(2)));
      assertThat(published()).as("step=%s", step).isLessThanOrEqualTo(snapshot);
      pass(node, LAG.plus(STEP));
      assertThat(published()).as("step=%s", step).isGreaterThan(snapshot);
      clock.advance(LEASE.multipliedBy(2));
    }
  }

  @Test
  void whateverTheClocksDoNoSnapshotYoungerThanTheRetentionIsLost() {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    record Snapshot(long timestamp, long nanos) {}
    Deque<Snapshot> young = new ArrayDeque<>();
    ManagerNode node = elect("a");
    for (int i = 0; i < 5_000; i++) {
      switch (random.nextInt(4)) {
        case 0 -> clock.stepWall(Duration.ofMillis(random.nextLong(-100_000, 100_000)));
        case 1 -> young.add(new Snapshot(begin(node), clock.monotonicNanos()));
        default -> pass(node, Duration.ofMillis(random.nextLong(500)));
      }
      long oldest = clock.monotonicNanos() - RETENTION.toNanos();
      young.removeIf(snapshot -> snapshot.nanos() <= oldest);
      if (!young.isEmpty()) {
        assertThat(node.safePoint())
            .as("seed=%s step=%s", seed, i)
            .isLessThanOrEqualTo(young.peek().timestamp());
      }
    }
    assertThat(published()).as("seed=%s", seed).isPositive();
  }

  @Test
  void theSmallestHoldHoldsItBackUntilItIsReleasedOrExpires() {
    ManagerNode node = elect("a");
    long first = begin(node);
    long second = begin(node);
    node.holds().hold("me", "first", first, LONGEST_HOLD);
    node.holds().hold("me", "second", second, LONGEST_HOLD);
    begin(node);
    pass(node, RETENTION.plus(LAG));
    assertThat(published()).isEqualTo(first);
    node.holds().release("me", "first");
    pass(node, LAG);
    assertThat(published()).isEqualTo(second);
    pass(node, LONGEST_HOLD.minus(RETENTION));
    assertThat(published()).isGreaterThan(second);
  }

  @Test
  void aHoldEndsOnceItsSnapshotIsADayOld_thoughItsOwnerRenewsIt_andAnAdministratorsLater() {
    ManagerNode node = elect("a");
    long snapshot = begin(node);
    node.holds().hold("shop/me", "report", snapshot, LONGEST_HOLD);
    node.holds().hold("root/me", "export", snapshot, LONGEST_HOLD, true);
    long now = snapshot;
    while (now - snapshot <= Holds.LONGEST.toNanos()) {
      node.holds().renew("shop/me", "report", LONGEST_HOLD, false);
      node.holds().renew("root/me", "export", LONGEST_HOLD, true);
      pass(node, LONGEST_HOLD.dividedBy(2));
      now = begin(node);
    }
    assertTooOld(() -> node.holds().renew("shop/me", "report", LONGEST_HOLD, false));
    assertTooOld(() -> node.holds().hold("shop/me", "again", snapshot, LONGEST_HOLD));
    node.holds().renew("root/me", "export", LONGEST_HOLD, true);
    pass(node, LONGEST_HOLD.dividedBy(2));
    assertThat(node.holds().list()).extracting(Hold::owner).containsExactly("root/me");
    assertThat(published()).isEqualTo(snapshot);
    pass(node, LONGEST_HOLD);
    assertThat(node.holds().list()).isEmpty();
    assertThat(published()).isGreaterThan(snapshot);
  }

  private static void assertTooOld(ThrowingCallable hold) {
    assertThatThrownBy(hold)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("too old to be held any longer: read from a newer one");
  }

  /** A hold that is no snapshot would have to become the safe point, and cannot. */
  @Test
  void nothingButASnapshotCanBeHeld() {
    ManagerNode node = elect("a");
    long snapshot = begin(node);
    for (long bad : new long[] {5, snapshot + 1, snapshot + 256, -256, Long.MIN_VALUE}) {
      assertThatThrownBy(() -> node.holds().hold("me", "bad", bad, LONGEST_HOLD))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void afterAnUnplannedTakeoverItRestsForTheLongestLifetimeOfAHold() {
    ManagerNode first = elect("a");
    begin(first);
    pass(first, RETENTION.plus(LAG));
    begin(first);
    pass(first, LAG);
    long before = published();
    assertThat(before).isPositive();
    ManagerNode second = elect("b");
    long snapshot = begin(second);
    begin(second);
    pass(second, LONGEST_HOLD.minus(STEP.multipliedBy(4)));
    assertThat(published()).isEqualTo(before);
    CompletableFuture<Long> byHand = second.advanceSafePoint(snapshot);
    assertThatThrownBy(byHand::get)
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("holds may still be wanted");
    pass(second, LAG.plus(STEP.multipliedBy(4)));
    assertThat(published()).isGreaterThan(snapshot);
  }

  private long published() {
    return store.record().safePoint();
  }

  private ManagerNode elect(String name) {
    ManagerSettings settings =
        new ManagerSettings(
            name,
            name + ":1",
            LEASE,
            RENEW,
            Duration.ofSeconds(5),
            100,
            100,
            10,
            new Retention(RETENTION, LONGEST_HOLD),
            Proofs.OPEN);
    ManagerNode node = new ManagerNode(settings, store, clock, Runnable::run, new IdleListener());
    while (node.leading().isEmpty()) {
      node.tick();
      store.settle();
      clock.advance(STEP);
    }
    return node;
  }

  private void pass(ManagerNode node, Duration duration) {
    for (Duration left = duration; left.compareTo(Duration.ZERO) > 0; left = left.minus(STEP)) {
      clock.advance(left.compareTo(STEP) < 0 ? left : STEP);
      node.tick();
      store.settle();
    }
  }

  private static long begin(ManagerNode node) {
    WireReply reply =
        Exchange.with(node::handle, List.of(new WireRequest.Begin(1))).replies().get(0);
    return ((WireReply.Begun) reply).begin().startTimestamp();
  }
}
