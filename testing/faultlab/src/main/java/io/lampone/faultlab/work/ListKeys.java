package io.lampone.faultlab.work;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.random.RandomGenerator;

/**
 * The keys of lists: a few at a time, some chosen more often than others. A long list is replaced
 * by a new one, so that reading it stays cheap, and so are the others of its rows. Each client
 * decides that by itself. Thread-safe.
 */
final class ListKeys {

  /** So many groups, of two rows with two keys each, are in use at a time. */
  private static final int PAIRS = 6;

  /** A list is left when it has so many elements. */
  private static final int LONGEST = 80;

  /** One of so many is of the second row of its group. */
  private static final int SECOND_ROW_IN = 4;

  private final int tables;
  private final AtomicIntegerArray generations = new AtomicIntegerArray(PAIRS);

  /**
   * @param tables in so many tables each row is in use
   */
  ListKeys(int tables) {
    this.tables = tables;
  }

  /** Any of those in use; the first ones more often. */
  long any(RandomGenerator random) {
    int pair = Math.min(random.nextInt(PAIRS), random.nextInt(PAIRS));
    long first = HistoryCells.lone(pair + (long) PAIRS * generations.get(pair), random.nextInt(2));
    long key = random.nextInt(SECOND_ROW_IN) == 0 ? below(first) : first;
    return tables == 1 ? key : HistoryCells.in(random.nextInt(tables), key);
  }

  /** Returns the same column of the row paired with this one, in the same region. */
  static long below(long key) {
    return key ^ 2;
  }

  /** All keys of the two rows that a key's row makes up with the one paired with it. */
  List<Long> group(long key) {
    List<Long> group = new ArrayList<>();
    for (int table = 0; table < tables; table++) {
      long first = HistoryCells.in(table, key);
      group.addAll(List.of(first, neighbour(first), below(first), below(neighbour(first))));
    }
    return group;
  }

  /** The other key of the same row. */
  static long neighbour(long key) {
    return key ^ 1;
  }

  /**
   * Returns a suitable second key for a transaction: the same cell of the next table, or the
   * neighbour if there is only one table.
   */
  long partner(long key) {
    return tables == 1
        ? neighbour(key)
        : HistoryCells.in((HistoryCells.table(key) + 1) % tables, key);
  }

  /** Records an observed length of the list. */
  void saw(long key, int length) {
    if (length >= LONGEST) {
      long number = HistoryCells.in(0, key) / HistoryCells.GROUP;
      int pair = (int) (number % PAIRS);
      int generation = (int) (number / PAIRS);
      generations.compareAndSet(pair, generation, generation + 1);
    }
  }
}
