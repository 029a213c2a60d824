package io.lampone.client.hbase.admin;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.client.hbase.admin.UnlistedFollowers.Decided;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;

/**
 * Ends all undecided intents in a table that stops being transactional, and all those elsewhere
 * with commit entries in it.
 *
 * <p>No new intents are possible: the table's floor and phase refuse them. So one pass is enough.
 * Every pending transaction is aborted on its leader, whose state afterwards is authoritative: a
 * transaction that has passed validation and not yet reached its leader is aborted as well, which
 * its client learns from its compare-and-set. The followers of each leader in this table are healed
 * before the leader is removed, because afterwards they could not be resolved.
 */
final class ResolveIntents {

  private static final Duration PAUSE = Duration.ofMillis(100);

  /** Number of transactions after which other tables are searched for their followers. */
  private static final int MAX_UNLISTED = 100_000;

  private final TransactionStore store;
  private final Waiting waiting;
  private final Driver driver;
  private final String table;
  private final long floor;

  /**
   * Committed transactions whose leaders in this table do not list all their followers. Those of an
   * aborted one need no leader: they are aborted where it is absent.
   */
  private final Set<Decided> unlisted = ConcurrentHashMap.newKeySet();

  ResolveIntents(
      TransactionStore store, Waiting waiting, Driver driver, TableName table, long floor) {
    this.store = store;
    this.waiting = waiting;
    this.driver = driver;
    this.table = table.getNameAsString();
    this.floor = floor;
  }

  /** Settles all intents in the table, and in others those that are decided in this one. */
  void settle(MaintenancePages pages, UnlistedFollowers.Tables tables) throws IOException {
    UnlistedFollowers elsewhere = new UnlistedFollowers(pages, tables, this::healAll);
    TableName name = TableName.valueOf(table);
    pages.forEach(
        "Settling",
        name,
        rows -> {
          settle(rows);
          if (unlisted.size() >= MAX_UNLISTED) {
            settle(elsewhere, name);
          }
        });
    settle(elsewhere, name);
  }

  private void settle(UnlistedFollowers elsewhere, TableName name) throws IOException {
    if (!unlisted.isEmpty()) {
      elsewhere.healOutside(name, unlisted);
      unlisted.clear();
    }
  }

  private void healAll(Map<Decided, List<RowFamily>> followers) throws IOException {
    List<Step<Void>> healing = new ArrayList<>();
    followers.forEach((one, places) -> healing.add(write(one.id(), places, one.fate())));
    waiting.await(driver.start(Step.all(healing)));
  }

  private void settle(List<Result> rows) throws IOException {
    List<Step<Void>> settling = new ArrayList<>();
    for (Result row : rows) {
      for (Cell cell : row.rawCells()) {
        if (MaintenancePages.isTransactionCell(cell)) {
          settling.add(settle(cell));
        }
      }
    }
    waiting.await(driver.start(Step.all(settling)));
  }

  /** Settles the transaction of a transaction cell of the table. */
  Step<Void> settle(Cell cell) {
    TransactionCell state =
        TransactionCell.decode(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    RowFamily place =
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell)));
    TransactionId id = new TransactionId(cell.getTimestamp(), state.leader().orElse(place));
    if (state.isLeader()) {
      return settleLeader(id, state);
    }
    if (state.state() != TransactionState.PENDING) {
      return Step.done();
    }
    return decide(id, List.of(place), true);
  }

  private Step<Void> settleLeader(TransactionId id, TransactionCell state) {
    if (state.state() == TransactionState.FINAL) {
      return Step.done();
    }
    return decide(
        id,
        state.followers().stream().filter(RowFamily::isLegal).toList(),
        state.followersComplete());
  }

  private Step<Void> decided(
      TransactionId id, Collection<RowFamily> followers, boolean allFollowers, Fate fate) {
    if (!allFollowers && fate.commitTimestamp() != 0) {
      unlisted.add(new Decided(id, fate));
    }
    return followers.isEmpty() ? Step.done() : write(id, List.copyOf(followers), fate);
  }

  /**
   * Writes the fate onto followers; a cell that names another leader is no follower of this one,
   * whatever its list contains.
   */
  private Step<Void> write(TransactionId id, List<RowFamily> some, Fate fate) {
    return store
        .heal(id, floor, some, fate)
        .recover(
            failure -> {
              if (!isForeign(failure)) {
                return Step.failed(failure);
              }
              return some.size() == 1
                  ? Step.done()
                  : Step.all(some.stream().map(one -> write(id, List.of(one), fate)).toList())
                      .then(all -> Step.done());
            });
  }

  private static boolean isForeign(Throwable failure) {
    return failure instanceof StoreRefusedException refused
        && refused.refusal().code() == Refusal.Code.NOT_ITS_LEADER;
  }

  /**
   * Requests a decision of the leader, of one elsewhere if its transaction is old enough to be
   * aborted, and heals the followers. A leader that is absent and that old was aborted, or is FINAL
   * and collected, which happens after its followers were healed; or its table was dropped. Only
   * region servers can distinguish these cases.
   */
  private Step<Void> decide(
      TransactionId id, Collection<RowFamily> followers, boolean allFollowers) {
    return store
        .abortLeader(id, floor, true, Proof.NONE)
        .then(
            leader ->
                leader.isDecided()
                    ? decided(id, followers, allFollowers, leader.fate())
                    : Step.pause(PAUSE).then(waited -> decide(id, followers, allFollowers)))
        .recover(
            failure ->
                AbsentLeaderException.isSaidBy(failure)
                    ? Step.all(
                            followers.stream()
                                .map(place -> store.resolve(new Intent(id, place), floor))
                                .toList())
                        .then(all -> Step.done())
                    : Step.failed(failure));
  }
}
