package io.lampone.client.core.range;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Arithmetic of ranges, also against a naive model that knows every row. */
class RangeReadsTest {

  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes G = Bytes.utf8("g");
  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes R = Bytes.utf8("r");
  private static final int CASES = 2_000;

  /** Rows that sort before, behind and between each other, with HBase's smallest successor. */
  private static final List<Bytes> ROWS =
      List.of("a", "a\0", "a\0\0", "aa", "b", "b\0", "bb", "c", "cc", "d").stream()
          .map(Bytes::utf8)
          .toList();

  @Test
  void rangesThatMeetAreMerged_andOthersAreNot() {
    RangeSet set = new RangeSet();
    set.add(range("a", true, "b", false));
    set.add(range("b", false, "c", true));
    assertThat(set.size()).as("b is in none").isEqualTo(2);
    set.add(range("b", true, "b", true));
    assertThat(set.ranges()).containsExactly(range("a", true, "c", true));
    set.add(range("d", true, "", false));
    set.add(range("", true, "a", false));
    assertThat(set.ranges())
        .containsExactly(range("", true, "c", true), range("d", true, "", false));
    set.add(range("c", true, "a", true));
    assertThat(set.size()).as("an empty one").isEqualTo(2);
    set.add(RowRange.ALL);
    assertThat(set.ranges()).containsExactly(RowRange.ALL);
  }

  @Test
  void positionsAsHBaseHasThem() {
    assertThat(RowPosition.start(Bytes.EMPTY, false)).isEqualTo(RowPosition.FIRST);
    assertThat(RowPosition.stop(Bytes.EMPTY, true)).isEqualTo(RowPosition.LAST);
    assertThat(RowPosition.LAST).isGreaterThan(new RowPosition(Bytes.utf8("z"), true));
    assertThat(RowPosition.FIRST).isLessThan(new RowPosition(Bytes.of((byte) 0), false));
    assertThat(RowPosition.stop(Bytes.utf8("a"), true).firstBehind()).isEqualTo(Bytes.utf8("a\0"));
    assertThat(RowPosition.LAST.firstBehind()).isEqualTo(Bytes.EMPTY);
  }

  @Test
  void aScanCoversWhatItHasShown() {
    RowRange whole = range("a", true, "d", false);
    assertThat(shown(whole, false, 0, true, "b")).contains(whole);
    assertThat(shown(whole, false, 0, false, "a", "b")).contains(range("a", true, "b", true));
    assertThat(shown(whole, true, 0, false, "c", "b")).contains(range("b", true, "d", false));
    assertThat(shown(whole, false, 0, false)).isEmpty();
    assertThat(shown(whole, false, 0, true)).contains(whole);
    assertThat(shown(whole, false, 2, true, "a", "b")).contains(range("a", true, "b", true));
    assertThat(shown(whole, true, 1, true, "c")).contains(range("c", true, "d", false));
    assertThat(shown(whole, false, 3, true, "a", "b")).as("below its limit").contains(whole);
    assertThat(shown(whole, false, 2, true, "a", "a", "a")).as("one in parts").contains(whole);
  }

  @Test
  void afterItsEndNothingIsAdded() {
    List<ScanProgress> ended = new ArrayList<>();
    ScanProgress scan = new ScanProgress(RowRange.ALL, false, 0, ended::add);
    scan.returned(Bytes.utf8("a"));
    scan.closed();
    scan.returned(Bytes.utf8("b"));
    scan.completed();
    scan.closed();
    assertThat(scan.covered()).contains(RowRange.ALL.endingAt(Bytes.utf8("a")));
    assertThat(ended).hasSize(1);
  }

  private static Optional<RowRange> shown(
      RowRange whole, boolean reversed, int limit, boolean toItsEnd, String... rows) {
    ScanProgress scan = new ScanProgress(whole, reversed, limit, ended -> {});
    for (String row : rows) {
      scan.returned(Bytes.utf8(row));
    }
    if (toItsEnd) {
      scan.completed();
    } else {
      scan.closed();
    }
    return scan.covered();
  }

  /**
   * Scans of any range, direction, columns and end: exactly the rows and columns that they have
   * shown are certified, each once, and a row is dropped only if they cover all that was read.
   */
  @Test
  void randomScansAgainstTheNaiveModel() {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int i = 0; i < CASES; i++) {
      RangeReads reads = new RangeReads();
      // the columns of rows that were shown; row/family/column, column * = all
      Set<String> model = new HashSet<>();
      int scans = 1 + random.nextInt(6);
      for (int j = 0; j < scans; j++) {
        scan(random, reads, model);
      }
      check(seed, reads, model);
    }
  }

  private static void scan(Random random, RangeReads reads, Set<String> model) {
    Map<Bytes, Set<Bytes>> columns = columns(random);
    Bytes start = random.nextInt(5) == 0 ? Bytes.EMPTY : row(random);
    Bytes stop = random.nextInt(5) == 0 ? Bytes.EMPTY : row(random);
    boolean withStart = random.nextBoolean();
    boolean withStop = random.nextBoolean();
    boolean reversed = random.nextBoolean();
    List<Bytes> inRange = new ArrayList<>();
    for (Bytes row : ROWS) {
      int toStart = start.isEmpty() ? 1 : row.compareTo(start);
      int toStop = stop.isEmpty() ? -1 : row.compareTo(stop);
      if ((toStart > 0 || toStart == 0 && withStart) && (toStop < 0 || toStop == 0 && withStop)) {
        inRange.add(reversed ? 0 : inRange.size(), row);
      }
    }
    // Some rows hold nothing, and are not returned.
    List<Bytes> stored = inRange.stream().filter(row -> random.nextInt(3) > 0).toList();
    int limit = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0;
    List<Bytes> given = limit == 0 ? stored : stored.subList(0, Math.min(limit, stored.size()));
    boolean toItsEnd = random.nextBoolean();
    int taken = toItsEnd ? given.size() : random.nextInt(given.size() + 1);
    RowRange rows =
        new RowRange(RowPosition.start(start, withStart), RowPosition.stop(stop, withStop));
    ScanProgress progress =
        reads.begin(
            new ScannedRange("t", ConflictLevel.ROW, columns, rows), reversed, limit, reads::ended);
    given.subList(0, taken).forEach(progress::returned);
    if (toItsEnd) {
      progress.completed();
    } else if (random.nextBoolean()) {
      progress.closed();
    } // else it is under way when the transaction commits
    boolean all = toItsEnd && (limit == 0 || taken < limit);
    int seen = all ? inRange.size() : taken == 0 ? 0 : inRange.indexOf(given.get(taken - 1)) + 1;
    for (Bytes row : inRange.subList(0, seen)) {
      add(model, row, columns);
    }
  }

  private static void check(long seed, RangeReads reads, Set<String> model) {
    Set<String> certified = new HashSet<>();
    for (ScannedRange range : reads.all()) {
      for (Bytes row : ROWS) {
        if (range.rows().contains(row)) {
          add(certified, row, range.columns());
        }
      }
    }
    assertThat(certified).as("seed %s", seed).isEqualTo(model);
    for (Bytes row : ROWS) {
      for (Bytes family : List.of(F, G)) {
        for (Set<Bytes> read : List.of(Set.<Bytes>of(), Set.of(Q), Set.of(R))) {
          boolean covered =
              model.contains(name(row, family, "*"))
                  || !read.isEmpty()
                      && model.contains(name(row, family, read.iterator().next().toUtf8()));
          assertThat(reads.covers("t", row, family, read))
              .as("seed %s, row %s family %s columns %s", seed, row, family, read)
              .isEqualTo(covered);
        }
      }
    }
  }

  private static void add(Set<String> model, Bytes row, Map<Bytes, Set<Bytes>> columns) {
    columns.forEach(
        (family, named) -> {
          if (named.isEmpty()) {
            model.add(name(row, family, "*"));
          }
          named.forEach(column -> model.add(name(row, family, column.toUtf8())));
        });
  }

  private static String name(Bytes row, Bytes family, String column) {
    return row + "/" + family + "/" + column;
  }

  private static Map<Bytes, Set<Bytes>> columns(Random random) {
    Set<Bytes> named =
        switch (random.nextInt(4)) {
          case 0 -> Set.of(Q);
          case 1 -> Set.of(R);
          case 2 -> new TreeSet<>(Set.of(Q, R));
          default -> Set.of();
        };
    return switch (random.nextInt(3)) {
      case 0 -> Map.of(F, named);
      case 1 -> Map.of(G, named);
      default -> Map.of(F, named, G, Set.of());
    };
  }

  private static Bytes row(Random random) {
    return ROWS.get(random.nextInt(ROWS.size()));
  }

  private static RowRange range(String start, boolean withStart, String stop, boolean withStop) {
    return new RowRange(
        RowPosition.start(Bytes.utf8(start), withStart),
        RowPosition.stop(Bytes.utf8(stop), withStop));
  }
}
