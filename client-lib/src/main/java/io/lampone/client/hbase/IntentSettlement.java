package io.lampone.client.hbase;

import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.StoreRefusedException;
import io.lampone.client.core.TransactionStore;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Refusal;
import io.lampone.protocol.RegionReply.Outcome;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;

/**
 * Ends everything that is undecided in a table which stops being transactional, and everything
 * elsewhere whose commit entry lies in it.
 *
 * <p>No new intent can come: the table's floor and phase refuse them. So one pass is enough.
 * Whatever is still pending is aborted on its leader, and what the leader holds then is believed: a
 * transaction that has passed validation and not yet reached its leader is aborted as well, which
 * its client learns from its compare-and-set. The followers of each leader in this table are healed
 * before the leader goes; for afterwards nobody could resolve them.
 */
final class IntentSettlement {

  private final MaintenancePages pages;
  private final TransactionStore store;
  private final Waiting waiting;
  private final String table;
  private final long floor;
  // whether a leader of this table had followers that it does not list
  private boolean followersUnknown;

  IntentSettlement(
      MaintenancePages pages,
      OpenTransaction.Services services,
      Waiting waiting,
      TableName table,
      long floor) {
    this.pages = pages;
    this.store = services.store();
    this.waiting = waiting;
    this.table = table.getNameAsString();
    this.floor = floor;
  }

  /**
   * Settles everything.
   *
   * @return whether intents in other tables may still point to a leader in this one
   */
  boolean settle() throws IOException {
    pages.forEach("Settling", TableName.valueOf(table), this::settle);
    return followersUnknown;
  }

  private void settle(List<Result> rows) throws IOException {
    List<CompletableFuture<Void>> settling = new ArrayList<>();
    for (Result row : rows) {
      for (Cell cell : row.rawCells()) {
        if (MaintenancePages.isTransactionCell(cell)) {
          settling.add(settle(cell));
        }
      }
    }
    waiting.await(Futures.allEnded(settling));
  }

  private CompletableFuture<Void> settle(Cell cell) {
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
      return CompletableFuture.completedFuture(null);
    }
    return decide(id)
        .thenCompose(commit -> store.heal(id.startTimestamp(), floor, List.of(place), commit));
  }

  private CompletableFuture<Void> settleLeader(TransactionId id, TransactionCell state) {
    if (state.state() == TransactionState.FINAL) {
      return CompletableFuture.completedFuture(null);
    }
    followersUnknown |= !state.followersComplete();
    CompletableFuture<Long> decided =
        state.state() == TransactionState.PENDING
            ? decide(id)
            : CompletableFuture.completedFuture(state.commitTimestamp());
    return decided.thenCompose(
        commit -> store.heal(id.startTimestamp(), floor, state.followers(), commit));
  }

  /** The commit timestamp, or 0 for aborted; makes the leader decide. */
  private CompletableFuture<Long> decide(TransactionId id) {
    return store
        .abortLeader(id, floor, true)
        .thenApply(Outcome::commitTimestamp)
        .exceptionally(
            failure -> {
              if (StoreFailures.unwrap(failure) instanceof StoreRefusedException refused
                  && refused.refusal().code() == Refusal.Code.BELOW_SAFE_POINT) {
                // A leader that old and absent was aborted: a committed one stays until its
                // followers are healed.
                return 0L;
              }
              throw new CompletionException(StoreFailures.unwrap(failure));
            });
  }
}
