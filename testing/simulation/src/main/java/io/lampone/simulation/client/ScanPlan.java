package io.lampone.simulation.client;

import io.lampone.checker.KeyRange;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A scan: a part of a table, in either direction, of one family or of all, which may end early.
 *
 * @param names of the simulator's rows in its range, in its order
 * @param rows the part of the table
 * @param reversed true from the last row to the first one
 * @param families that are read
 * @param limit number of returned rows after which it ends; 0 = none
 * @param closedAfter number of returned rows after which the application closes it; 0 = never
 */
record ScanPlan(
    List<Bytes> names,
    RowRange rows,
    boolean reversed,
    List<Bytes> families,
    int limit,
    int closedAfter) {

  private static final int ONE_OF_A_FAMILY_IN = 2;
  private static final int ONE_WITH_A_LIMIT_IN = 4;
  private static final int ONE_CLOSED_IN = 4;

  /**
   * Draws a scan.
   *
   * @param names of the rows, all of one table
   * @param all true if the table has no others
   */
  static ScanPlan draw(Chance chance, List<Bytes> names, boolean all) {
    List<Bytes> sorted = names.stream().sorted().toList();
    int from = chance.oneIn(2) ? 0 : chance.between(0, sorted.size() - 1);
    int to = chance.oneIn(2) ? sorted.size() : chance.between(from + 1, sorted.size());
    List<Bytes> some = new ArrayList<>(sorted.subList(from, to));
    RowRange rows =
        new RowRange(
            all && from == 0 ? RowPosition.FIRST : new RowPosition(Schema.key(some.get(0)), false),
            all && to == sorted.size()
                ? RowPosition.LAST
                : new RowPosition(Schema.key(some.get(some.size() - 1)), true));
    boolean reversed = chance.oneIn(3);
    if (reversed) {
      Collections.reverse(some);
    }
    return new ScanPlan(
        some,
        rows,
        reversed,
        chance.oneIn(ONE_OF_A_FAMILY_IN) ? List.of(chance.pick(Schema.FAMILIES)) : Schema.FAMILIES,
        chance.oneIn(ONE_WITH_A_LIMIT_IN) ? chance.between(1, some.size()) : 0,
        chance.oneIn(ONE_CLOSED_IN) ? chance.between(1, some.size()) : 0);
  }

  /** Returns the whole range, as the read set of the transaction has it. */
  ScannedRange range(ConflictLevel level) {
    return new ScannedRange(
        Schema.table(names.get(0)),
        level,
        families.stream().collect(Collectors.toMap(family -> family, family -> Set.<Bytes>of())),
        rows);
  }

  /** Returns the columns that it reads. */
  List<Schema.Column> columns() {
    return Schema.COLUMNS.stream().filter(each -> families.contains(each.family())).toList();
  }

  /**
   * Visits one row after the other.
   *
   * @param views of all rows, by name
   * @param progress receives each returned row, and the end
   * @return the views of the rows visited
   */
  List<RowView> lookAt(Map<Bytes, RowView> views, ScanProgress progress) {
    List<RowView> seen = new ArrayList<>();
    int returned = 0;
    for (Bytes name : names) {
      RowView view = Objects.requireNonNull(views.get(name));
      seen.add(view);
      if (columns().stream().anyMatch(view.values()::containsKey)) {
        progress.returned(Schema.key(name));
        returned++;
        if (returned == closedAfter) {
          progress.closed();
          return seen;
        }
        if (returned == limit) {
          break;
        }
      }
    }
    progress.completed();
    return seen;
  }

  /** Returns the visited range in the checker's terms; empty if no row was visited. */
  static Optional<KeyRange> range(List<RowView> seen) {
    List<String> sorted = seen.stream().map(view -> view.row().toUtf8()).sorted().toList();
    return sorted.isEmpty()
        ? Optional.empty()
        : Optional.of(new KeyRange(sorted.get(0), sorted.get(sorted.size() - 1)));
  }
}
