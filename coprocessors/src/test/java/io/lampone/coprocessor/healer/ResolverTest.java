package io.lampone.coprocessor.healer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.coprocessor.core.healing.FollowerSearch;
import io.lampone.coprocessor.core.healing.HealingStore;
import io.lampone.coprocessor.core.healing.Settlement;
import io.lampone.coprocessor.healer.Resolver.Answer;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many readers may wait for the fates of transactions, and for how many rows. */
@Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResolverTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final SlowStore store = new SlowStore();
  private final Resolver resolver =
      new Resolver(
          new Settlement(
              store,
              start -> new Status.NotRequested(),
              new FollowerSearch(store, SystemClock.INSTANCE),
              SystemClock.INSTANCE),
          () -> 0,
          SystemClock.INSTANCE);

  @AfterEach
  void stop() {
    store.gate.countDown();
    resolver.close();
  }

  @Test
  void aRowThatIsAskedForAgainWaitsOnce() {
    for (int i = 0; i < 10; i++) {
      assertThat(resolver.ask("a", id(1), place("x"))).isEqualTo(Answer.WAITS);
    }
    assertThat(resolver.waiting()).isOne();
    store.gate.countDown();
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(store.healed).containsExactly("x");
  }

  /** One leader is asked for all of them; those that come while it is asked wait for the next. */
  @Test
  void rowsOfOneTransactionAreHealedTogether() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      resolver.ask("a", id(100 + i), place("busy" + i)); // every thread
    }
    assertThat(store.entered.tryAcquire(8, 20, TimeUnit.SECONDS)).isTrue();
    resolver.ask("a", id(1), place("x"));
    resolver.ask("b", id(1), place("y"));
    store.gate.countDown();
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(store.healed).contains("x,y");
  }

  @Test
  void oneUserTakesItsShareAndNoMore() {
    for (int i = 0; i < Resolver.MAX_WAITING_OF_USER; i++) {
      assertThat(resolver.ask("a", id(i), place("r" + i))).isEqualTo(Answer.WAITS);
    }
    assertThat(resolver.ask("a", id(1_000), place("one more"))).isEqualTo(Answer.FULL);
    assertThat(resolver.ask("a", id(0), place("one more"))).isEqualTo(Answer.FULL);
    assertThat(resolver.ask("a", id(0), place("r0")))
        .as("it waits already")
        .isEqualTo(Answer.WAITS);
    assertThat(resolver.ask("b", id(1_000), place("one more"))).isEqualTo(Answer.WAITS);
    store.gate.countDown();
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(resolver.ask("a", id(1_000), place("one more"))).isEqualTo(Answer.WAITS);
  }

  /** Its leaders may lie where each call takes until its timeout. */
  @Test
  void oneUserDoesNotHoldUpTheOthers() throws InterruptedException {
    for (int i = 0; i < 100; i++) {
      resolver.ask("a", id(i), place("r" + i));
    }
    assertThat(store.entered.tryAcquire(8, 20, TimeUnit.SECONDS)).isTrue();
    assertThat(store.entered.tryAcquire(100, TimeUnit.MILLISECONDS)).isFalse();
    resolver.ask("b", id(1_000), place("x"));
    assertThat(store.entered.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    resolver.ask("b", id(99), place("r99"));
    assertThat(store.entered.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
    store.gate.countDown();
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(store.healed).hasSize(101);
  }

  /** With one thread left for two users, each gets it in turn. */
  @Test
  void usersTakeTurns() throws InterruptedException {
    for (int i = 0; i < 15; i++) {
      resolver.ask("u" + i % 5, id(i), place("r" + i));
    }
    assertThat(store.entered.tryAcquire(15, 20, TimeUnit.SECONDS)).isTrue();
    for (int i = 100; i < 200; i++) {
      resolver.ask("a", id(i), place("a" + i));
    }
    resolver.ask("b", id(200), place("b"));
    store.gate.countDown();
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(store.healed.indexOf("b")).isLessThan(50);
  }

  @Test
  void soManyRowsWaitInAll() {
    int users = Resolver.MAX_WAITING / Resolver.MAX_WAITING_OF_USER + 1;
    int asked = 0;
    int taken = 0;
    for (int user = 0; user < users; user++) {
      for (int i = 0; i < Resolver.MAX_WAITING_OF_USER; i++) {
        taken += resolver.ask("u" + user, id(asked), place("r" + asked)) == Answer.WAITS ? 1 : 0;
        asked++;
      }
    }
    assertThat(asked).isGreaterThan(Resolver.MAX_WAITING);
    assertThat(taken).isEqualTo(Resolver.MAX_WAITING);
  }

  @Test
  void whatCannotBeFoundOutIsLeftToTheNextAttempt() {
    store.failing = true;
    store.gate.countDown();
    assertThat(resolver.ask("a", id(1), place("x"))).isEqualTo(Answer.WAITS);
    await().atMost(PATIENCE).until(() -> resolver.waiting() == 0);
    assertThat(store.healed).isEmpty();
    store.failing = false;
    assertThat(resolver.ask("a", id(1), place("x"))).isEqualTo(Answer.WAITS);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(store.healed).containsExactly("x"));
  }

  /** A corrupt entry is reported to readers for a while, and then looked up again. */
  @Test
  void aLeaderThatCannotBeBelievedIsToldAtOnce() {
    AtomicLong nanos = new AtomicLong();
    Clock clock =
        new Clock() {
          @Override
          public long wallMillis() {
            return 0;
          }

          @Override
          public long monotonicNanos() {
            return nanos.get();
          }
        };
    store.corrupt = true;
    store.gate.countDown();
    try (Resolver timed =
        new Resolver(
            new Settlement(
                store, start -> new Status.NotRequested(), new FollowerSearch(store, clock), clock),
            () -> 0,
            clock)) {
      assertThat(timed.ask("a", id(1), place("x"))).isEqualTo(Answer.WAITS);
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(timed.ask("a", id(1), place("x"))).isEqualTo(Answer.CORRUPT));
      assertThat(timed.ask("a", id(1), place("y"))).isEqualTo(Answer.CORRUPT);
      assertThat(timed.waiting()).isZero();
      store.corrupt = false;
      assertThat(timed.ask("a", id(1), place("x"))).isEqualTo(Answer.CORRUPT);
      nanos.addAndGet(Resolver.CORRUPT_FOR.toNanos());
      assertThat(timed.ask("a", id(1), place("x"))).isEqualTo(Answer.WAITS);
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(store.healed).containsExactly("x"));
    }
  }

  private static TransactionId id(int number) {
    return new TransactionId(
        Timestamps.PLAIN_LIMIT + number * Timestamps.TICK, place("leader" + number));
  }

  private static RowFamily place(String row) {
    return new RowFamily("t", Bytes.utf8(row), Bytes.utf8("f"));
  }

  /** Every leader is ABORTED, which is said when the gate is open. */
  private static final class SlowStore implements HealingStore {

    private final CountDownLatch gate = new CountDownLatch(1);
    private final Semaphore entered = new Semaphore(0);
    private final List<String> healed = new CopyOnWriteArrayList<>();
    private volatile boolean failing;
    private volatile boolean corrupt;

    @Override
    public Outcome read(long start, RowFamily place) throws IOException {
      entered.release();
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (corrupt) {
        throw new RefusalException(Refusal.of(Refusal.Code.CORRUPT, "no proof"));
      }
      if (failing) {
        throw new IOException("a server is away");
      }
      return new Outcome(Optional.of(TransactionState.ABORTED), 0, false);
    }

    @Override
    public void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp) {
      healed.add(String.join(",", followers.stream().map(place -> place.row().toUtf8()).toList()));
    }

    @Override
    public Outcome commitLeader(TransactionId id, Status.Passed passed) {
      throw new AssertionError(id);
    }

    @Override
    public boolean isClosedTo(TransactionId id) {
      throw new AssertionError(id);
    }

    @Override
    public Outcome abortLeader(TransactionId id, boolean plant, Proof proof) {
      throw new AssertionError(id);
    }

    @Override
    public void finishLeader(TransactionId id, long commitTimestamp) {
      throw new AssertionError(id);
    }

    @Override
    public Set<TransactionId> healEverywhere(Map<TransactionId, Long> commits) {
      throw new AssertionError(commits);
    }
  }
}
