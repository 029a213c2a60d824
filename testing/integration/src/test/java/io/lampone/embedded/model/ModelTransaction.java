package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;

/**
 * Model of a transaction: a snapshot, with its own writes over it in their order.
 *
 * <p>Not thread-safe.
 */
final class ModelTransaction {

  private final Model model;
  private final long start;
  private final List<ModelWrite> lasting = new ArrayList<>();
  private final List<ModelWrite> ever = new ArrayList<>();

  ModelTransaction(Model model, long start) {
    this.model = model;
    this.start = start;
  }

  long start() {
    return start;
  }

  void write(ModelWrite write) {
    lasting.add(write);
    ever.add(write);
  }

  /** Returns the argument of {@link #rollbackTo}. */
  int savepoint() {
    return lasting.size();
  }

  void rollbackTo(int savepoint) {
    lasting.subList(savepoint, lasting.size()).clear();
  }

  List<ModelWrite> lastingWrites() {
    return List.copyOf(lasting);
  }

  List<ModelWrite> everWritten() {
    return List.copyOf(ever);
  }

  /** Returns the row as the transaction sees it. */
  NavigableMap<Column, Bytes> row(int table, Bytes key) {
    NavigableMap<Column, Bytes> seen = model.row(table, key, start);
    for (ModelWrite write : lasting) {
      if (write.table() == table && write.row().equals(key)) {
        switch (write.kind()) {
          case PUT -> seen.put(write.column(), write.value());
          case DELETE_COLUMN -> seen.remove(write.column());
          case DELETE_FAMILY ->
              seen.keySet().removeIf(column -> column.family().equals(write.column().family()));
        }
      }
    }
    return seen;
  }

  /** Returns every row key that the transaction could see. */
  NavigableSet<Bytes> keys(int table) {
    NavigableSet<Bytes> keys = model.keys(table);
    lasting.stream().filter(write -> write.table() == table).forEach(w -> keys.add(w.row()));
    return keys;
  }
}
