package io.lampone.client.core;

import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.trust.Fate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Determines the fate of transactions whose pending intents a reader has met (protocol page,
 * section 5). The result for one transaction is a judgment: its fate, or {@link Fate#INVISIBLE}.
 * The reader sends its judgments when it reads the row again; the server applies them only to
 * intents that are still pending then, so a fate that has reached the row meanwhile is judged
 * afresh [M6].
 *
 * <p>The fates of transactions that this client has committed and is about to heal are known
 * locally. Where it may not read or change the leader, the region server that returned the intent
 * resolves it.
 */
public final class IntentResolver {

  /** Default time for which a reader waits for the client of an assigned transaction. */
  public static final Duration CONTACT_PATIENCE = Duration.ofMillis(100);

  /** Default limit of that time if the transaction may not be aborted either. */
  public static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  /** Longest pause between two reads of the leader of an assigned transaction. */
  private static final int LONGEST_PAUSE_MILLIS = 10;

  /** Pause while the client of an assigned transaction certifies, for seconds perhaps. */
  private static final int PAUSE_OF_CERTIFICATION_MILLIS = 50;

  private final TransactionStore store;
  private final TransactionManagerPort manager;
  private final PostCommit postCommit;
  private final Duration contactPatience;
  private final Duration longestWait;

  public IntentResolver(
      TransactionStore store, TransactionManagerPort manager, PostCommit postCommit) {
    this(store, manager, postCommit, CONTACT_PATIENCE, LONGEST_WAIT);
  }

  /**
   * @param contactPatience time that a reader above the commit timestamp of an assigned transaction
   *     waits for its client to decide it, before aborting it
   * @param longestWait total wait for one that may not be aborted either
   */
  public IntentResolver(
      TransactionStore store,
      TransactionManagerPort manager,
      PostCommit postCommit,
      Duration contactPatience,
      Duration longestWait) {
    this.contactPatience = contactPatience;
    this.longestWait = longestWait;
    this.store = store;
    this.manager = manager;
    this.postCommit = postCommit;
  }

  /**
   * Pending intent.
   *
   * @param id its transaction
   * @param place its place
   * @param qualifier a column there that this client may read
   */
  public record Intent(TransactionId id, RowFamily place, Bytes qualifier) {

    /** Intent, for a client that may read all columns of the family. */
    public Intent(TransactionId id, RowFamily place) {
      this(id, place, Reserved.TRANSACTION);
    }
  }

  /**
   * Judges the transactions of {@code intents} for a reader.
   *
   * @param snapshot the reader's start timestamp
   * @param floor the reader's floor
   * @return judgment by transaction
   */
  public Step<Map<TransactionId, Fate>> resolve(
      Collection<Intent> intents, long snapshot, long floor) {
    Map<TransactionId, List<Intent>> met = new HashMap<>();
    Map<TransactionId, Fate> judgments = new HashMap<>();
    for (Intent intent : intents) {
      TransactionId id = intent.id();
      Optional<Fate> known = postCommit.commitOf(id);
      if (known.isPresent()) {
        judgments.put(id, known.get());
      } else {
        met.computeIfAbsent(id, i -> new ArrayList<>()).add(intent);
      }
    }
    if (met.isEmpty()) {
      return Step.done(judgments);
    }
    return judge(met, new Reader(snapshot, floor))
        .map(
            judged -> {
              judgments.putAll(judged);
              return judgments;
            });
  }

  /** Reader for which intents are judged. */
  private record Reader(long snapshot, long floor) {}

  private Step<Map<TransactionId, Fate>> judge(
      Map<TransactionId, List<Intent>> met, Reader reader) {
    return store
        .readLeaders(met.keySet(), reader.floor())
        .then(
            leaders -> {
              Map<TransactionId, Step<Fate>> judging = new HashMap<>();
              leaders.forEach(
                  (id, leader) ->
                      judging.put(id, judge(id, leader, reader, met.getOrDefault(id, List.of()))));
              return all(judging);
            })
        .recover(failure -> judgeApart(met, reader, failure));
  }

  /** Judges each leader separately: an unreadable one must not hide the others from the reader. */
  private Step<Map<TransactionId, Fate>> judgeApart(
      Map<TransactionId, List<Intent>> met, Reader reader, Throwable failure) {
    if (!StoreDeniedException.isSaidBy(failure)) {
      return Step.failed(failure);
    }
    Map<TransactionId, Step<Fate>> judging = new HashMap<>();
    met.forEach(
        (id, intents) ->
            judging.put(
                id,
                met.size() == 1
                    ? judgeWithoutLeader(id, reader, intents)
                    : judge(Map.of(id, intents), reader)
                        .map(judged -> judged.getOrDefault(id, Fate.INVISIBLE))));
    return all(judging);
  }

  private static Step<Map<TransactionId, Fate>> all(Map<TransactionId, Step<Fate>> judging) {
    List<TransactionId> ids = List.copyOf(judging.keySet());
    return Step.all(List.copyOf(judging.values()))
        .map(
            fates -> {
              Map<TransactionId, Fate> judgments = new HashMap<>();
              for (int i = 0; i < ids.size(); i++) {
                judgments.put(ids.get(i), fates.get(i));
              }
              return judgments;
            });
  }

  private Step<Fate> judge(TransactionId id, Outcome leader, Reader reader, List<Intent> met) {
    if (leader.state().isEmpty()) {
      // Rule 3: the leader is not there yet (then the commit timestamp is still to come), or not
      // any more (then every follower has been healed, and reading the row again shows it). Nothing
      // is written: an absent leader proves no abort [A4].
      return Step.done(Fate.INVISIBLE);
    }
    if (leader.is(TransactionState.PENDING)) {
      return manager
          .status(id.startTimestamp(), reader.snapshot())
          .then(status -> judgeByStatus(id, status, reader, met))
          .recover(
              failure ->
                  StoreDeniedException.isSaidBy(failure)
                      ? ask(id, reader, met)
                      : Step.failed(failure));
    }
    return decided(id, leader, reader, met);
  }

  /** Applies rule 2: the leader is undecided; the transaction manager may have decided. */
  private Step<Fate> judgeByStatus(
      TransactionId id, Status status, Reader reader, List<Intent> met) {
    if (isInvisible(status, reader)) {
      return Step.done(Fate.INVISIBLE);
    }
    if (status instanceof Status.Passed passed) {
      // Its client may have died: finish its commit; the state afterwards is authoritative.
      return store
          .commitLeader(id, reader.floor(), passed.commitTimestamp(), passed.proof())
          .then(leader -> decided(id, leader, reader, met));
    }
    if (status instanceof Status.Assigned) {
      return Step.begin(event -> awaitClient(id, reader, met, event.nowNanos(), 1));
    }
    // Conflict: help aborting. Unknown: no request to validate it passes any more, so abort it; if
    // it had been decided before it was forgotten, the leader shows it.
    return store
        .abortLeader(id, reader.floor(), false, status.abortable())
        .then(leader -> decided(id, leader, reader, met));
  }

  /**
   * Waits for the client of an assigned transaction: only that client commits it, because it has
   * unfinished checks [Z1]. So its leader is read again until it is decided, and aborted when that
   * takes too long. Until the transaction manager states that it may be, the leader stays as it is;
   * the reader fails when that takes too long.
   *
   * @param sinceNanos begin of the wait, on the monotonic clock
   */
  private Step<Fate> awaitClient(
      TransactionId id, Reader reader, List<Intent> met, long sinceNanos, int pauseMillis) {
    return Step.pause(Duration.ofMillis(pauseMillis))
        .next(
            waited ->
                store
                    .readLeaders(List.of(id), reader.floor())
                    .then(
                        leaders -> {
                          Outcome leader = Objects.requireNonNull(leaders.get(id));
                          if (!leader.is(TransactionState.PENDING)) {
                            return decided(id, leader, reader, met);
                          }
                          if (waited.isAfter(sinceNanos + longestWait.toNanos())) {
                            return Step.failed(undecidable(id));
                          }
                          return waited.isAfter(sinceNanos + contactPatience.toNanos())
                              ? endWithoutClient(id, reader, met, sinceNanos)
                              : awaitClient(
                                  id,
                                  reader,
                                  met,
                                  sinceNanos,
                                  Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS));
                        }));
  }

  private Step<Fate> endWithoutClient(
      TransactionId id, Reader reader, List<Intent> met, long sinceNanos) {
    return manager
        .status(id.startTimestamp(), reader.snapshot())
        .then(
            status -> {
              if (!(status instanceof Status.Assigned assigned)) {
                return judgeByStatus(id, status, reader, met);
              }
              // Its age alone would let a region server abort it, although its client certifies.
              return assigned.proof().isEmpty()
                  ? awaitClient(id, reader, met, sinceNanos, PAUSE_OF_CERTIFICATION_MILLIS)
                  : store
                      .abortLeader(id, reader.floor(), false, assigned.abortable())
                      .then(
                          leader ->
                              leader.is(TransactionState.PENDING)
                                  ? awaitClient(id, reader, met, sinceNanos, LONGEST_PAUSE_MILLIS)
                                  : decided(id, leader, reader, met));
            });
  }

  private static StoreUnavailableException undecidable(TransactionId id) {
    return new StoreUnavailableException(
        "a serializable transaction is neither committed by its client nor may be aborted, start="
            + id.startTimestamp(),
        null);
  }

  /** Returns true if the commit timestamp is still to come, or not below the snapshot. */
  private static boolean isInvisible(Status status, Reader reader) {
    return status instanceof Status.NotRequested
        || status instanceof Status.Passed passed && passed.commitTimestamp() > reader.snapshot()
        || status instanceof Status.Assigned assigned
            && assigned.commitTimestamp() >= reader.snapshot();
  }

  /**
   * Judges by the transaction manager's reply, which suffices if it has not passed the transaction,
   * or passed it not below the snapshot.
   */
  private Step<Fate> judgeWithoutLeader(TransactionId id, Reader reader, List<Intent> met) {
    return manager
        .status(id.startTimestamp(), reader.snapshot())
        .then(
            status ->
                isInvisible(status, reader) ? Step.done(Fate.INVISIBLE) : ask(id, reader, met));
  }

  /**
   * Requests resolution from each server that returned an intent of it. They write the fate there,
   * so that the rows need no judgment when they are read again. A pass is no fate: after a takeover
   * the leader may be aborted [W9].
   */
  private Step<Fate> ask(TransactionId id, Reader reader, List<Intent> met) {
    return Step.all(met.stream().map(intent -> store.resolve(intent, reader.floor())).toList())
        .map(
            outcomes ->
                outcomes.stream()
                    .filter(outcome -> outcome.state().isPresent())
                    .map(Outcome::fate)
                    .filter(fate -> fate.commitTimestamp() != 0)
                    .findFirst()
                    .orElse(Fate.INVISIBLE));
  }

  private Step<Fate> decided(TransactionId id, Outcome leader, Reader reader, List<Intent> met) {
    if (leader.state().isEmpty()) {
      return Step.done(Fate.INVISIBLE); // rule 3 again: collected between the two calls
    }
    if (leader.is(TransactionState.PENDING)) {
      throw new IllegalStateException(
          "a leader is pending after a decision, id=" + id + " leader=" + leader);
    }
    Fate fate = leader.state().get().isCommitted() ? leader.fate() : Fate.INVISIBLE;
    return postCommit
        .heal(id, reader.floor(), met.stream().map(Intent::place).toList(), leader.fate())
        .map(begun -> fate);
  }
}
