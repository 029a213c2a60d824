package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Model of transactional tables, in memory: every version of every column by commit timestamp, and
 * the writes of every committed transaction. As simple as possible, without intents, leaders and
 * buffers.
 *
 * <p>Not thread-safe.
 */
final class Model {

  private final List<ConflictLevel> levels;
  private final List<NavigableMap<Bytes, NavigableMap<Column, NavigableMap<Long, Version>>>>
      tables = new ArrayList<>();
  private final NavigableMap<Long, Committed> commits = new TreeMap<>();

  /**
   * Writes of a committed transaction: those that remain after its rollbacks to savepoints, and all
   * of them, for which it may have been validated.
   */
  private record Committed(List<ModelWrite> lasting, List<ModelWrite> ever) {}

  /**
   * Result of a transaction in a column.
   *
   * @param value empty = deleted
   * @param expiry snapshots above it do not see it, nor any older version
   */
  private record Version(Optional<Bytes> value, long expiry) {
    static final Version DELETED = new Version(Optional.empty(), Long.MAX_VALUE);

    /** Counted from the version of the cell: at birth, or when its writer began. */
    static Version of(ModelWrite write, long start, long commitTimestamp) {
      long version = Timestamps.isCommittedAtBirth(commitTimestamp) ? commitTimestamp : start;
      long expiry =
          write.lifetimeMillis() == 0
              ? Long.MAX_VALUE
              : Timestamps.tick(version) + TimeUnit.MILLISECONDS.toNanos(write.lifetimeMillis());
      return new Version(Optional.of(write.value()), Timestamps.tick(expiry));
    }
  }

  Model(List<ConflictLevel> levels) {
    this.levels = List.copyOf(levels);
    levels.forEach(level -> tables.add(new TreeMap<>()));
  }

  /** Returns every row key ever written, visible or not. */
  NavigableSet<Bytes> keys(int table) {
    return new TreeSet<>(tables.get(table).keySet());
  }

  /** Returns the row as seen by a snapshot: commits strictly below {@code timestamp}. */
  NavigableMap<Column, Bytes> row(int table, Bytes key, long timestamp) {
    NavigableMap<Column, Bytes> seen = new TreeMap<>();
    tables
        .get(table)
        .getOrDefault(key, new TreeMap<>())
        .forEach(
            (column, versions) -> {
              Map.Entry<Long, Version> newest = versions.lowerEntry(timestamp);
              if (newest != null && newest.getValue().expiry() >= timestamp) {
                newest.getValue().value().ifPresent(value -> seen.put(column, value));
              }
            });
    return seen;
  }

  /** Returns true if the transaction must be refused: a later commit wrote the same. */
  boolean mustConflict(ModelTransaction transaction) {
    return newer(transaction).stream()
        .anyMatch(c -> conflict(c.lasting(), transaction.lastingWrites()));
  }

  /**
   * Returns true if the transaction may be refused: also for writes that either of the two has
   * undone, because they may have been sent and validated.
   */
  boolean mayConflict(ModelTransaction transaction) {
    return newer(transaction).stream().anyMatch(c -> conflict(c.ever(), transaction.everWritten()));
  }

  /** Makes the writes of a transaction visible from {@code commitTimestamp} on. */
  void commit(ModelTransaction transaction, long commitTimestamp) {
    for (ModelWrite write : transaction.lastingWrites()) {
      NavigableMap<Column, NavigableMap<Long, Version>> row =
          tables.get(write.table()).computeIfAbsent(write.row(), r -> new TreeMap<>());
      switch (write.kind()) {
        case PUT ->
            version(row, write.column())
                .put(commitTimestamp, Version.of(write, transaction.start(), commitTimestamp));
        case DELETE_COLUMN -> version(row, write.column()).put(commitTimestamp, Version.DELETED);
        case DELETE_FAMILY ->
            row.forEach(
                (column, versions) -> {
                  if (column.family().equals(write.column().family())) {
                    versions.put(commitTimestamp, Version.DELETED);
                  }
                });
      }
    }
    commits.put(
        commitTimestamp, new Committed(transaction.lastingWrites(), transaction.everWritten()));
  }

  private static NavigableMap<Long, Version> version(
      NavigableMap<Column, NavigableMap<Long, Version>> row, Column column) {
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
