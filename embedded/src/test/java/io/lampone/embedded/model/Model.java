package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Transactional tables as they should be, in memory: every version of every column by commit
 * timestamp, and what every committed transaction wrote. As simple as it can be; it knows nothing
 * of intents, leaders and buffers.
 *
 * <p>Not thread-safe.
 */
final class Model {

  private final List<ConflictLevel> levels;
  private final List<NavigableMap<Bytes, NavigableMap<Column, NavigableMap<Long, Optional<Bytes>>>>>
      tables = new ArrayList<>();
  private final NavigableMap<Long, Committed> commits = new TreeMap<>();

  /**
   * What a committed transaction wrote: what is left of it after its rollbacks to savepoints, and
   * everything, which it may have been validated for.
   */
  private record Committed(List<ModelWrite> lasting, List<ModelWrite> ever) {}

  Model(List<ConflictLevel> levels) {
    this.levels = List.copyOf(levels);
    levels.forEach(level -> tables.add(new TreeMap<>()));
  }

  /** Every row key that was ever written, whether anybody sees it or not. */
  NavigableSet<Bytes> keys(int table) {
    return new TreeSet<>(tables.get(table).keySet());
  }

  /** The row as a snapshot sees it: what committed strictly below {@code timestamp}. */
  NavigableMap<Column, Bytes> row(int table, Bytes key, long timestamp) {
    NavigableMap<Column, Bytes> seen = new TreeMap<>();
    tables
        .get(table)
        .getOrDefault(key, new TreeMap<>())
        .forEach(
            (column, versions) -> {
              Map.Entry<Long, Optional<Bytes>> newest = versions.lowerEntry(timestamp);
              if (newest != null) {
                newest.getValue().ifPresent(value -> seen.put(column, value));
              }
            });
    return seen;
  }

  /** Whether the transaction must be refused: somebody who committed since wrote the same. */
  boolean mustConflict(ModelTransaction transaction) {
    return newer(transaction).stream()
        .anyMatch(c -> conflict(c.lasting(), transaction.lastingWrites()));
  }

  /**
   * Whether the transaction may be refused: also for what either of the two has undone, because
   * that may have been sent and validated.
   */
  boolean mayConflict(ModelTransaction transaction) {
    return newer(transaction).stream().anyMatch(c -> conflict(c.ever(), transaction.everWritten()));
  }

  /** Makes the writes of a transaction visible from {@code commitTimestamp} on. */
  void commit(ModelTransaction transaction, long commitTimestamp) {
    for (ModelWrite write : transaction.lastingWrites()) {
      NavigableMap<Column, NavigableMap<Long, Optional<Bytes>>> row =
          tables.get(write.table()).computeIfAbsent(write.row(), r -> new TreeMap<>());
      switch (write.kind()) {
        case PUT -> version(row, write.column()).put(commitTimestamp, Optional.of(write.value()));
        case DELETE_COLUMN -> version(row, write.column()).put(commitTimestamp, Optional.empty());
        case DELETE_FAMILY ->
            row.forEach(
                (column, versions) -> {
                  if (column.family().equals(write.column().family())) {
                    versions.put(commitTimestamp, Optional.empty());
                  }
                });
      }
    }
    commits.put(
        commitTimestamp, new Committed(transaction.lastingWrites(), transaction.everWritten()));
  }

  private static NavigableMap<Long, Optional<Bytes>> version(
      NavigableMap<Column, NavigableMap<Long, Optional<Bytes>>> row, Column column) {
    return row.computeIfAbsent(column, c -> new TreeMap<>());
  }

  private Iterable<Committed> newerThan(long start) {
    return commits.tailMap(start, false).values();
  }

  private List<Committed> newer(ModelTransaction transaction) {
    List<Committed> newer = new ArrayList<>();
    newerThan(transaction.start()).forEach(newer::add);
    return newer;
  }

  private boolean conflict(List<ModelWrite> winners, List<ModelWrite> losers) {
    for (ModelWrite winner : winners) {
      for (ModelWrite loser : losers) {
        if (winner.conflictsWith(loser, levels.get(winner.table()))) {
          return true;
        }
      }
    }
    return false;
  }
}
