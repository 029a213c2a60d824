package io.lampone.phoenix;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;

/**
 * Lists of indexes by table, of which Phoenix has found another if it sends the writes of a
 * transaction that was in conflict again.
 */
final class FormerIndexes {

  private final SqlCatalogue catalogue;
  private final Map<PTableKey, Set<List<PTable>>> former = new HashMap<>();

  FormerIndexes(SqlCatalogue catalogue) {
    this.catalogue = catalogue;
  }

  /** Forgets all: a transaction has begun. */
  void clear() {
    former.clear();
  }

  /**
   * Refuses writes that Phoenix sends again on its own. After a conflict it begins a transaction,
   * names the tables, and looks them up; if it finds a new index, it sends all writes again. But
   * deletes have no deletes of the new index with them, and values that derive from what was read
   * would hide what was committed since. New rows of immutable tables it always sends again.
   *
   * <p>A statement looks up the table, at the id of the transaction, before it is named here.
   */
  void requireNoRepetition(SqlTransaction writing, PTable table, boolean isIdKnown) {
    Set<List<PTable>> known = former.get(table.getKey());
    if (!isIdKnown) {
      known = former.computeIfAbsent(table.getKey(), each -> new HashSet<>());
      known.add(cachedIndexes(table));
      if (table.isImmutableRows()) {
        known.add(table.getIndexes());
      }
    } else if (known != null && !known.equals(Set.of(table.getIndexes()))) {
      writing.refuseRepetition(KnownSchemas.physicalName(table), table.isImmutableRows());
    }
  }

  private List<PTable> cachedIndexes(PTable table) {
    try {
      return catalogue.copyOf(table.getKey()).getIndexes();
    } catch (SQLException e) {
      return table.getIndexes(); // there is none: nor does Phoenix go on
    }
  }
}
