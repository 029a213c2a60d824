package io.lampone.client.core;

import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.tm.StatusSource;
import io.lampone.protocol.tm.StatusSource.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Finds out the fate of transactions whose pending intents a reader has met (protocol page, section
 * 5). The answer for one transaction is a judgment: its commit timestamp, or {@link #INVISIBLE}.
 * The reader sends its judgments along when it reads the row again; the server uses them only for
 * what is still pending then, so a fate that has reached the row meanwhile is judged afresh [M6].
 *
 * <p>Of what this client has committed itself and is about to heal it knows the fate.
 */
public final class IntentResolver {

  /** The judgment of a transaction that this reader does not see. */
  public static final long INVISIBLE = 0;

  private final TransactionStore store;
  private final StatusSource manager;
  private final Housekeeper housekeeper;

  public IntentResolver(TransactionStore store, StatusSource manager, Housekeeper housekeeper) {
    this.store = store;
    this.manager = manager;
    this.housekeeper = housekeeper;
  }

  /** A pending intent: whose it is, and where it was met. */
  public record Intent(TransactionId id, RowFamily place) {}

  /**
   * Judges the transactions of {@code intents} for a reader.
   *
   * @param snapshot the reader's start timestamp
   * @param floor the floor that the reader was told
   * @return judgment by transaction
   */
  public CompletableFuture<Map<TransactionId, Long>> resolve(
      Collection<Intent> intents, long snapshot, long floor) {
    Map<TransactionId, List<RowFamily>> places = new HashMap<>();
    for (Intent intent : intents) {
      places.computeIfAbsent(intent.id(), i -> new ArrayList<>()).add(intent.place());
    }
    Map<TransactionId, Long> known = new HashMap<>();
    places
        .keySet()
        .removeIf(
            id -> {
              OptionalLong commit = housekeeper.commitOf(id);
              commit.ifPresent(timestamp -> known.put(id, timestamp));
              return commit.isPresent();
            });
    if (places.isEmpty()) {
      return CompletableFuture.completedFuture(known);
    }
    return store
        .readLeaders(places.keySet(), floor)
        .thenCompose(
            leaders -> {
              Map<TransactionId, CompletableFuture<Long>> judging = new HashMap<>();
              leaders.forEach(
                  (id, leader) ->
                      judging.put(
                          id,
                          judge(id, leader, snapshot, floor, places.getOrDefault(id, List.of()))));
              return CompletableFuture.allOf(judging.values().toArray(CompletableFuture[]::new))
                  .thenApply(
                      done -> {
                        Map<TransactionId, Long> judgments = new HashMap<>(known);
                        judging.forEach((id, judged) -> judgments.put(id, judged.join()));
                        return judgments;
                      });
            });
  }

  private CompletableFuture<Long> judge(
      TransactionId id, Outcome leader, long snapshot, long floor, List<RowFamily> places) {
    if (leader.state().isEmpty()) {
      // Rule 3: the leader is not there yet (then the commit timestamp is still to come), or not
      // any
      // more (then every follower has been healed, and reading the row again shows it). Nothing is
      // written: an absent leader proves no abort [A4].
      return CompletableFuture.completedFuture(INVISIBLE);
    }
    if (leader.is(TransactionState.PENDING)) {
      return manager
          .status(id.startTimestamp(), snapshot)
          .thenCompose(status -> judgeByStatus(id, status, snapshot, floor, places));
    }
    return CompletableFuture.completedFuture(decided(id, leader, floor, places));
  }

  /** Rule 2: the leader does not know yet; the transaction manager may. */
  private CompletableFuture<Long> judgeByStatus(
      TransactionId id, Status status, long snapshot, long floor, List<RowFamily> places) {
    if (status instanceof Status.NotRequested) {
      return CompletableFuture.completedFuture(INVISIBLE);
    }
    if (status instanceof Status.Passed passed) {
      if (passed.commitTimestamp() > snapshot) {
        return CompletableFuture.completedFuture(INVISIBLE);
      }
      // Its writer may have died: finish its commit, and believe what is there then.
      return store
          .commitLeader(id, floor, passed.commitTimestamp(), passed.proof())
          .thenApply(leader -> decided(id, leader, floor, places));
    }
    // Conflict: help aborting. Unknown: nobody will validate it any more, so abort it; should it
    // have
    // been decided before it was forgotten, the leader tells.
    return store
        .abortLeader(id, floor, false, status.abortable())
        .thenApply(leader -> decided(id, leader, floor, places));
  }

  private long decided(TransactionId id, Outcome leader, long floor, List<RowFamily> places) {
    if (leader.state().isEmpty()) {
      return INVISIBLE; // rule 3 again: collected between the two calls
    }
    if (leader.state().get().isCommitted()) {
      housekeeper.heal(id, floor, places, leader.commitTimestamp());
      return leader.commitTimestamp();
    }
    if (leader.is(TransactionState.ABORTED)) {
      housekeeper.heal(id, floor, places, 0);
      return INVISIBLE;
    }
    throw new IllegalStateException(
        "a leader is pending after a decision, id=" + id + " leader=" + leader);
  }
}
