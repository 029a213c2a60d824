package io.lampone.simulation.hbase;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The cells of one row, in the order in which a store keeps them. */
public final class RowCells {

  /**
   * A value and the operation that wrote it.
   *
   * @param sequence its number in the store's order of writes
   * @param older value written before at the same version; may be in another file
   */
  public record Value(Bytes bytes, OperationId id, long sequence, @Nullable Value older) {

    /** With a value that was written before or after it. */
    private static Value with(@Nullable Value known, Value more) {
      if (known == null || known.sequence < more.sequence) {
        return new Value(more.bytes, more.id, more.sequence, known);
      }
      return new Value(known.bytes, known.id, known.sequence, with(known.older, more));
    }

    private Value later(long sequences) {
      return new Value(
          bytes, id, sequence + sequences, older == null ? null : older.later(sequences));
    }

    private @Nullable Value without(Set<Long> gone) {
      Value rest = older == null ? null : older.without(gone);
      return gone.contains(sequence) ? rest : new Value(bytes, id, sequence, rest);
    }
  }

  private final NavigableMap<Bytes, NavigableMap<Bytes, NavigableMap<Long, Value>>> families =
      new TreeMap<>();

  void put(CellWrite write, long sequence) {
    put(
        write.family(),
        write.qualifier(),
        write.version(),
        bytes -> new Value(write.value(), write.id(), sequence, bytes));
  }

  private void put(
      Bytes family, Bytes qualifier, long version, UnaryOperator<@Nullable Value> made) {
    families
        .computeIfAbsent(family, f -> new TreeMap<>())
        .computeIfAbsent(qualifier, q -> new TreeMap<>(Comparator.reverseOrder()))
        .compute(version, (v, before) -> made.apply(before));
  }

  /** Removes one value, or moves it to the frozen version without the id of its operation. */
  void change(Compaction.Change change) {
    NavigableMap<Long, Value> versions =
        Objects.requireNonNull(family(change.family()).get(change.qualifier()));
    versions.computeIfPresent(
        change.version(), (v, value) -> value.without(Set.of(change.sequence())));
    Bytes frozen = change.frozen();
    if (frozen != null) {
      Value made = new Value(frozen, OperationId.NONE, change.sequence(), null);
      put(
          change.family(),
          change.qualifier(),
          FamilyCollector.frozen(change.version()),
          before -> Value.with(before, made));
    }
  }

  /** Returns a copy with all sequence numbers raised by {@code sequences}. */
  RowCells later(long sequences) {
    return copy(value -> value.later(sequences));
  }

  /** Returns a copy without the values of some writes. */
  RowCells without(Set<Long> sequences) {
    return copy(value -> value.without(sequences));
  }

  private RowCells copy(Function<Value, @Nullable Value> change) {
    RowCells copy = new RowCells();
    families.forEach(
        (family, columns) ->
            columns.forEach(
                (qualifier, versions) ->
                    versions.forEach(
                        (version, value) ->
                            copy.put(family, qualifier, version, b -> change.apply(value)))));
    return copy;
  }

  RowCells copy() {
    RowCells copy = new RowCells();
    families.forEach(
        (family, columns) -> {
          NavigableMap<Bytes, NavigableMap<Long, Value>> same = new TreeMap<>();
          columns.forEach((qualifier, versions) -> same.put(qualifier, new TreeMap<>(versions)));
          copy.families.put(family, same);
        });
    return copy;
  }

  NavigableMap<Bytes, NavigableMap<Long, Value>> family(Bytes family) {
    NavigableMap<Bytes, NavigableMap<Long, Value>> found = families.get(family);
    return found == null ? new TreeMap<>() : found;
  }

  /** Returns the number of the newest write at the place of {@code cell}; 0 if there is none. */
  long newest(CellWrite cell) {
    Value value = column(cell.family(), cell.qualifier()).get(cell.version());
    return value == null ? 0 : value.sequence();
  }

  /** Versions of a column, newest first. */
  public Map<Long, Value> column(Bytes family, Bytes qualifier) {
    return family(family).getOrDefault(qualifier, new TreeMap<>());
  }
}
