package io.lampone.client.core;

import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Batches of the post-commit work of one client: many transactions in one request for each region
 * (protocol page, section 4). A transaction takes two rounds: its followers are healed in one, and
 * its leader becomes FINAL in a later one, which also heals the followers of younger transactions.
 *
 * <pre>
 *   committed --round--> healed --round--> ended
 *      |                   |
 *      +--a round fails----+--> by itself, as if there were no others --> ended, or failed
 * </pre>
 *
 * <p>A round waits {@link #PAUSE} to fill its batch. A follower may appear undecided for that much
 * longer; this client's own readers need no request for it ({@link #commitOf}).
 *
 * <p>Thread-safe; the lists are guarded by this object's monitor, and no call leaves this class
 * while it is held.
 */
final class PostCommitBatcher {

  /** Time from the first pending work to the start of its round. */
  static final Duration PAUSE = Duration.ofMillis(10);

  /** Maximum number of transactions of one round; a full round starts at once. */
  static final int MOST_TOGETHER = 64;

  private final TransactionStore store;

  /** Receives each end: true if all was done. */
  private final Consumer<Boolean> ended;

  // those whose followers are not healed yet
  private List<Settling> committed = new ArrayList<>();
  // those whose followers are healed, and whose leaders are not FINAL
  private List<Settling> healed = new ArrayList<>();
  // whether a round is scheduled that includes the content of the lists
  private boolean expected;

  // commits of those whose followers may still appear undecided; added before the work, removed
  // when they are healed or the work has ended; by start timestamp, because servers name leaders in
  // other tables differently
  private final Map<Long, Fate> commits = new ConcurrentHashMap<>();

  PostCommitBatcher(TransactionStore store, Consumer<Boolean> ended) {
    this.store = store;
    this.ended = ended;
  }

  /** Adds a committed transaction. */
  Step<Void> add(Settling one) {
    commits.put(one.id().startTimestamp(), one.fate());
    return Step.begin(event -> enqueue(List.of(one), one.followers().isEmpty()));
  }

  /** Returns the fate of a committed transaction with pending work. */
  Optional<Fate> commitOf(TransactionId id) {
    return Optional.ofNullable(commits.get(id.startTimestamp()));
  }

  private Step<Void> enqueue(List<Settling> some, boolean areHealed) {
    if (areHealed) {
      some.forEach(one -> commits.remove(one.id().startTimestamp()));
    }
    boolean first;
    boolean full;
    synchronized (this) {
      (areHealed ? healed : committed).addAll(some);
      first = !expected;
      expected = true;
      full = committed.size() + healed.size() >= MOST_TOGETHER;
    }
    if (full) {
      return round();
    }
    return first ? Step.pause(PAUSE).then(waited -> round()) : Step.done();
  }

  private Step<Void> round() {
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
      return Step.done(); // a round that was full has left before its time
    }
    return Step.begin(event -> store.settle(toHeal, toFinish))
        .next(event -> after(toHeal, toFinish, event.failure() == null));
  }

  private Step<Void> after(List<Settling> toHeal, List<Settling> toFinish, boolean done) {
    if (done) {
      toFinish.forEach(one -> ended.accept(true));
      return toHeal.isEmpty() ? Step.done() : enqueue(toHeal, true);
    }
    if (toHeal.size() + toFinish.size() == 1) {
      toFinish.forEach(one -> end(one, false));
      toHeal.forEach(one -> end(one, false));
      return Step.done();
    }
    // One of them may have made the others fail.
    List<Step<Void>> alone = new ArrayList<>();
    toHeal.forEach(one -> alone.add(alone(one, heal(one).then(all -> finish(one)))));
    toFinish.forEach(one -> alone.add(alone(one, finish(one))));
    return Step.all(alone).then(all -> Step.done());
  }

  private Step<Void> alone(Settling one, Step<Void> work) {
    return work.next(
        event -> {
          end(one, event.failure() == null);
          return Step.done();
        });
  }

  private Step<Void> heal(Settling one) {
    return Step.begin(event -> store.heal(one.id(), one.floor(), one.followers(), one.fate()));
  }

  private Step<Void> finish(Settling one) {
    return Step.begin(
            event -> store.finishLeader(one.id(), one.floor(), one.commitTimestamp(), one.grant()))
        .then(leader -> Step.done());
  }

  private void end(Settling one, boolean done) {
    commits.remove(one.id().startTimestamp());
    ended.accept(done);
  }
}
