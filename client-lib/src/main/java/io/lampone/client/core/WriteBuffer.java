package io.lampone.client.core;

import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.TransactionStore.TableIntents;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Unsent writes of a transaction, by table, row and family, in the order of the writes. Rewriting a
 * cell in the same savepoint slot replaces the earlier write; a family delete replaces the earlier
 * writes of its slot.
 *
 * <p>Not thread-safe: {@link OpenTransaction} guards it.
 */
final class WriteBuffer {

  /** Approximate overhead of an entry in bytes. */
  private static final int ENTRY_OVERHEAD = 64;

  private final Map<String, BufferedTable> tables = new TreeMap<>();
  private final ConflictKeys conflictKeys = new ConflictKeys();
  private long bytes;

  /** Level of every table that was ever drained. */
  private final Map<String, ConflictLevel> levels = new HashMap<>();

  /** Timestamps that were known before the indexes of these tables were looked up. */
  private final Map<String, Long> knownSchemas = new HashMap<>();

  /** Rows of one table, ascending. */
  private static final class BufferedTable {
    final ConflictLevel level;
    final NavigableMap<Bytes, NavigableMap<Bytes, BufferedFamily>> rows = new TreeMap<>();

    BufferedTable(ConflictLevel level) {
      this.level = level;
    }
  }

  /** Key of a cell: a column of one slot; a family delete has the kind instead of a qualifier. */
  private record Key(int slot, Optional<Bytes> qualifier) {}

  /** Cells of one family of one row, oldest first. */
  private static final class BufferedFamily {
    final Map<Key, IntentCell> cells = new LinkedHashMap<>();
  }

  /** Adds a write in a savepoint slot. */
  void add(ConflictLevel level, RowFamily place, int slot, Write write) {
    add(
        level,
        place,
        new IntentCell(
            slot, write.kind(), write.qualifier(), write.value(), write.lifetimeMillis()));
  }

  /**
   * Adds a cell.
   *
   * @throws TransactionEndedException if the table's level has changed: its servers refuse the
   *     earlier writes
   */
  void add(ConflictLevel level, RowFamily place, IntentCell cell) {
    BufferedTable table = tables.computeIfAbsent(place.table(), t -> new BufferedTable(level));
    if (table.level != level) {
      throw new TransactionEndedException(
          new CommitOutcome.Aborted(
              "the conflict level of a table was changed meanwhile, table=" + place.table(), null));
    }
    BufferedFamily family =
        table
            .rows
            .computeIfAbsent(place.row(), r -> new TreeMap<>())
            .computeIfAbsent(place.family(), f -> new BufferedFamily());
    if (cell.kind() == IntentKind.DELETE_FAMILY) {
      family
          .cells
          .entrySet()
          .removeIf(
              e -> {
                boolean covered = e.getKey().slot() == cell.slot();
                if (covered) {
                  bytes -= size(place, e.getValue());
                }
                return covered;
              });
      put(family, place, new Key(cell.slot(), Optional.empty()), cell);
    } else {
      put(family, place, new Key(cell.slot(), Optional.of(cell.qualifier())), cell);
    }
  }

  private void put(BufferedFamily family, RowFamily place, Key key, IntentCell cell) {
    IntentCell old = family.cells.remove(key);
    if (old != null) {
      bytes -= size(place, old);
    }
    family.cells.put(key, cell);
    bytes += size(place, cell);
  }

  /** Removes every cell of {@code slot} and above. */
  void dropFrom(int slot) {
    for (BufferedTable table : tables.values()) {
      table
          .rows
          .entrySet()
          .removeIf(
              row -> {
                row.getValue()
                    .values()
                    .forEach(f -> f.cells.keySet().removeIf(k -> k.slot() >= slot));
                row.getValue().values().removeIf(f -> f.cells.isEmpty());
                return row.getValue().isEmpty();
              });
    }
    tables.values().removeIf(t -> t.rows.isEmpty());
    bytes = 0;
    tables.forEach(
        (table, buffered) ->
            buffered.rows.forEach(
                (row, families) ->
                    families.forEach(
                        (family, cells) ->
                            cells
                                .cells
                                .values()
                                .forEach(
                                    c -> bytes += size(new RowFamily(table, row, family), c)))));
  }

  boolean isEmpty() {
    return tables.isEmpty();
  }

  /** Returns the approximate heap size of the buffered cells. */
  long bytes() {
    return bytes;
  }

  /** Returns the hashes of every cell that was ever drained: the transaction's conflict keys. */
  ConflictKeys conflictKeys() {
    return conflictKeys;
  }

  /** See {@link OpenTransaction#checkSchema}. */
  void checkSchema(String table, long known) {
    conflictKeys.addFence(table);
    if (known != 0) {
      knownSchemas.merge(table, known, Math::min);
    }
  }

  private long knownSchema(String table) {
    return knownSchemas.getOrDefault(table, 0L);
  }

  boolean touchesRow(String table, Bytes row) {
    BufferedTable buffered = tables.get(table);
    return buffered != null && buffered.rows.containsKey(row);
  }

  /** Returns true if a row in the range is buffered; an empty bound is none. */
  boolean touchesRange(
      String table, Bytes start, boolean includeStart, Bytes stop, boolean includeStop) {
    BufferedTable buffered = tables.get(table);
    if (buffered == null) {
      return false;
    }
    NavigableMap<Bytes, ?> rows = buffered.rows;
    if (!start.isEmpty()) {
      rows = rows.tailMap(start, includeStart);
    }
    if (rows.isEmpty()) {
      return false;
    }
    if (stop.isEmpty()) {
      return true;
    }
    int c = rows.firstKey().compareTo(stop);
    return c < 0 || c == 0 && includeStop;
  }

  /** Returns the buffered writes of a row. */
  RowOverlay overlay(String table, Bytes row) {
    Map<Bytes, RowOverlay.FamilyOverlay> families = new TreeMap<>();
    BufferedTable buffered = tables.get(table);
    if (buffered != null && buffered.rows.containsKey(row)) {
      buffered.rows.get(row).forEach((family, cells) -> families.put(family, replay(cells)));
    }
    return new RowOverlay(families);
  }

  private static RowOverlay.FamilyOverlay replay(BufferedFamily family) {
    boolean deleted = false;
    NavigableMap<Bytes, Optional<Bytes>> columns = new TreeMap<>();
    for (IntentCell cell : family.cells.values()) {
      switch (cell.kind()) {
        case PUT -> columns.put(cell.qualifier(), Optional.of(cell.value()));
        case DELETE_COLUMN -> columns.put(cell.qualifier(), Optional.empty());
        case DELETE_FAMILY -> {
          deleted = true;
          columns.clear();
        }
      }
    }
    return new RowOverlay.FamilyOverlay(deleted, columns);
  }

  /**
   * Returns the buffered cells of a transaction with one table as they would all be at one version:
   * the last write of each column, in slot 0. The buffer stays as it is.
   */
  Optional<OneTable> asOneTable() {
    if (tables.size() != 1) {
      return Optional.empty();
    }
    BufferedTable table = tables.values().iterator().next();
    List<RowIntents> rows = new ArrayList<>(table.rows.size());
    table.rows.forEach(
        (row, families) -> {
          List<FamilyIntents> intents = new ArrayList<>(families.size());
          families.forEach(
              (family, cells) ->
                  intents.add(
                      new FamilyIntents(family, SlotSet.NONE, Optional.empty(), last(cells))));
          rows.add(new RowIntents(row, intents));
        });
    return Optional.of(
        new OneTable(table.level, rows, knownSchema(tables.keySet().iterator().next())));
  }

  /** Rows of the only table; see {@link TableIntents}. */
  record OneTable(ConflictLevel level, List<RowIntents> rows, long knownSchema) {}

  /**
   * Returns the last writes: at one version a put counts as later than a family delete, which
   * covers deletes of columns.
   */
  private static List<IntentCell> last(BufferedFamily family) {
    RowOverlay.FamilyOverlay seen = replay(family);
    Map<Bytes, IntentCell> puts = new HashMap<>();
    Bytes ofRow = Bytes.EMPTY; // value of the family deletes if they are parts of a row delete
    for (IntentCell cell : family.cells.values()) {
      if (cell.kind() == IntentKind.DELETE_FAMILY && !cell.value().isEmpty()) {
        ofRow = cell.value();
      }
      if (cell.kind() == IntentKind.PUT) {
        puts.put(cell.qualifier(), cell); // the last one, as in the overlay
      }
    }
    List<IntentCell> cells = new ArrayList<>(seen.columns().size() + 1);
    if (seen.deleted()) {
      cells.add(new IntentCell(0, IntentKind.DELETE_FAMILY, Bytes.EMPTY, ofRow));
    }
    seen.columns()
        .forEach(
            (qualifier, value) -> {
              if (value.isPresent()) {
                long lifetime = Objects.requireNonNull(puts.get(qualifier)).lifetimeMillis();
                cells.add(new IntentCell(0, IntentKind.PUT, qualifier, value.get(), lifetime));
              } else if (!seen.deleted()) {
                cells.add(new IntentCell(0, IntentKind.DELETE_COLUMN, qualifier, Bytes.EMPTY));
              }
            });
    return cells;
  }

  /** Returns the first place in table, row and family order. */
  RowFamily firstPlace() {
    Map.Entry<String, BufferedTable> table = tables.entrySet().iterator().next();
    Map.Entry<Bytes, NavigableMap<Bytes, BufferedFamily>> row = table.getValue().rows.firstEntry();
    return new RowFamily(table.getKey(), row.getKey(), row.getValue().firstKey());
  }

  /** Returns all places, ascending. */
  List<RowFamily> places() {
    List<RowFamily> places = new ArrayList<>();
    tables.forEach(
        (table, buffered) ->
            buffered.rows.forEach(
                (row, families) ->
                    families.keySet().forEach(f -> places.add(new RowFamily(table, row, f)))));
    return places;
  }

  /**
   * Empties the buffer into intents, and adds empty intents for {@code others}: places of which
   * only the transaction cell must be written.
   *
   * @param rolledBack content of every transaction cell
   * @param leader its cell gets {@code followers}
   */
  Map<String, TableIntents> drain(
      SlotSet rolledBack, List<RowFamily> others, RowFamily leader, FollowerList followers) {
    NavigableMap<String, NavigableMap<Bytes, NavigableMap<Bytes, FamilyIntents>>> all =
        new TreeMap<>();
    for (RowFamily place : others) {
      familiesOf(all, place)
          .put(place.family(), intents(place, rolledBack, leader, followers, List.of()));
    }
    tables.forEach(
        (table, buffered) ->
            buffered.rows.forEach(
                (row, families) ->
                    families.forEach(
                        (family, cells) -> {
                          RowFamily place = new RowFamily(table, row, family);
                          List<IntentCell> list = List.copyOf(cells.cells.values());
                          addKeys(buffered.level, place, list);
                          familiesOf(all, place)
                              .put(family, intents(place, rolledBack, leader, followers, list));
                        })));
    tables.forEach((table, buffered) -> levels.put(table, buffered.level));
    tables.clear();
    bytes = 0;
    Map<String, TableIntents> drained = new TreeMap<>();
    all.forEach(
        (table, rows) -> {
          List<RowIntents> list = new ArrayList<>();
          rows.forEach((row, f) -> list.add(new RowIntents(row, List.copyOf(f.values()))));
          ConflictLevel level = Objects.requireNonNull(levels.get(table));
          drained.put(table, new TableIntents(level, list, knownSchema(table)));
        });
    return drained;
  }

  /** Adds the keys of some cells; at level ROW all cells have the same. */
  private void addKeys(ConflictLevel level, RowFamily place, List<IntentCell> cells) {
    int different = level == ConflictLevel.ROW ? Math.min(1, cells.size()) : cells.size();
    cells
        .subList(0, different)
        .forEach(cell -> conflictKeys.add(level, place, cell.kind(), cell.qualifier()));
  }

  private static NavigableMap<Bytes, FamilyIntents> familiesOf(
      NavigableMap<String, NavigableMap<Bytes, NavigableMap<Bytes, FamilyIntents>>> all,
      RowFamily place) {
    return all.computeIfAbsent(place.table(), t -> new TreeMap<>())
        .computeIfAbsent(place.row(), r -> new TreeMap<>());
  }

  private static FamilyIntents intents(
      RowFamily place,
      SlotSet rolledBack,
      RowFamily leader,
      FollowerList followers,
      List<IntentCell> cells) {
    Optional<FollowerList> list = place.equals(leader) ? Optional.of(followers) : Optional.empty();
    return new FamilyIntents(place.family(), rolledBack, list, cells);
  }

  private static long size(RowFamily place, IntentCell cell) {
    return ENTRY_OVERHEAD
        + place.row().length()
        + place.family().length()
        + cell.qualifier().length()
        + cell.value().length();
  }
}
