package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.Timer;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a client does after its commits, and with whom together. */
class PostCommitBatcherTest {

  private static final Grant GRANT = Proofs.OPEN.grant(0, 0);

  private static final long FLOOR = 7;

  /** Waits for the test. */
  private static final class HeldTimer implements Timer {
    private final Deque<CompletableFuture<Void>> waiting = new ArrayDeque<>();

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      waiting.add(done);
      return done;
    }

    void fire() {
      waiting.remove().complete(null);
    }
  }

  /** Notes what it is asked for; answers when the test says so. */
  private static final class NotingStore extends ForwardingStore {
    private final List<String> log = new ArrayList<>();
    private final Deque<CompletableFuture<Void>> rounds = new ArrayDeque<>();
    private long broken = -1;

    NotingStore() {
      super(new MemoryStore());
    }

    @Override
    public Step<Void> settle(List<Settling> committed, List<Settling> healed) {
      log.add("heal " + starts(committed) + " finish " + starts(healed));
      CompletableFuture<Void> answer = new CompletableFuture<>();
      rounds.add(answer);
      return AsyncRequest.step(() -> answer);
    }

    private static List<Long> starts(List<Settling> some) {
      return some.stream().map(one -> one.id().startTimestamp() / Timestamps.TICK).toList();
    }

    @Override
    public Step<Void> heal(
        TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
      log.add("heal " + id.startTimestamp() / Timestamps.TICK);
      return id.startTimestamp() == broken
          ? Step.failed(new StoreUnavailableException("down", null))
          : Step.done();
    }

    @Override
    public Step<Outcome> finishLeader(TransactionId id, long floor, long commit, Proof proof) {
      log.add("finish " + id.startTimestamp() / Timestamps.TICK);
      return Step.done(Outcome.NOTHING);
    }

    @Override
    public Step<Map<TransactionId, Outcome>> readLeaders(
        Collection<TransactionId> ids, long floor) {
      log.add("readLeaders");
      return super.readLeaders(ids, floor);
    }
  }

  private final HeldTimer timer = new HeldTimer();
  private final NotingStore store = new NotingStore();
  private final PostCommit postCommit = new PostCommit(store, 100);

  @Test
  void commitsThatComeTogetherAreHealedTogetherAndFinishedWithTheNext() {
    commit(1);
    commit(2);
    assertThat(store.log).isEmpty();
    timer.fire();
    assertThat(store.log).containsExactly("heal [1, 2] finish []");
    commit(3);
    assertThat(timer.waiting).hasSize(1);
    store.rounds.remove().complete(null);
    timer.fire();
    assertThat(store.log).last().isEqualTo("heal [3] finish [1, 2]");
    store.rounds.remove().complete(null);
    assertThat(postCommit.underWay()).isOne();
    timer.fire();
    assertThat(store.log).last().isEqualTo("heal [] finish [3]");
    store.rounds.remove().complete(null);
    assertThat(postCommit.underWay()).isZero();
    assertThat(postCommit.failed()).isZero();
    assertThat(timer.waiting).isEmpty();
  }

  @Test
  void noLeaderIsFinishedBeforeItsFollowersAreKnownToBeHealed() {
    commit(1);
    timer.fire();
    commit(2);
    timer.fire();
    assertThat(store.log).containsExactly("heal [1] finish []", "heal [2] finish []");
  }

  @Test
  void whatHasNoFollowersIsFinishedAtOnce() {
    run(postCommit.afterCommit(id(1), FLOOR, List.of(), fateOf(1), GRANT));
    timer.fire();
    assertThat(store.log).containsExactly("heal [] finish [1]");
  }

  @Test
  void aRoundThatFailsIsDoneOneByOneSoThatOneDoesNotSpoilTheOthers() {
    commit(1);
    timer.fire();
    store.rounds.remove().complete(null);
    commit(2);
    commit(3);
    store.broken = start(2);
    timer.fire();
    store
        .rounds
        .remove()
        .completeExceptionally(new StoreUnavailableException("one of them is down", null));
    assertThat(store.log)
        .containsExactly(
            "heal [1] finish []",
            "heal [2, 3] finish [1]",
            "heal 2",
            "heal 3",
            "finish 3",
            "finish 1");
    assertThat(postCommit.underWay()).isZero();
    assertThat(postCommit.failed()).isOne();
  }

  @Test
  void oneThatFailsAloneIsLeftToReaders() {
    commit(1);
    timer.fire();
    store.rounds.remove().completeExceptionally(new StoreUnavailableException("down", null));
    assertThat(store.log).containsExactly("heal [1] finish []");
    assertThat(postCommit.underWay()).isZero();
    assertThat(postCommit.failed()).isOne();
    assertThat(postCommit.commitOf(id(1))).isEmpty();
  }

  @Test
  void manyDoNotWaitForTheTimer() {
    for (int i = 1; i <= PostCommitBatcher.MOST_TOGETHER; i++) {
      commit(i);
    }
    assertThat(store.rounds).hasSize(1);
    timer.fire();
    assertThat(store.rounds).as("its time comes, and it has left").hasSize(1);
  }

  @Test
  void thisClientsReadersKnowTheFateUntilItIsWritten() {
    commit(1);
    assertThat(judgment(1)).isEqualTo(commitOf(1));
    timer.fire();
    assertThat(judgment(1)).isEqualTo(commitOf(1));
    assertThat(store.log).doesNotContain("readLeaders");
    store.rounds.remove().complete(null);
    assertThat(judgment(1)).as("asked where nothing is").isZero();
    assertThat(store.log).contains("readLeaders");
  }

  @Test
  void whatFindsNoPlaceIsDroppedAndNotHeldInMemory() {
    PostCommit small = new PostCommit(store, 1);
    run(small.afterCommit(id(1), FLOOR, List.of(Fixture.place("b")), fateOf(1), GRANT));
    run(small.afterCommit(id(2), FLOOR, List.of(Fixture.place("b")), fateOf(2), GRANT));
    assertThat(small.dropped()).isOne();
    assertThat(small.commitOf(id(2))).isEmpty();
  }

  private long judgment(int number) {
    return run(new IntentResolver(store, new MemoryManager().port(), postCommit)
            .resolve(List.of(new Intent(id(number), Fixture.place("b"))), start(1_000), FLOOR))
        .get(id(number))
        .commitTimestamp();
  }

  private void commit(int number) {
    run(
        postCommit.afterCommit(
            id(number), FLOOR, List.of(Fixture.place("b")), fateOf(number), GRANT));
  }

  private <T> T run(Step<T> machine) {
    return new Driver(timer, new Fixture.ManualClock()).start(machine).join();
  }

  private static TransactionId id(int number) {
    return new TransactionId(start(number), Fixture.place("a"));
  }

  private static long start(int number) {
    return number * Timestamps.TICK;
  }

  private static Fate fateOf(int number) {
    return new Fate(commitOf(number), Tag.NONE);
  }

  private static long commitOf(int number) {
    return start(number + 500);
  }
}
