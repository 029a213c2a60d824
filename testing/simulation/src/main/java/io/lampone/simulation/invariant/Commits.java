package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Commits according to the durable cells: a regular transaction counts from the moment at which its
 * leader is COMMITTED, all other writes from the moment at which they are in a log. Notifies {@link
 * Listener listeners} of each commit.
 */
public final class Commits implements Invariant {

  /** Writes of a transaction if it commits, by start timestamp. */
  private final Map<Long, Map<Place, Optional<Bytes>>> intended = new HashMap<>();

  /** By start timestamp, the commit timestamp. */
  private final Map<Long, Long> committed = new HashMap<>();

  /** By operation of the fast path, its version. */
  private final Map<OperationId, Long> applied = new HashMap<>();

  /** Versions by commit timestamp; empty = deleted. */
  private final Map<Place, TreeMap<Long, Optional<Bytes>>> versions = new HashMap<>();

  private final List<Listener> listeners = new ArrayList<>();

  /** Listener of commits. */
  interface Listener {
    /**
     * @param start of the transaction; 0 for an operation of the fast path
     */
    void committed(long start, long commit, Set<Place> places);
  }

  void listen(Listener listener) {
    listeners.add(listener);
  }

  /** The commit timestamp of a transaction, if it has committed. */
  public Optional<Long> commitOf(long start) {
    return Optional.ofNullable(committed.get(start));
  }

  /** Returns the commit timestamp of an operation or a transaction, if it was committed. */
  public Optional<Long> commitOf(OperationId id) {
    return id.isTransaction() ? commitOf(id.counter()) : Optional.ofNullable(applied.get(id));
  }

  /** Returns the newest version of a place below a snapshot; empty if there is none. */
  Optional<Map.Entry<Long, Optional<Bytes>>> below(Place place, long snapshot) {
    TreeMap<Long, Optional<Bytes>> found = versions.get(place);
    return found == null ? Optional.empty() : Optional.ofNullable(found.lowerEntry(snapshot));
  }

  /** Versions of a place from a commit timestamp on. */
  Collection<Optional<Bytes>> from(Place place, long commit) {
    TreeMap<Long, Optional<Bytes>> found = versions.get(place);
    return found == null ? List.of() : found.tailMap(commit, true).values();
  }

  /** When versions of a place were committed. */
  Set<Long> commitsOf(Place place) {
    TreeMap<Long, Optional<Bytes>> found = versions.get(place);
    return found == null ? Set.of() : found.keySet();
  }

  @Override
  public void intends(long start, Map<Place, Optional<Bytes>> writes) {
    intended.put(start, Map.copyOf(writes));
  }

  @Override
  public void appended(RegionLog log, List<RegionLog.RowWrite> writes) {
    Map<Place, Optional<Bytes>> born = new HashMap<>();
    long version = 0;
    long start = 0;
    for (RegionLog.RowWrite write : writes) {
      for (CellWrite cell : write.cells()) {
        if (Timestamps.needsTransactionCell(cell.version())) {
          if (cell.qualifier().equals(Reserved.TRANSACTION)) {
            transactionCell(cell);
          }
        } else {
          version = cell.version();
          OperationId id = cell.id();
          start = id.isTransaction() ? id.counter() : start;
          if (!id.isTransaction() && !id.equals(OperationId.NONE)) {
            applied.put(id, version);
          }
        }
      }
      if (version != 0) {
        bornInRow(write, born);
      }
    }
    if (version != 0) {
      commit(start, version, born);
    }
  }

  private void transactionCell(CellWrite write) {
    TransactionCell cell = TransactionCell.decode(write.value().unsafeArray());
    if (cell.isLeader() && cell.state() == TransactionState.COMMITTED) {
      long start = write.version();
      if (!committed.containsKey(start)) {
        commit(start, cell.commitTimestamp(), intended.getOrDefault(start, Map.of()));
      }
    }
  }

  private static void bornInRow(RegionLog.RowWrite write, Map<Place, Optional<Bytes>> born) {
    Set<Schema.Column> deleted = new HashSet<>();
    for (CellWrite cell : write.cells()) {
      if (cell.qualifier().equals(Reserved.FAMILY_TOMBSTONE)) {
        Schema.COLUMNS.stream()
            .filter(column -> column.family().equals(cell.family()))
            .forEach(column -> born.putIfAbsent(new Place(write.row(), column), Optional.empty()));
      } else if (cell.qualifier().equals(Reserved.TRANSACTION)) {
        TransactionCell.decode(cell.value().unsafeArray())
            .deletedColumns()
            .forEach(d -> deleted.add(new Schema.Column(cell.family(), d.qualifier())));
      }
    }
    for (CellWrite cell : write.cells()) {
      Schema.Column column = new Schema.Column(cell.family(), cell.qualifier());
      if (!Reserved.isReserved(cell.qualifier())) {
        born.put(
            new Place(write.row(), column),
            deleted.contains(column) ? Optional.empty() : Optional.of(cell.value()));
      }
    }
  }

  private void commit(long start, long commit, Map<Place, Optional<Bytes>> writes) {
    if (start != 0) {
      committed.put(start, commit);
    }
    writes.forEach(
        (place, value) -> versions.computeIfAbsent(place, p -> new TreeMap<>()).put(commit, value));
    listeners.forEach(listener -> listener.committed(start, commit, writes.keySet()));
  }
}
