package io.lampone.coprocessor.healer;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** State of a search for the followers of several transactions. */
final class EverywhereHeal {

  private static final Logger LOG = LoggerFactory.getLogger(EverywhereHeal.class);

  private final Map<TransactionId, Long> commits;
  private final TreeSet<Long> starts = new TreeSet<>();

  /** Pending followers that are not healed yet. */
  private final Map<TransactionId, List<RowFamily>> pending = new HashMap<>();

  private int found;
  private final Set<TransactionId> healed;

  /** Heals followers of one transaction. */
  @FunctionalInterface
  interface Healing {
    void heal(TransactionId id, Collection<RowFamily> followers, long commitTimestamp)
        throws IOException;
  }

  /**
   * @param commits commit timestamps; at least one
   */
  EverywhereHeal(Map<TransactionId, Long> commits) {
    this.commits = commits;
    this.healed = new HashSet<>(commits.keySet());
    commits.keySet().forEach(id -> starts.add(id.startTimestamp()));
  }

  long minStart() {
    return starts.first();
  }

  long maxStart() {
    return starts.last();
  }

  /** Returns the number of pending followers that are not healed yet. */
  int found() {
    return found;
  }

  /** Returns the transactions of which everything that was found is healed. */
  Set<TransactionId> healed() {
    return healed;
  }

  /** Looks at a transaction cell. One that cannot be read concerns those of its start only. */
  void look(String table, Cell cell) {
    long start = cell.getTimestamp();
    if (!starts.contains(start)) {
      return;
    }
    TransactionCell head;
    try {
      head =
          TransactionCell.decodeHead(
              cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    } catch (MalformedException e) {
      LOG.debug("Unreadable transaction cell, table={} start={}", table, start, e);
      healed.removeIf(id -> id.startTimestamp() == start);
      return;
    }
    if (head.state() != TransactionState.PENDING || head.leader().isEmpty()) {
      return;
    }
    TransactionId id = new TransactionId(start, head.leader().get());
    if (commits.containsKey(id)) {
      pending
          .computeIfAbsent(id, each -> new ArrayList<>())
          .add(
              new RowFamily(
                  table,
                  Bytes.wrap(CellUtil.cloneRow(cell)),
                  Bytes.wrap(CellUtil.cloneFamily(cell))));
      found++;
    }
  }

  /**
   * Heals what was found. A refusal concerns one transaction.
   *
   * @throws IOException if a region cannot be reached
   */
  void heal(Healing healing) throws IOException {
    for (Map.Entry<TransactionId, Long> each : commits.entrySet()) {
      List<RowFamily> followers = pending.remove(each.getKey());
      if (followers != null) {
        try {
          healing.heal(each.getKey(), followers, each.getValue());
        } catch (IOException e) {
          if (HealerConnection.refusal(e).isEmpty()) {
            throw e;
          }
          LOG.debug("Followers not healed, transaction={}", each.getKey(), e);
          healed.remove(each.getKey());
        }
      }
    }
    found = 0;
  }
}
