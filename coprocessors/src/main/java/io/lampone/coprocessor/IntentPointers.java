package io.lampone.coprocessor;

import io.lampone.coprocessor.core.fence.Statements;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.write.PlainClientSupport;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.Region;
import org.jspecify.annotations.Nullable;

/** Pointers to undecided intents in the result of a row, or the refusal of the read instead. */
final class IntentPointers {

  private final Region region;
  private final Statements statements;
  private final HiddenColumns hidden;
  private boolean forPlainClient;

  /** The refusal of undecided intents; null if pointers are returned. */
  private @Nullable IntentsAhead ahead;

  /** Intents in this row for which pointers were returned, by family and start timestamp. */
  private final Set<List<Object>> intents = new HashSet<>();

  /** Pointer that replaces the cell being included. */
  private @Nullable Cell pointer;

  IntentPointers(Region region, Statements statements, HiddenColumns hidden) {
    this.region = region;
    this.statements = statements;
    this.hidden = hidden;
  }

  /** Refuses undecided intents from now on, and returns no pointers. */
  void refuse(IntentsAhead newAhead) {
    ahead = newAhead;
  }

  /** Makes plain HBase clients retry from now on. */
  void forPlainClient() {
    forPlainClient = true;
  }

  /** Returns true if the row has none. */
  boolean none() {
    return intents.isEmpty();
  }

  /**
   * Makes a pointer of a cell that depends on an undecided intent, unless the row has it already.
   *
   * @return true if the cell is to be included: not with a skip to the next column, which HBase
   *     would search from the pointer on
   */
  boolean include(Cell cell, FamilyView here) throws IOException {
    if (hidden.contains(cell)) {
      return false;
    }
    String table = region.getTableDescriptor().getTableName().getNameAsString();
    if (forPlainClient) {
      throw PlainClientSupport.busy(table);
    }
    statements.met();
    long start = here.undecidedStart();
    Bytes family = here.family();
    TransactionCell shown = statements.shown(table, start, here.undecidedCell());
    if (ahead != null) {
      throw ahead.refusal(cell, family, start, shown);
    }
    if (!intents.add(List.of(family, start))) {
      return false;
    }
    pointer = Carrier.pointerCell(cell, start, shown);
    return true;
  }

  /** Returns the pointer of the cell being included, once; null if it is shown itself. */
  @Nullable Cell take() {
    Cell taken = pointer;
    pointer = null;
    return taken;
  }

  /** Forgets the row. */
  void clear() {
    pointer = null;
    intents.clear();
  }
}
