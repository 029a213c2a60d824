package io.lampone.simulation.client;

import io.lampone.client.core.FastReads;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.ReadSet;
import io.lampone.client.core.RowOverlay;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;
import io.lampone.simulation.hbase.RegionReads;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Reads of one client: rows are read, the intents met are resolved together, and their rows are
 * read again with the judgments.
 */
public final class Reads {

  private static final int MAX_ROUNDS = 100;

  private final SimulatedClientParts parts;

  Reads(SimulatedClientParts parts) {
    this.parts = parts;
  }

  /**
   * Reads rows in a transaction's snapshot, without its buffered writes.
   *
   * @param together true if the rows of one region are read by one scan
   */
  CompletableFuture<Map<Bytes, RowView>> rows(
      OpenTransaction transaction, List<Bytes> rows, boolean together) {
    return round(transaction, rows, together, new TreeMap<>(), new HashMap<>(), 0);
  }

  private CompletableFuture<Map<Bytes, RowView>> round(
      OpenTransaction transaction,
      List<Bytes> rows,
      boolean together,
      Map<Bytes, RowView> found,
      Map<TransactionId, Fate> judgments,
      int rounds) {
    if (rounds == MAX_ROUNDS) {
      return CompletableFuture.failedFuture(
          new StoreUnavailableException("a row points to ever more intents", null));
    }
    Driver driver = parts.driver();
    return driver
        .start(transaction.readRequest())
        .thenCompose(request -> send(rows, together, request.withJudgments(judgments)))
        .thenCompose(
            views -> {
              List<Bytes> again = new ArrayList<>();
              List<Intent> pointers = new ArrayList<>();
              for (RowView view : views) {
                if (view.pointers().isEmpty()) {
                  found.put(view.row(), view);
                } else {
                  again.add(view.row());
                  pointers.addAll(view.pointers());
                }
              }
              if (again.isEmpty()) {
                return CompletableFuture.completedFuture(found);
              }
              return driver
                  .start(transaction.resolve(pointers))
                  .thenCompose(
                      judged -> {
                        judgments.putAll(judged);
                        parts.parts().judged(transaction.startTimestamp(), judged);
                        return round(transaction, again, together, found, judgments, rounds + 1);
                      });
            });
  }

  private CompletableFuture<List<RowView>> send(
      List<Bytes> rows, boolean together, ReadRequest request) {
    List<CompletableFuture<List<List<RowView>>>> asked = new ArrayList<>();
    List<List<Bytes>> groups = together ? List.of(rows) : rows.stream().map(List::of).toList();
    for (List<Bytes> group : groups) {
      asked.add(
          parts
              .calls()
              .persistently(
                  group,
                  some ->
                      (region, answer) -> new RegionReads(region).snapshot(some, request, answer)));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              List<RowView> all = new ArrayList<>();
              asked.forEach(one -> one.join().forEach(all::addAll));
              return all;
            });
  }

  /** One row by the fast path. */
  CompletableFuture<RegionReads.FastRow> fast(Bytes row, Wants wants) {
    return fast(row, parts.fastReads().first(wants), 0);
  }

  private CompletableFuture<RegionReads.FastRow> fast(
      Bytes row, FastReadRequest request, int rounds) {
    return parts
        .calls()
        .<RegionReads.FastRow>persistently(
            row, (region, answer) -> new RegionReads(region).fast(row, request, answer))
        .thenCompose(
            found -> {
              if (found.row().pointers().isEmpty()) {
                parts.fastReads().shows(found.reply());
                return CompletableFuture.completedFuture(found);
              }
              if (rounds == MAX_ROUNDS) {
                return CompletableFuture.failedFuture(
                    new StoreUnavailableException("a row points to ever more intents", null));
              }
              return parts
                  .driver()
                  .start(
                      parts
                          .fastReads()
                          .resolve(
                              List.of(
                                  new FastReads.Blocked(
                                      request, found.reply(), found.row().pointers()))))
                  .thenCompose(next -> fast(row, next.get(0), rounds + 1));
            });
  }

  /** Records in a transaction that it has read all columns of some rows. */
  static void keep(OpenTransaction transaction, ConflictLevel level, List<Bytes> some) {
    if (!transaction.reads().isKept()) {
      return;
    }
    Map<Bytes, Set<Bytes>> columns = new TreeMap<>();
    for (Schema.Column column : Schema.COLUMNS) {
      columns.computeIfAbsent(column.family(), f -> new TreeSet<>()).add(column.qualifier());
    }
    for (Bytes row : some) {
      transaction
          .reads()
          .add(new ReadSet.Point(Schema.table(row), level, Schema.key(row), columns));
    }
  }

  /** Returns a column as seen by a transaction that has written to its row. */
  static Optional<Bytes> overlaid(RowOverlay own, Schema.Column column, Optional<Bytes> stored) {
    RowOverlay.FamilyOverlay family = own.families().get(column.family());
    if (family == null) {
      return stored;
    }
    Optional<Bytes> mine = family.columns().get(column.qualifier());
    return mine != null ? mine : family.deleted() ? Optional.empty() : stored;
  }
}
