package io.lampone.phoenix;

import java.util.HashSet;
import java.util.Set;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;

/** Tables to which Phoenix sends the writes of a transaction that was in conflict again. */
final class RepeatedWrites {

  private final Set<PTableKey> tables = new HashSet<>();

  /** Forgets all: a transaction has begun, or a statement in one that Phoenix has left. */
  void clear() {
    tables.clear();
  }

  /**
   * Refuses writes that Phoenix sends again on its own. After a conflict it begins a transaction,
   * names the tables, and looks them up; if it finds a new index, or all of them are immutable, it
   * sends all writes again. But deletes, and those of index rows with them, were compiled by what
   * was read before; values that derive from it would hide what was committed since; and new rows
   * do not replace the index rows of others. New rows of immutable tables without indexes may pass.
   *
   * <p>A statement looks up the table, at the id of the transaction, before it is named here.
   */
  void refuse(SqlTransaction writing, PTable table, boolean isIdKnown) {
    if (!isIdKnown) {
      tables.add(table.getKey());
    } else if (tables.contains(table.getKey())) {
      writing.refuseRepetition(
          KnownSchemas.physicalName(table),
          table.isImmutableRows() && table.getIndexes().isEmpty());
    }
  }
}
