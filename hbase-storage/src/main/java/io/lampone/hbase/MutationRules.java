package io.lampone.hbase;

import io.lampone.protocol.FamilyRetention;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.exceptions.DeserializationException;
import org.jspecify.annotations.Nullable;

/**
 * Options of HBase's mutations that a transactional table does not support. The library checks them
 * before it sends, the region server for plain clients: both report the same.
 *
 * <p>Durability is not among them: whatever a mutation requests, an acknowledged write is in the
 * log.
 */
public final class MutationRules {

  private MutationRules() {}

  /** Returns why {@code mutation} is not supported, and what to do; null if it is. */
  public static @Nullable String objection(Mutation mutation) {
    long ttl = mutation.getTTL();
    if (ttl != Long.MAX_VALUE && !FamilyRetention.isCellLifetime(ttl)) {
      return "no value can have this TTL, millis=" + ttl;
    }
    if (mutation.getACL() != null || hasVisibility(mutation)) {
      return "ACLs and visibility labels of cells are not kept by a transactional table";
    }
    if (mutation instanceof Increment increment && !increment.getTimeRange().isAllTime()
        || mutation instanceof Append append && !append.getTimeRange().isAllTime()) {
      return "time ranges have no meaning on a transactional table: leave them out";
    }
    // for a delete of a whole row, which has no cells
    if (mutation.getTimestamp() != HConstants.LATEST_TIMESTAMP) {
      return timestamp(mutation.getTimestamp());
    }
    for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        String objection = objection(cell);
        if (objection != null) {
          return objection;
        }
      }
    }
    return null;
  }

  private static @Nullable String objection(Cell cell) {
    if (cell.getTimestamp() != HConstants.LATEST_TIMESTAMP) {
      return timestamp(cell.getTimestamp());
    }
    if (cell.getType() == Cell.Type.DeleteFamilyVersion) {
      return "one version of a family cannot be deleted on a transactional table: use addFamily";
    }
    return cell.getTagsLength() > 0
        ? "tags of cells are not kept by a transactional table: a TTL goes with the mutation"
        : null;
  }

  private static boolean hasVisibility(Mutation mutation) {
    try {
      return mutation.getCellVisibility() != null;
    } catch (DeserializationException e) {
      return true; // there is one, though unreadable
    }
  }

  private static String timestamp(long timestamp) {
    return "a transactional table gives timestamps itself: leave them out, timestamp=" + timestamp;
  }
}
