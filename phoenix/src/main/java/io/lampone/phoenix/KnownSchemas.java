package io.lampone.phoenix;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.phoenix.index.IndexMaintainer;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;

/**
 * Timestamps known to this client before it read its copies of tables in Phoenix's catalogue.
 * Phoenix writes by copies that may be old ({@code UPDATE_CACHE_FREQUENCY}); the region of a write
 * refuses it if an index was added later (protocol page, section 8, schema floor).
 *
 * <p>Copies with the same indexes count as one: if one of them was read from the catalogue by a
 * transaction, all of them hold what it held at the transaction's begin.
 *
 * <p>Thread-safe.
 */
final class KnownSchemas {

  /** Below the schema floor of each table that has one. */
  static final long NOTHING = 1;

  /** Copies above this number displace others, which are looked up again. */
  private static final int MAX_COPIES = 10_000;

  /** Port: the catalogue. */
  @FunctionalInterface
  interface LookUp {
    PTable lookUp(PTable table) throws SQLException;
  }

  private record Index(String name, long timestamp, PIndexState state) {}

  private record Copy(PTableKey table, TableName physical, long timestamp, List<Index> indexes) {

    static Copy of(PTable table) {
      List<Index> indexes =
          table.getIndexes().stream()
              .map(
                  index ->
                      new Index(
                          index.getName().getString(), index.getTimeStamp(), index.getIndexState()))
              .toList();
      return new Copy(table.getKey(), physicalName(table), table.getTimeStamp(), indexes);
    }
  }

  /**
   * Knowledge of a copy.
   *
   * @param timestamp known before the look-up
   * @param foundNanos monotonic time of the look-up
   */
  private record Known(long timestamp, long foundNanos) {

    Known newer(Known other) {
      return timestamp < other.timestamp ? other : this;
    }
  }

  private final Map<Copy, Known> known =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Copy, Known> eldest) {
              return size() > MAX_COPIES;
            }
          });

  /** Returns the table of HBase that holds the rows of a table or view. */
  static TableName physicalName(PTable table) {
    return TableName.valueOf(table.getPhysicalName().getBytes());
  }

  /** Returns the indexes whose rows a client writes with those of a table or view. */
  static List<PTable> maintainedIndexes(PTable table) {
    List<PTable> indexes = new ArrayList<>();
    IndexMaintainer.maintainedIndexes(table.getIndexes().iterator()).forEachRemaining(indexes::add);
    return indexes;
  }

  /** Returns a timestamp that was known before this copy was looked up; empty if none is. */
  OptionalLong of(PTable table) {
    Known found = known.get(Copy.of(table));
    return found == null ? OptionalLong.empty() : OptionalLong.of(found.timestamp());
  }

  /** Returns true if this copy was looked up before a monotonic time. */
  boolean isFoundBefore(PTable table, long nanos) {
    Known found = known.get(Copy.of(table));
    return found != null && found.foundNanos() - nanos < 0;
  }

  /**
   * Takes note of a look-up.
   *
   * @param timestamp known before
   * @param nanos monotonic time
   */
  void found(PTable table, long timestamp, long nanos) {
    known.merge(Copy.of(table), new Known(timestamp, nanos), Known::newer);
  }

  /**
   * Looks up a table of which a copy is not known.
   *
   * @param timestamp known before
   * @param clock of monotonic time
   * @return what {@link #of} returns for the copy afterwards; {@link #NOTHING} if it is an older
   *     one
   */
  long lookUp(PTable copy, LookUp catalogue, long timestamp, LongSupplier clock)
      throws SQLException {
    found(catalogue.lookUp(copy), timestamp, clock.getAsLong());
    return of(copy).orElse(NOTHING);
  }

  /** Forgets the copies of tables: each is looked up again before it is written by. */
  void forget(Collection<TableName> tables) {
    known.keySet().removeIf(copy -> tables.contains(copy.physical()));
  }
}
