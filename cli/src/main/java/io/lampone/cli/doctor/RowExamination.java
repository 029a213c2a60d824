package io.lampone.cli.doctor;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.jspecify.annotations.Nullable;

/**
 * Judges all cells of one row, all versions, by the page on the protocol (sections 1 and 2). Knows
 * nothing of other rows.
 */
final class RowExamination {

  private final String table;
  private final long bound;
  private final long oldBelow;

  /** A pending follower, whose leader has yet to be looked for. */
  record Follower(RowFamily place, TransactionId id) {}

  private final List<Finding> findings = new ArrayList<>();
  private final List<Follower> followers = new ArrayList<>();

  /**
   * @param bound every timestamp issued is below it
   * @param oldBelow a transaction that began below it should have ended
   */
  RowExamination(String table, long bound, long oldBelow) {
    this.table = table;
    this.bound = bound;
    this.oldBelow = oldBelow;
  }

  List<Finding> findings() {
    return findings;
  }

  /** Pending followers of transactions that should have ended. */
  List<Follower> followers() {
    return followers;
  }

  void examine(Cell[] cells) {
    Map<Bytes, Set<Long>> transactions = new HashMap<>();
    for (Cell cell : cells) {
      if (isTransactionCell(cell)) {
        transactions
            .computeIfAbsent(Bytes.wrap(CellUtil.cloneFamily(cell)), f -> new HashSet<>())
            .add(cell.getTimestamp());
      }
    }
    for (Cell cell : cells) {
      long version = cell.getTimestamp();
      if (Timestamps.isPlain(version)) {
        continue;
      }
      Bytes family = Bytes.wrap(CellUtil.cloneFamily(cell));
      if (Timestamps.tick(version) >= bound) {
        add(Ailment.IMPOSSIBLE_VERSION, cell, "version=" + version + " bound=" + bound, null);
      } else if (isTransactionCell(cell)) {
        examineTransaction(cell);
      } else if (Timestamps.needsTransactionCell(version)
          && !transactions.getOrDefault(family, Set.of()).contains(Timestamps.tick(version))) {
        add(
            Ailment.VERSION_WITHOUT_TRANSACTION,
            cell,
            "version=" + version + " qualifier=" + Bytes.wrap(CellUtil.cloneQualifier(cell)),
            null);
      }
    }
  }

  private void examineTransaction(Cell cell) {
    long start = cell.getTimestamp();
    TransactionCell stored;
    try {
      stored =
          TransactionCell.decode(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      add(
          Ailment.UNDECODABLE_CELL,
          cell,
          "version=" + start + " bytes=" + cell.getValueLength() + " problem=" + e.getMessage(),
          null);
      return;
    }
    if (!Timestamps.isGlobal(start) || start >= oldBelow) {
      return;
    }
    RowFamily place =
        new RowFamily(
            table, Bytes.wrap(CellUtil.cloneRow(cell)), Bytes.wrap(CellUtil.cloneFamily(cell)));
    TransactionId id = new TransactionId(start, stored.leader().orElse(place));
    String since = "start=" + start + " began=" + Timestamps.toInstant(start);
    if (stored.state() == TransactionState.PENDING) {
      add(Ailment.OLD_INTENT, cell, since + " leader=" + id.leader(), id);
      if (!stored.isLeader()) {
        followers.add(new Follower(place, id));
      }
    } else if (stored.isLeader() && stored.state() == TransactionState.COMMITTED) {
      add(
          Ailment.UNFINISHED_LEADER,
          cell,
          since
              + " followers="
              + stored.followers().size()
              + " listed="
              + stored.followersComplete(),
          id);
    }
  }

  private void add(Ailment ailment, Cell cell, String detail, @Nullable TransactionId id) {
    Bytes row = Bytes.wrap(CellUtil.cloneRow(cell));
    Bytes family = Bytes.wrap(CellUtil.cloneFamily(cell));
    findings.add(
        new Finding(
            ailment,
            table,
            row + "/" + family,
            detail,
            Optional.ofNullable(id),
            id == null ? Optional.empty() : Optional.of(new RowFamily(table, row, family))));
  }

  private static boolean isTransactionCell(Cell cell) {
    return CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray());
  }
}
