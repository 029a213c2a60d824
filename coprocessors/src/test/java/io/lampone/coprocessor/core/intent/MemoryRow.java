package io.lampone.coprocessor.core.intent;

import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A stored row in memory that counts the cells that it shows. */
public final class MemoryRow implements StoredRow {

  public static final Bytes ROW = Bytes.utf8("row");
  public static final Bytes F = Bytes.utf8("f");
  public static final Bytes G = Bytes.utf8("g");

  private final Map<Bytes, Map<Bytes, TreeMap<Long, Bytes>>> cells = new TreeMap<>();
  private final Set<List<Object>> ids = new HashSet<>();
  private final Map<List<Object>, Long> lifetimes = new HashMap<>();
  private final Bytes key;
  public int shown;

  /** Of every family. */
  public FamilyRetention retention = FamilyRetention.DEFAULT;

  /** Cells that were passed on the way, shown or not. */
  public int passed;

  /** Called before the row is read. */
  public Runnable beforeVisit = () -> {};

  public MemoryRow() {
    this(ROW);
  }

  public MemoryRow(Bytes key) {
    this.key = key;
    cells.put(F, new TreeMap<>());
    cells.put(G, new TreeMap<>());
  }

  public MemoryRow put(Bytes family, Bytes qualifier, long version, Bytes value) {
    cells
        .get(family)
        .computeIfAbsent(qualifier, q -> new TreeMap<>(Comparator.reverseOrder()))
        .put(version, value);
    return this;
  }

  /** Gives a cell a lifetime of its own. */
  public MemoryRow live(Bytes family, Bytes qualifier, long version, long millis) {
    lifetimes.put(List.of(family, qualifier, version), millis);
    return this;
  }

  public MemoryRow put(Bytes family, long start, TransactionCell cell) {
    return put(family, Reserved.TRANSACTION, start, Bytes.wrap(cell.encode()));
  }

  void clear() {
    cells.values().forEach(Map::clear);
  }

  public RowDecision apply(RowDecision decision) {
    apply(decision.writes());
    return decision;
  }

  public void apply(List<CellWrite> writes) {
    for (CellWrite w : writes) {
      put(w.family(), w.qualifier(), w.version(), w.value());
      live(w.family(), w.qualifier(), w.version(), w.lifetimeMillis());
      ids.add(List.of(w.family(), w.qualifier(), w.version(), w.id()));
    }
  }

  /** Does what a flush or compaction in {@code scope} does to the families. */
  public void collect(CollectionScope scope) throws IOException {
    for (Bytes family : families()) {
      Selection all = new Selection(List.of(family), List.of(), 0, Long.MAX_VALUE);
      FamilyCollector collector = new FamilyCollector(scope);
      read(
          all,
          cell -> {
            if (Reserved.isReserved(cell.qualifier())) {
              collector.head(cell, 1);
            }
            return Next.VERSION;
          });
      Map<Bytes, TreeMap<Long, Bytes>> before = Map.copyOf(cells.get(family));
      MemoryRow left = new MemoryRow(key);
      read(
          all,
          cell -> {
            Bytes value = before.get(cell.qualifier()).get(cell.version());
            switch (collector.dispose(cell, 1)) {
              case KEEP -> left.put(family, cell.qualifier(), cell.version(), value);
              case FREEZE ->
                  left.put(family, cell.qualifier(), FamilyCollector.frozen(cell.version()), value);
              case DROP -> {
                // gone
              }
            }
            return Next.VERSION;
          });
      cells.put(family, left.cells.get(family));
    }
  }

  public TransactionCell transactionCell(Bytes family, long start) {
    return TransactionCell.decode(cells.get(family).get(Reserved.TRANSACTION).get(start).toArray());
  }

  public boolean has(Bytes family, Bytes qualifier, long version) {
    return cells.get(family).getOrDefault(qualifier, new TreeMap<>()).containsKey(version);
  }

  @Override
  public Bytes key() {
    return key;
  }

  @Override
  public String table() {
    return "t";
  }

  @Override
  public Collection<Bytes> families() {
    return List.copyOf(cells.keySet());
  }

  @Override
  public FamilyRetention retention(Bytes family) {
    return retention;
  }

  @Override
  public void visit(Selection selection, Visitor visitor) throws IOException {
    beforeVisit.run();
    read(selection, visitor);
  }

  private void read(Selection selection, Visitor visitor) throws IOException {
    for (Bytes family : cells.keySet()) {
      if (selection.families().contains(family) && visitFamily(family, selection, visitor)) {
        return;
      }
    }
  }

  private boolean visitFamily(Bytes family, Selection selection, Visitor visitor)
      throws IOException {
    for (Map.Entry<Bytes, TreeMap<Long, Bytes>> column : cells.get(family).entrySet()) {
      if (!selection.columns().isEmpty() && !selection.columns().contains(column.getKey())) {
        continue;
      }
      for (Map.Entry<Long, Bytes> version : column.getValue().entrySet()) {
        passed++;
        if (version.getKey() > selection.highest() || version.getKey() < selection.lowest()) {
          continue;
        }
        shown++;
        Next next =
            visitor.visit(new Shown(family, column.getKey(), version.getKey(), version.getValue()));
        if (next == Next.STOP) {
          return true;
        }
        if (next == Next.FAMILY) {
          return false;
        }
        if (next == Next.COLUMN) {
          break;
        }
      }
    }
    return false;
  }

  private final class Shown implements StoredCell {
    private final Bytes family;
    private final Bytes qualifier;
    private final long version;
    private final Bytes bytes;

    Shown(Bytes family, Bytes qualifier, long version, Bytes bytes) {
      this.family = family;
      this.qualifier = qualifier;
      this.version = version;
      this.bytes = bytes;
    }

    @Override
    public Bytes family() {
      return family;
    }

    @Override
    public Bytes qualifier() {
      return qualifier;
    }

    @Override
    public long version() {
      return version;
    }

    @Override
    public boolean isOf(OperationId id) {
      return ids.contains(List.of(family, qualifier, version, id));
    }

    @Override
    public long lifetimeMillis() {
      return lifetimes.getOrDefault(List.of(family, qualifier, version), FamilyRetention.FOREVER);
    }

    @Override
    public boolean isAt(Bytes other) {
      return qualifier.equals(other);
    }

    @Override
    public boolean isEmpty() {
      return bytes.isEmpty();
    }

    @Override
    public byte[] value() {
      return bytes.toArray();
    }
  }
}
