package io.lampone.faultlab.work.large;

import java.nio.charset.StandardCharsets;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;

/**
 * Scan of one kind, and the rows and columns of a group that it shows.
 *
 * @param scan for each of the tables
 * @param places that it reads
 * @param columns of a row that it shows; none = it omits the row
 * @param limit rows that it shows of each table; 0 = all
 * @param inParts true if a row may arrive in several parts
 */
record Selection(
    Scan scan,
    IntPredicate places,
    UnaryOperator<NavigableMap<String, byte[]>> columns,
    int limit,
    boolean inParts) {

  private static final int KINDS = 9;
  private static final int PAGE_ROWS = 40;
  private static final int MOST_ROWS = 30;
  private static final int PART_BYTES = 2_000;

  /** Draws a kind of scan. */
  static Selection any(Group group, RandomGenerator random) {
    return of(random.nextInt(KINDS), group, random);
  }

  /** Returns a scan of all rows, a few at a time. */
  static Selection pages(Group group, RandomGenerator random) {
    return of(0, group, random);
  }

  private static Selection of(int kind, Group group, RandomGenerator random) {
    int caching = 1 + random.nextInt(PAGE_ROWS);
    return switch (kind) {
      case 1 -> whole(group.rowsReversed().setCaching(caching), 0, false);
      case 2 -> whole(group.rows().setBatch(1 + random.nextInt(3)).setCaching(caching), 0, true);
      case 3 ->
          whole(group.rows().setAllowPartialResults(true).setMaxResultSize(PART_BYTES), 0, true);
      case 4 -> limited(random.nextBoolean() ? group.rows() : group.rowsReversed(), random);
      case 5 -> range(group, random, caching);
      case 6 ->
          new Selection(
              group.rows().addFamily(bytes("g")).setCaching(caching),
              place -> true,
              Selection::ofSecondFamily,
              0,
              false);
      case 7 -> filtered(group.rows().setCaching(caching), random);
      case 8 ->
          new Selection(
              group.rows().setFilter(new FirstKeyOnlyFilter()).setCaching(caching),
              place -> true,
              all -> new TreeMap<>(all.headMap(all.firstKey(), true)),
              0,
              false);
      default -> whole(group.rows().setCaching(caching), 0, false);
    };
  }

  private static Selection whole(Scan scan, int limit, boolean inParts) {
    return new Selection(scan, place -> true, all -> all, limit, inParts);
  }

  private static Selection limited(Scan scan, RandomGenerator random) {
    int limit = 1 + random.nextInt(MOST_ROWS);
    return whole(scan.setLimit(limit), limit, false);
  }

  private static Selection range(Group group, RandomGenerator random, int caching) {
    int from = random.nextInt(Math.max(1, group.mostRows()));
    int to = from + 1 + random.nextInt(Math.max(1, group.mostRows()));
    return new Selection(
        new Scan().withStartRow(group.row(from)).withStopRow(group.row(to)).setCaching(caching),
        place -> place >= from && place < to,
        all -> all,
        0,
        false);
  }

  /** By the value of a column, or by its name. */
  private static Selection filtered(Scan scan, RandomGenerator random) {
    if (random.nextBoolean()) {
      byte wanted = (byte) random.nextInt(2);
      SingleColumnValueFilter filter =
          new SingleColumnValueFilter(
              bytes("g"), bytes("x"), CompareOperator.EQUAL, new byte[] {wanted});
      filter.setFilterIfMissing(true);
      return new Selection(
          scan.setFilter(filter),
          place -> true,
          all -> {
            byte[] flag = all.get(RowContent.FLAG);
            return flag != null && flag[0] == wanted ? all : new TreeMap<>();
          },
          0,
          false);
    }
    return new Selection(
        scan.setFilter(
            new QualifierFilter(CompareOperator.EQUAL, new BinaryComparator(bytes("n")))),
        place -> true,
        all -> new TreeMap<>(all.subMap(RowContent.NUMBER, true, RowContent.NUMBER, true)),
        0,
        false);
  }

  private static NavigableMap<String, byte[]> ofSecondFamily(NavigableMap<String, byte[]> all) {
    return new TreeMap<>(all.subMap("g:", true, "g;", false));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
