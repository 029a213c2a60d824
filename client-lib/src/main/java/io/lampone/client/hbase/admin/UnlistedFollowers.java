package io.lampone.client.hbase.admin;

import io.lampone.client.LamponeAdmin.TransactionalTable;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;

/**
 * Search for the followers of transactions whose commit entries are about to be removed and do not
 * list them.
 *
 * <p>Reads the transaction cells themselves, in all versions: a snapshot does not show a follower
 * below a later version of its column, which an older snapshot still needs.
 */
final class UnlistedFollowers {

  private final MaintenancePages pages;
  private final Tables tables;
  private final Healing healing;

  /** Reads the list of tables. */
  interface Tables {
    TableList list() throws IOException;
  }

  /** Transaction whose leader states its fate. */
  record Decided(TransactionId id, Fate fate) {}

  /** Writes fates onto followers; ignores those that name another leader. */
  interface Healing {
    void heal(Map<Decided, List<RowFamily>> followers) throws IOException;
  }

  UnlistedFollowers(MaintenancePages pages, Tables tables, Healing healing) {
    this.pages = pages;
    this.tables = tables;
    this.healing = healing;
  }

  /**
   * Heals the followers in all tables but one. A table that was made plain meanwhile has resolved
   * its own before, and one that was dropped has none.
   *
   * @param decided at least one
   */
  void healOutside(TableName gone, Collection<Decided> decided) throws IOException {
    TreeMap<Long, List<Decided>> byStart = new TreeMap<>();
    for (Decided one : decided) {
      byStart.computeIfAbsent(one.id().startTimestamp(), start -> new ArrayList<>(1)).add(one);
    }
    for (TableName other : names()) {
      if (!other.equals(gone)) {
        try {
          pages.forEachTransactionCell(
              "Resolving in other tables",
              other,
              byStart.navigableKeySet(),
              rows -> healing.heal(followers(other.getNameAsString(), rows, byStart)));
        } catch (IOException e) {
          if (names().contains(other)) {
            throw e;
          }
        }
      }
    }
  }

  /** A table left out would keep intents that cannot be resolved any more. */
  private List<TableName> names() throws IOException {
    TableList list = tables.list();
    list.requireReadable();
    return list.sound().stream().map(TransactionalTable::name).toList();
  }

  /** Returns the pending followers in rows, for each leader that may be theirs. */
  private static Map<Decided, List<RowFamily>> followers(
      String table, List<Result> rows, Map<Long, List<Decided>> byStart) throws LamponeException {
    Map<Decided, List<RowFamily>> followers = new HashMap<>();
    for (Result row : rows) {
      for (Cell cell : row.rawCells()) {
        TransactionCell head = head(table, cell);
        if (head.state() == TransactionState.PENDING && !head.isLeader()) {
          RowFamily place =
              new RowFamily(
                  table,
                  Bytes.wrap(CellUtil.cloneRow(cell)),
                  Bytes.wrap(CellUtil.cloneFamily(cell)));
          for (Decided one : byStart.getOrDefault(cell.getTimestamp(), List.of())) {
            followers.computeIfAbsent(one, each -> new ArrayList<>()).add(place);
          }
        }
      }
    }
    return followers;
  }

  private static TransactionCell head(String table, Cell cell) throws LamponeException {
    try {
      return TransactionCell.decodeHead(
          cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      throw new LamponeException(
          Code.CORRUPT,
          cell.getTimestamp(),
          "an unreadable transaction cell may be decided in the table that is disabled: mend it"
              + " first with 'lampone doctor', table="
              + table
              + " row="
              + Bytes.wrap(CellUtil.cloneRow(cell)),
          e);
    }
  }
}
