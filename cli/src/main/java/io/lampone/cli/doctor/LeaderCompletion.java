package io.lampone.cli.doctor;

import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Heals the followers of a committed transaction on behalf of its client, as the healer does
 * (protocol page, section 7). Each step is a compare-and-set, so client, healer and doctor may act
 * concurrently. Only the client and the healer mark the leader FINAL (ADR 62). Followers in dropped
 * tables are skipped (ADR 47).
 */
final class LeaderCompletion {

  /** Maximum number of requests for a fate that is being resolved. */
  private static final int MAX_ATTEMPTS = 57;

  private static final long PAUSE_MILLIS = 100;

  private final Connection connection;
  private final Doctor.Passes passes;
  private final AbsentTables dropped;
  private final long floor;

  LeaderCompletion(Connection connection, Doctor.Passes passes, AbsentTables dropped, long floor) {
    this.connection = connection;
    this.passes = passes;
    this.dropped = dropped;
    this.floor = floor;
  }

  /** Finishes the transaction, and returns the result for the user. */
  String finish(RowFamily leader, long start) throws IOException {
    Optional<TransactionCell> stored = stored(leader, start);
    if (stored.map(cell -> cell.state() != TransactionState.COMMITTED).orElse(true)) {
      return "left alone: it has been finished";
    }
    TransactionCell cell = stored.get();
    if (!cell.followersComplete()) {
      return "left to the healer: its list of places is not complete; below the safe point the"
          + " healer looks for them";
    }
    if (cell.followers().stream().anyMatch(place -> place.table().isEmpty())) {
      return "left to the healer: only an administrator of the transaction manager is shown its list"
          + " of places";
    }
    Fate fate = told(leader, start).fate();
    int healed = 0;
    for (RowFamily follower : cell.followers()) {
      if (dropped.contains(follower.table())) {
        continue;
      }
      send(follower.table(), new Heal(start, floor, List.of(follower.row()), leader, fate));
      healed++;
    }
    int gone = cell.followers().size() - healed;
    return "left to the healer, which makes it FINAL: followers healed="
        + healed
        + (gone == 0 ? "" : " in dropped tables=" + gone);
  }

  /**
   * Aborts an intent whose commit entry was dropped with its table.
   *
   * @return the result for the user
   */
  String abort(RowFamily follower, long start) throws IOException {
    Optional<TransactionCell> stored =
        stored(follower, start).filter(cell -> cell.state() == TransactionState.PENDING);
    if (stored.isEmpty()) {
      return "left alone: it has been settled";
    }
    LeaderReadRequest request = new LeaderReadRequest(start, floor, follower.family());
    Get get = Carrier.resolveGet(follower, Reserved.TRANSACTION, request);
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        ask(follower.table(), get);
        return "aborted: its commit entry is gone, its table was dropped or made plain";
      } catch (IOException e) {
        if (RefusalException.in(e).filter(LeaderCompletion::isToCome).isEmpty()) {
          throw e;
        }
        pause(attempt);
      }
    }
    return "left to the healer: its region server has not found out in time";
  }

  private static boolean isToCome(Refusal refusal) {
    return refusal.code() == Refusal.Code.NOT_READY;
  }

  /** Pauses briefly at first: a region server usually knows after some milliseconds. */
  private static void pause(int attempt) throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(Math.min(PAUSE_MILLIS, 1L << Math.min(attempt, 30)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(e);
    }
  }

  /** Reads the current transaction cell, because the finding may be stale. */
  private Optional<TransactionCell> stored(RowFamily place, long start) throws IOException {
    byte[] row = place.row().toArray();
    Scan scan = new Scan().withStartRow(row, true).withStopRow(row, true).setTimestamp(start);
    scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, pass());
    scan.addColumn(place.family().toArray(), Reserved.TRANSACTION.toArray());
    // A region without the coprocessor has no such family; the coprocessor removes it again.
    scan.addFamily(Reserved.PROOF_FAMILY.toArray());
    try (Table table = connection.getTable(TableName.valueOf(place.table()));
        ResultScanner scanner = table.getScanner(scan)) {
      Result result = scanner.next();
      return result == null || result.isEmpty()
          ? Optional.empty()
          : Optional.of(TransactionCell.decode(result.value()));
    }
  }

  private byte[] pass() throws IOException {
    try {
      return passes.current();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException) new InterruptedIOException("interrupted").initCause(e);
    }
  }

  /** Returns the outcome from the leader's region server. */
  private Outcome told(RowFamily leader, long start) throws IOException {
    LeaderReadRequest request = new LeaderReadRequest(start, floor, leader.family());
    return ask(leader.table(), Carrier.leaderGet(leader.row(), request));
  }

  private Outcome ask(String name, Get get) throws IOException {
    try (Table table = connection.getTable(TableName.valueOf(name))) {
      return Carrier.reply(table.get(get)).outcomes().get(0);
    }
  }

  private void send(String name, RegionRequest request) throws IOException {
    try (Table table = connection.getTable(TableName.valueOf(name))) {
      Carrier.reply(table.checkAndMutate(Carrier.checkAndMutate(request)).getResult());
    }
  }
}
