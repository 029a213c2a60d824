package io.lampone.client.core.slow;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.tm.HotRow;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rows on which a client's transactions have met most conflicts in the last {@link #PERIOD} to two
 * of them. Of more than {@link #CAPACITY} rows in a period, the least frequent one makes room
 * (space-saving); counts are then lower bounds. Thread-safe.
 */
public final class HotRows {

  /** Length of a period. */
  static final Duration PERIOD = Duration.ofSeconds(30);

  /** Maximum number of rows that are counted in a period. */
  static final int CAPACITY = 64;

  /** Longest key that is kept; rows with the same beginning of this length count as one. */
  private static final int MAX_KEY_BYTES = 128;

  /** A conflicting row. */
  private record Place(String kind, String table, Bytes row) {}

  private static final class Counter {
    private int count;

    /** Conflicts that may have been those of the row that made room. */
    private int inherited;

    private long winner;

    int sure() {
      return count - inherited;
    }
  }

  private final boolean disclosesRows;

  private Map<Place, Counter> before = Map.of();
  private Map<Place, Counter> present = new HashMap<>();
  private long sinceNanos;

  /**
   * @param disclosesRows false to count by table
   */
  public HotRows(boolean disclosesRows) {
    this.disclosesRows = disclosesRows;
  }

  /** Counts a conflict. */
  public synchronized void conflict(
      String kind, String table, Bytes row, long winner, long nowNanos) {
    turn(nowNanos);
    Place place = new Place(kind, table, disclosesRows ? beginning(row) : Bytes.EMPTY);
    Counter counter = present.get(place);
    if (counter == null) {
      counter = new Counter();
      if (present.size() == CAPACITY) {
        Map.Entry<Place, Counter> least =
            present.entrySet().stream()
                .min(Comparator.comparingInt(each -> each.getValue().count))
                .orElseThrow();
        present.remove(least.getKey());
        counter.count = least.getValue().count;
        counter.inherited = counter.count;
      }
      present.put(place, counter);
    }
    counter.count++;
    counter.winner = winner;
  }

  private static Bytes beginning(Bytes row) {
    return row.length() <= MAX_KEY_BYTES ? row : Bytes.of(row.unsafeArray(), 0, MAX_KEY_BYTES);
  }

  /** Returns the hottest rows, hottest first. */
  public synchronized List<HotRow> list(long nowNanos) {
    turn(nowNanos);
    if (present.isEmpty() && before.isEmpty()) {
      return List.of();
    }
    return Stream.concat(before.entrySet().stream(), present.entrySet().stream())
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                each -> row(each.getKey(), each.getValue()),
                // The present one comes second, and has the last winner.
                (one, other) ->
                    new HotRow(
                        one.kind(),
                        one.table(),
                        one.row(),
                        one.conflicts() + other.conflicts(),
                        other.winnerCommitTimestamp())))
        .values()
        .stream()
        .sorted(Comparator.comparingInt(HotRow::conflicts).reversed())
        .limit(HotRow.MAX_LISTED)
        .toList();
  }

  private static HotRow row(Place place, Counter counter) {
    return new HotRow(
        place.kind(), place.table(), place.row().toString(), counter.sure(), counter.winner);
  }

  /** Begins another period if the present one has ended. */
  private void turn(long nowNanos) {
    if (present.isEmpty() && before.isEmpty()) {
      sinceNanos = nowNanos;
      return;
    }
    long age = nowNanos - sinceNanos;
    if (age >= PERIOD.toNanos()) {
      before = age < 2 * PERIOD.toNanos() ? present : Map.of();
      present = new HashMap<>();
      sinceNanos = nowNanos;
    }
  }
}
