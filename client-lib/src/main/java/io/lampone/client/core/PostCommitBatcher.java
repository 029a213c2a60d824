package io.lampone.client.core;

import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The work after the commits of one client, for many transactions in one request for each region
 * (protocol page, section 4). A transaction takes two rounds: its followers are healed in one, and
 * its leader becomes FINAL in a later one, which heals those of younger transactions meanwhile.
 *
 * <pre>
 *   committed --round--> healed --round--> ended
 *      |                   |
 *      +--a round fails----+--> by itself, as if there were no others --> ended, or failed
 * </pre>
 *
 * <p>A round waits {@link #PAUSE} for company. So long more than without it a follower may look
 * undecided; this client's own readers need not ask for it ({@link #commitOf}).
 *
 * <p>Thread-safe; the lists are guarded by this object's monitor, and nothing is called out while
 * it is held.
 */
final class PostCommitBatcher {

  /** From the first work that waits to the round that takes it along. */
  static final Duration PAUSE = Duration.ofMillis(10);

  /** Transactions of one round; when there are as many, it does not wait. */
  static final int MOST_TOGETHER = 64;

  private final TransactionStore store;
  private final Timer timer;

  /** Hears of each end: whether all was done. */
  private final Consumer<Boolean> ended;

  // those whose followers are not healed yet
  private List<Settling> committed = new ArrayList<>();
  // those whose followers are, and whose leaders are not FINAL
  private List<Settling> healed = new ArrayList<>();
  // whether a round is to come that takes along what is in the lists
  private boolean expected;

  // commits of those whose followers may still look undecided; added before they are
  // worked on, removed when they are healed or nobody works on them any more
  // by start timestamp, for servers name leaders in other tables otherwise
  private final Map<Long, Fate> commits = new ConcurrentHashMap<>();

  PostCommitBatcher(TransactionStore store, Timer timer, Consumer<Boolean> ended) {
    this.store = store;
    this.timer = timer;
    this.ended = ended;
  }

  /** Takes a transaction that has committed. */
  void add(Settling one) {
    commits.put(one.id().startTimestamp(), one.fate());
    enqueue(one, one.followers().isEmpty());
  }

  /** Returns the fate of a committed transaction that is worked on. */
  Optional<Fate> commitOf(TransactionId id) {
    return Optional.ofNullable(commits.get(id.startTimestamp()));
  }

  private void enqueue(Settling one, boolean isHealed) {
    if (isHealed) {
      commits.remove(one.id().startTimestamp());
    }
    boolean first;
    boolean full;
    synchronized (this) {
      (isHealed ? healed : committed).add(one);
      first = !expected;
      expected = true;
      full = committed.size() + healed.size() >= MOST_TOGETHER;
    }
    if (full) {
      round();
    } else if (first) {
      timer.after(PAUSE).thenRun(this::round);
    }
  }

  private void round() {
    List<Settling> toHeal;
    List<Settling> toFinish;
    synchronized (this) {
      toHeal = committed;
      toFinish = healed;
      committed = new ArrayList<>();
      healed = new ArrayList<>();
      expected = false;
    }
    if (toHeal.isEmpty() && toFinish.isEmpty()) {
      return; // a round that was full has left before its time
    }
    calling(() -> store.settle(toHeal, toFinish))
        .whenComplete((done, failure) -> after(toHeal, toFinish, failure == null));
  }

  private void after(List<Settling> toHeal, List<Settling> toFinish, boolean done) {
    if (done) {
      toFinish.forEach(one -> ended.accept(true));
      toHeal.forEach(one -> enqueue(one, true));
    } else if (toHeal.size() + toFinish.size() == 1) {
      toFinish.forEach(one -> end(one, false));
      toHeal.forEach(one -> end(one, false));
    } else {
      // One of them may be what the others failed for.
      toHeal.forEach(one -> alone(one, () -> heal(one).thenCompose(all -> finish(one))));
      toFinish.forEach(one -> alone(one, () -> finish(one)));
    }
  }

  private void alone(Settling one, Supplier<CompletableFuture<Void>> work) {
    calling(work).whenComplete((done, failure) -> end(one, failure == null));
  }

  private CompletableFuture<Void> heal(Settling one) {
    return store.heal(one.id(), one.floor(), one.followers(), one.fate());
  }

  private CompletableFuture<Void> finish(Settling one) {
    return store
        .finishLeader(one.id(), one.floor(), one.commitTimestamp(), one.grant())
        .thenAccept(leader -> {});
  }

  private void end(Settling one, boolean done) {
    commits.remove(one.id().startTimestamp());
    ended.accept(done);
  }

  private static CompletableFuture<Void> calling(Supplier<CompletableFuture<Void>> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
