package io.lampone.coprocessor.healer;

import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import java.util.Optional;
import java.util.TreeSet;

/** Remains of one transaction in a part of a region. */
final class OrphanedTransaction {

  private final TransactionId id;

  /** Filled by {@link RegionPass}, read afterwards; both by the healer's thread. */
  private final TreeSet<RowFamily> followers = new TreeSet<>();

  private Optional<TransactionCell> leader = Optional.empty();

  OrphanedTransaction(TransactionId id) {
    this.id = id;
  }

  TransactionId id() {
    return id;
  }

  /** Returns the pending followers. */
  TreeSet<RowFamily> followers() {
    return followers;
  }

  /** Returns the state of the leader's cell, without its list, if it is in this part. */
  Optional<TransactionCell> leader() {
    return leader;
  }

  void add(RowFamily place, TransactionCell cell) {
    if (cell.isLeader()) {
      leader = Optional.of(cell);
    } else {
      followers.add(place);
    }
  }
}
