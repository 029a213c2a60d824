package io.lampone.client.core.hold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.SnapshotHoldCalls;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.SnapshotHolds;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What keeps the snapshots of long transactions readable (protocol page, section 7). */
final class HoldKeeperTest {

  private static final Grant GRANT = Proofs.OPEN.grant(512, 0);

  private static final Duration RETENTION = Duration.ofSeconds(60);
  private static final Duration LONGEST = Duration.ofSeconds(30);
  private static final Duration FOREVER = Duration.ofDays(1);

  private final FakeClock clock = new FakeClock();
  private final FakeManager manager = new FakeManager();
  private final HoldKeeper keeper = new HoldKeeper(new SnapshotHoldCalls(manager), clock);

  @Test
  void shortTransactionsAskNothing() {
    for (int i = 0; i < 100; i++) {
      HoldTicket ticket = begin(512);
      pass(Duration.ofMillis(100));
      keeper.ended(ticket);
    }
    assertThat(manager.asked).isEmpty();
  }

  @Test
  void aTransactionOlderThanHalfTheRetentionIsHeldUntilItEnds() {
    HoldTicket ticket = begin(512);
    pass(RETENTION.dividedBy(2).minusSeconds(1));
    assertThat(manager.held).isEmpty();
    assertThat(manager.asked).containsExactly("terms");
    pass(Duration.ofSeconds(3));
    assertThat(manager.held.values()).containsExactly(512L);
    pass(LONGEST.multipliedBy(5));
    assertThat(manager.held.values()).containsExactly(512L);
    assertThat(manager.longestGap).isLessThan(LONGEST);
    keeper.ended(ticket);
    pass(Duration.ofSeconds(2));
    assertThat(manager.held).isEmpty();
  }

  @Test
  void oneHoldCoversAllAndMovesWithTheOldestWithoutAGap() {
    List<HoldTicket> tickets = new ArrayList<>();
    for (int i = 2; i < 300; i++) {
      tickets.add(begin(256L * i));
    }
    pass(RETENTION);
    assertThat(manager.held.values()).containsExactly(512L);
    for (int i = 0; i < 5; i++) {
      keeper.ended(tickets.get(i));
      pass(Duration.ofSeconds(5));
      assertThat(manager.held.values()).containsExactly(512 + 256L * (i + 1));
    }
    assertThat(manager.mostAtATime).isEqualTo(2);
    assertThat(manager.wasEmptyBetween).isFalse();
  }

  @Test
  void aHoldThatHasDiedWithItsManagerIsTakenAnew() {
    begin(512);
    pass(RETENTION);
    manager.held.clear();
    pass(LONGEST);
    assertThat(manager.held.values()).containsExactly(512L);
  }

  @Test
  void whileTheManagerIsAwayItIsAskedAgainAndAgainButNotAllTheTime() {
    begin(512);
    pass(RETENTION.dividedBy(4));
    manager.away = true;
    pass(RETENTION);
    assertThat(manager.asked).hasSizeLessThan(100);
    manager.away = false;
    pass(Duration.ofSeconds(5));
    assertThat(manager.held.values()).containsExactly(512L);
  }

  /** M9: absent is no proof of abort, so its leader must stay for a while. */
  @Test
  void aTransactionInDoubtKeepsItsHoldForARetention() {
    HoldTicket ticket = begin(512);
    pass(RETENTION);
    assertThat(keeper.ofDoubtful(512)).isEqualTo(Proof.NONE);
    keeper.inDoubt(ticket, GRANT);
    pass(RETENTION.minusSeconds(5));
    assertThat(manager.held.values()).containsExactly(512L);
    assertThat(keeper.ofDoubtful(512)).isEqualTo(GRANT);
    assertThat(keeper.ofDoubtful(768)).isEqualTo(Proof.NONE);
    pass(Duration.ofSeconds(10));
    assertThat(manager.held).isEmpty();
    assertThat(keeper.ofDoubtful(512)).isEqualTo(Proof.NONE);
  }

  /** As a rule it is known only when the last question has timed out. */
  @Test
  void aTransactionThatIsInDoubtAfterItsDeadlineIsHeldForARetentionAllTheSame() {
    HoldTicket ticket = keeper.begun(512, Duration.ZERO, clock.nanos + RETENTION.toNanos());
    pass(RETENTION.plusSeconds(2));
    keeper.inDoubt(ticket, GRANT);
    pass(RETENTION.minusSeconds(5));
    assertThat(manager.held.values()).containsExactly(512L);
    pass(Duration.ofSeconds(10));
    assertThat(manager.held).isEmpty();
  }

  @Test
  void aTransactionWhoseCommitIsUnderWayIsHeldBeyondItsDeadline() {
    HoldTicket ticket = keeper.begun(512, Duration.ZERO, clock.nanos + RETENTION.toNanos());
    pass(RETENTION.minusSeconds(1));
    keeper.ending(ticket);
    pass(RETENTION);
    keeper.inDoubt(ticket, GRANT);
    assertThat(manager.wasEmptyBetween).isFalse();
    pass(RETENTION.minusSeconds(5));
    assertThat(manager.held.values()).containsExactly(512L);
    pass(Duration.ofSeconds(10));
    assertThat(manager.held).isEmpty();
  }

  @Test
  void whatIsInDoubtWhenAllIsClosedIsNotHeldAgain() {
    HoldTicket ticket = begin(512);
    pass(RETENTION);
    start(keeper.close()).join();
    keeper.inDoubt(ticket, GRANT);
    pass(RETENTION);
    assertThat(manager.held).isEmpty();
  }

  @Test
  void aForgottenTransactionIsHeldUntilItsDeadlineOnly() {
    keeper.begun(512, Duration.ZERO, clock.nanos + RETENTION.toNanos());
    pass(RETENTION.minusSeconds(1));
    assertThat(manager.held.values()).containsExactly(512L);
    pass(Duration.ofSeconds(5));
    assertThat(manager.held).isEmpty();
  }

  @Test
  void anOldSnapshotIsHeldBeforeItIsReadOrRefusedAtOnce() {
    manager.safePoint = 512;
    start(keeper.secure(keeper.begun(512, RETENTION, FOREVER.toNanos()))).join();
    assertThat(manager.held.values()).containsExactly(512L);
    CompletableFuture<Void> late =
        start(keeper.secure(keeper.begun(256, RETENTION, FOREVER.toNanos())));
    assertThatThrownBy(late::join).hasCauseInstanceOf(SnapshotHolds.RefusedException.class);
    pass(LONGEST.multipliedBy(2));
    assertThat(manager.held.values()).containsExactly(512L);
  }

  @Test
  void aYoungSnapshotIsReadWithoutAHoldAndWithoutAManagerThatAnswers() {
    start(keeper.secure(keeper.begun(512, Duration.ofSeconds(1), FOREVER.toNanos()))).join();
    assertThat(manager.held).isEmpty();
    manager.away = true;
    start(keeper.secure(keeper.begun(512, RETENTION, FOREVER.toNanos()))).join();
  }

  @Test
  void closingLetsTheHoldGo() {
    begin(512);
    pass(RETENTION);
    start(keeper.close()).join();
    assertThat(manager.held).isEmpty();
  }

  @Test
  void whateverBeginsAndEndsTheOldestOldOneIsHeld() {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    TreeMap<Long, HoldTicket> open = new TreeMap<>();
    TreeMap<Long, Long> born = new TreeMap<>();
    long next = 512;
    for (int i = 0; i < 2_000; i++) {
      if (random.nextInt(3) > 0 || open.isEmpty()) {
        born.put(next, clock.nanos);
        open.put(next, begin(next));
        next += 256;
      } else {
        List<Long> all = new ArrayList<>(open.keySet());
        long gone = all.get(random.nextInt(all.size()));
        born.remove(gone);
        keeper.ended(open.remove(gone));
      }
      pass(Duration.ofMillis(random.nextInt(2_000)));
      long tooOld = clock.nanos - RETENTION.toNanos();
      if (!born.isEmpty() && born.firstEntry().getValue() < tooOld) {
        assertThat(manager.held.values())
            .as("seed=%s step=%s", seed, i)
            .anyMatch(snapshot -> snapshot <= born.firstKey());
      }
    }
  }

  /** A sweep that has looked before it must not move the hold to a younger snapshot. */
  @Test
  void aSnapshotThatIsSecuredDuringASweepStaysHeld() {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    start(keeper.secure(keeper.begun(1 << 20, RETENTION, RETENTION.toNanos()))).join();
    for (int i = 0; i < 50_000; i++) {
      begin(1 << 20); // so that a sweep takes a while
    }
    for (int i = 0; i < 50; i++) {
      HoldTicket young = keeper.begun(1024, RETENTION, FOREVER.toNanos());
      CompletableFuture<Void> swept =
          CompletableFuture.runAsync(() -> start(keeper.sweep()).join());
      long from = System.nanoTime();
      long wait = random.nextInt(4_000_000);
      while (System.nanoTime() - from < wait) {
        Thread.onSpinWait();
      }
      HoldTicket old = keeper.begun(512, RETENTION, FOREVER.toNanos());
      start(keeper.secure(old)).join();
      swept.join();
      assertThat(manager.held.values()).as("seed=%s step=%s", seed, i).contains(512L);
      keeper.ended(old);
      keeper.ended(young);
      start(keeper.sweep()).join();
    }
  }

  @Test
  void listsTheOldestTransactionsWithTheirTables() {
    HoldTicket old = begin(512);
    old.uses("accounts");
    old.uses("accounts");
    old.uses("history");
    pass(Duration.ofSeconds(2));
    HoldTicket past = keeper.begun(256, Duration.ofHours(1), FOREVER.toNanos());
    pass(Duration.ofSeconds(1));
    begin(768);
    assertThat(keeper.olderThan(Duration.ofSeconds(1)))
        .extracting(each -> each.snapshot() + " " + each.ageMillis() + " " + each.tables())
        .containsExactly("512 3000 accounts,history", "256 1000 ");
    keeper.inDoubt(past, GRANT);
    keeper.ended(old);
    assertThat(keeper.olderThan(Duration.ofSeconds(1))).isEmpty();
    for (int i = 0; i < 100; i++) {
      keeper.begun(1024 + 256 * i, Duration.ZERO, FOREVER.toNanos());
    }
    pass(Duration.ofSeconds(1));
    assertThat(keeper.olderThan(Duration.ofSeconds(1))).hasSize(64);
  }

  private HoldTicket begin(long snapshot) {
    return keeper.begun(snapshot, Duration.ZERO, FOREVER.toNanos());
  }

  private void pass(Duration duration) {
    long end = clock.nanos + duration.toNanos();
    while (clock.nanos < end) {
      clock.nanos = Math.min(end, clock.nanos + keeper.pause().toNanos());
      manager.expire();
      start(keeper.sweep());
    }
  }

  private static final class FakeClock implements Clock {
    private long nanos;

    @Override
    public long wallMillis() {
      throw new UnsupportedOperationException("ages are measured on the monotonic clock");
    }

    @Override
    public long monotonicNanos() {
      return nanos;
    }
  }

  private CompletableFuture<Void> start(Step<Void> machine) {
    return new Driver(pause -> new CompletableFuture<>(), clock).start(machine);
  }

  /** Keeps holds as the transaction manager does. */
  private final class FakeManager implements SnapshotHolds {

    private final List<String> asked = new ArrayList<>();
    private final TreeMap<String, Long> held = new TreeMap<>();
    private final TreeMap<String, Long> expiry = new TreeMap<>();
    private long safePoint;
    private boolean away;
    private int mostAtATime;
    private boolean wasEmptyBetween;
    private Duration longestGap = Duration.ZERO;
    private long lastRenewal = Long.MAX_VALUE;

    @Override
    public CompletableFuture<Terms> terms() {
      return answer("terms", () -> new Terms(RETENTION, LONGEST));
    }

    @Override
    public CompletableFuture<Terms> hold(String name, long timestamp, Duration lifetime) {
      return answer(
          "hold",
          () -> {
            if (timestamp < safePoint) {
              throw new RefusedException(true, "too old");
            }
            held.put(name, timestamp);
            expiry.put(name, clock.nanos + lifetime.toNanos());
            mostAtATime = Math.max(mostAtATime, held.size());
            lastRenewal = clock.nanos;
            return new Terms(RETENTION, LONGEST);
          });
    }

    @Override
    public CompletableFuture<Void> renew(String name, Duration lifetime) {
      return answer(
          "renew",
          () -> {
            if (!held.containsKey(name)) {
              throw new RefusedException(false, "no such hold");
            }
            expiry.put(name, clock.nanos + lifetime.toNanos());
            Duration gap = Duration.ofNanos(clock.nanos - lastRenewal);
            longestGap = gap.compareTo(longestGap) > 0 ? gap : longestGap;
            lastRenewal = clock.nanos;
            return null;
          });
    }

    @Override
    public CompletableFuture<Void> release(String name) {
      return answer(
          "release",
          () -> {
            held.remove(name);
            wasEmptyBetween |= held.isEmpty();
            return null;
          });
    }

    private void expire() {
      held.keySet().removeIf(name -> expiry.get(name) <= clock.nanos);
    }

    private <T> CompletableFuture<T> answer(String what, Supplier<T> answer) {
      asked.add(what);
      if (away) {
        return CompletableFuture.failedFuture(
            new TransactionManagerException(Kind.UNAVAILABLE, "away"));
      }
      try {
        return CompletableFuture.completedFuture(answer.get());
      } catch (RefusedException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}
