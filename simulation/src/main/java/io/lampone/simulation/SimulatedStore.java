package io.lampone.simulation;

import io.lampone.client.core.StoreRefusedException;
import io.lampone.client.core.TransactionStore;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.LeaderReadRequest;
import io.lampone.protocol.Refusal;
import io.lampone.protocol.RegionReply;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RegionRequest;
import io.lampone.protocol.RegionRequest.AbortLeader;
import io.lampone.protocol.RegionRequest.CommitLeader;
import io.lampone.protocol.RegionRequest.FinishLeader;
import io.lampone.protocol.RegionRequest.Flush;
import io.lampone.protocol.RegionRequest.Heal;
import io.lampone.protocol.RegionRequest.RowIntents;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Intents and commit entries over simulated calls: one request for each region, in parallel. */
final class SimulatedStore implements TransactionStore {

  private final RegionCalls calls;

  SimulatedStore(RegionCalls calls) {
    this.calls = calls;
  }

  @Override
  public CompletableFuture<Void> flush(FlushBatch batch) {
    List<CompletableFuture<?>> parts = new ArrayList<>();
    batch
        .tables()
        .forEach(
            (table, intents) ->
                byRegion(intents.rows(), RowIntents::row)
                    .forEach(
                        (region, rows) ->
                            parts.add(
                                send(
                                    region,
                                    new Flush(
                                        batch.id().startTimestamp(),
                                        batch.floor(),
                                        intents.level(),
                                        batch.id().leader(),
                                        batch.flushNumber(),
                                        rows)))));
    return allEnded(parts);
  }

  @Override
  public CompletableFuture<Outcome> commitLeader(
      TransactionId id, long floor, long commitTimestamp) {
    RowFamily leader = id.leader();
    return leaderWrite(
        new CommitLeader(
            id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp));
  }

  @Override
  public CompletableFuture<Outcome> abortLeader(
      TransactionId id, long floor, boolean plantOnAbsence) {
    RowFamily leader = id.leader();
    return leaderWrite(
        new AbortLeader(id.startTimestamp(), floor, leader.row(), leader.family(), plantOnAbsence));
  }

  @Override
  public CompletableFuture<Outcome> finishLeader(
      TransactionId id, long floor, long commitTimestamp) {
    RowFamily leader = id.leader();
    return leaderWrite(
        new FinishLeader(
            id.startTimestamp(), floor, leader.row(), leader.family(), commitTimestamp));
  }

  private CompletableFuture<Outcome> leaderWrite(RegionRequest request) {
    return send(Schema.regionOf(request.rows().get(0)), request)
        .thenApply(reply -> reply.outcomes().get(0));
  }

  @Override
  public CompletableFuture<Void> heal(
      long startTimestamp, long floor, Collection<RowFamily> followers, long commitTimestamp) {
    TreeSet<Bytes> rows = new TreeSet<>();
    followers.forEach(place -> rows.add(place.row()));
    List<CompletableFuture<?>> parts = new ArrayList<>();
    byRegion(List.copyOf(rows), row -> row)
        .forEach(
            (region, some) ->
                parts.add(send(region, new Heal(startTimestamp, floor, some, commitTimestamp))));
    return allEnded(parts);
  }

  @Override
  public CompletableFuture<Map<TransactionId, Outcome>> readLeaders(
      Collection<TransactionId> ids, long floor) {
    Map<TransactionId, CompletableFuture<Outcome>> asked = new HashMap<>();
    List<TransactionId> inOrder = new ArrayList<>(ids);
    inOrder.sort(
        (a, b) -> {
          int c = Long.compare(a.startTimestamp(), b.startTimestamp());
          return c != 0 ? c : a.leader().compareTo(b.leader());
        });
    for (TransactionId id : inOrder) {
      Bytes row = id.leader().row();
      LeaderReadRequest request =
          new LeaderReadRequest(id.startTimestamp(), floor, id.leader().family());
      asked.put(
          id,
          calls.persistently(
              Schema.regionOf(row),
              (region, answer) -> new RegionReads(region).leader(row, request, answer)));
    }
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              Map<TransactionId, Outcome> found = new HashMap<>();
              asked.forEach((id, outcome) -> found.put(id, outcome.join()));
              return found;
            });
  }

  private CompletableFuture<RegionReply> send(int region, RegionRequest request) {
    return calls.persistently(region, (served, answer) -> served.regular(request, answer));
  }

  private static <R> Map<Integer, List<R>> byRegion(List<R> rows, Function<R, Bytes> key) {
    Map<Integer, List<R>> parts = new TreeMap<>();
    for (R row : rows) {
      parts.computeIfAbsent(Schema.regionOf(key.apply(row)), r -> new ArrayList<>()).add(row);
    }
    return parts;
  }

  /** Ends when all have ended; of several failures a conflict tells the application most. */
  private static CompletableFuture<Void> allEnded(List<CompletableFuture<?>> parts) {
    return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
        .handle(
            (done, ignored) -> {
              Throwable worst = null;
              for (CompletableFuture<?> part : parts) {
                if (part.isCompletedExceptionally()) {
                  Throwable failure = Futures.failure(part);
                  worst = worst == null || rank(failure) > rank(worst) ? failure : worst;
                }
              }
              if (worst != null) {
                throw new CompletionException(worst);
              }
              return null;
            });
  }

  private static int rank(Throwable failure) {
    if (failure instanceof StoreRefusedException refused) {
      return refused.refusal().code() == Refusal.Code.CONFLICT ? 2 : 1;
    }
    return 0;
  }
}
