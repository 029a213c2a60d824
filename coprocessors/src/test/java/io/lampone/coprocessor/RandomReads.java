package io.lampone.coprocessor;

import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnCountGetFilter;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.DependentColumnFilter;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.InclusiveStopFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter.RowRange;
import org.apache.hadoop.hbase.filter.MultipleColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueExcludeFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.util.Pair;

/** Gets and Scans with random options. The same seed gives equal operations. */
final class RandomReads {

  private final Random random;
  private final boolean reversed;

  private RandomReads(long seed, boolean reversed) {
    this.random = new Random(seed);
    this.reversed = reversed;
  }

  static Get get(long seed, int maxVersions) throws IOException {
    return new RandomReads(seed, false).get(maxVersions);
  }

  static Scan scan(long seed, int maxVersions) throws IOException {
    Random random = new Random(seed);
    return new RandomReads(seed + 1, random.nextInt(4) == 0).scan(maxVersions);
  }

  private Get get(int maxVersions) throws IOException {
    Get get = new Get(row()).readVersions(maxVersions);
    for (Bytes family : RandomTransaction.FAMILIES) {
      int how = random.nextInt(4);
      if (how == 0) {
        get.addFamily(family.toArray());
      } else if (how == 1) {
        columns().forEach(column -> get.addColumn(family.toArray(), column));
      }
    }
    if (random.nextInt(2) == 0) {
      get.setFilter(filter(2));
    }
    if (random.nextInt(4) == 0) {
      get.setMaxResultsPerColumnFamily(1 + random.nextInt(3));
      get.setRowOffsetPerColumnFamily(random.nextInt(3));
    }
    return get;
  }

  private Scan scan(int maxVersions) throws IOException {
    Scan scan = new Scan().readVersions(maxVersions).setReversed(reversed);
    if (random.nextInt(2) == 0) {
      byte[] one = row();
      byte[] two = row();
      boolean ordered = java.util.Arrays.compareUnsigned(one, two) <= 0;
      scan.withStartRow(ordered != reversed ? one : two, random.nextBoolean());
      scan.withStopRow(ordered != reversed ? two : one, random.nextBoolean());
    }
    for (Bytes family : RandomTransaction.FAMILIES) {
      int how = random.nextInt(4);
      if (how == 0) {
        scan.addFamily(family.toArray());
      } else if (how == 1) {
        columns().forEach(column -> scan.addColumn(family.toArray(), column));
      }
    }
    if (random.nextInt(3) > 0) {
      Filter filter = filter(2);
      // Unsuitable for scans, by its own documentation.
      scan.setFilter(filter instanceof ColumnCountGetFilter ? null : filter);
    }
    if (scan.getFilter() != null && scan.getFilter().toString().contains("WhileMatch")) {
      // HBase shows a filter the keys of rows that have no cell in the columns asked for; we do
      // not,
      // and a filter that ends the scan with such a row makes a difference.
      scan.setFamilyMap(new TreeMap<>(org.apache.hadoop.hbase.util.Bytes.BYTES_COMPARATOR));
    }
    if (random.nextInt(3) == 0) {
      scan.setCaching(1 + random.nextInt(3));
    }
    if (random.nextInt(4) == 0) {
      scan.setLimit(1 + random.nextInt(4));
    }
    if (random.nextInt(4) == 0) {
      scan.setMaxResultSize(1 + random.nextInt(200));
    }
    if (random.nextInt(4) == 0 && (scan.getFilter() == null || !scan.getFilter().hasFilterRow())) {
      // HBase's own count of rows is off for batches that end where a row does.
      scan.setBatch(1 + random.nextInt(3)).setLimit(-1);
    }
    if (random.nextInt(4) == 0) {
      scan.setMaxResultsPerColumnFamily(1 + random.nextInt(3));
      scan.setRowOffsetPerColumnFamily(random.nextInt(3));
    }
    scan.setLoadColumnFamiliesOnDemand(!reversed && random.nextBoolean());
    return scan;
  }

  private Filter filter(int depth) throws IOException {
    byte[] family = RandomTransaction.FAMILIES.get(random.nextInt(2)).toArray();
    Filter filter =
        switch (random.nextInt(depth > 0 ? 24 : 18)) {
          case 0 -> new PageFilter(1 + random.nextInt(3));
          case 1 -> new ColumnPaginationFilter(1 + random.nextInt(3), random.nextInt(3));
          case 2 -> new ColumnPaginationFilter(1 + random.nextInt(3), qualifier());
          case 3 -> singleColumn(family);
          case 4 -> new KeyOnlyFilter(random.nextBoolean());
          case 5 -> new FirstKeyOnlyFilter();
          case 6 -> new ColumnPrefixFilter(qualifier());
          case 7 ->
              new ColumnRangeFilter(
                  qualifier(), random.nextBoolean(), qualifier(), random.nextBoolean());
          case 8 -> ranges();
          case 9 -> fuzzy();
          case 10 -> new ValueFilter(operator(), new BinaryComparator(value()));
          case 11 -> new QualifierFilter(operator(), new BinaryComparator(qualifier()));
          case 12 -> new RowFilter(operator(), new BinaryComparator(row()));
          case 13 -> new PrefixFilter(row());
          case 14 -> new InclusiveStopFilter(row());
          case 15 -> new MultipleColumnPrefixFilter(new byte[][] {qualifier(), {'b', 'b'}});
          case 16 -> new FamilyFilter(operator(), new BinaryComparator(family));
          // Two filters that end the scan: HBase shows them the cells of rows that another filter
          // of
          // a list has rejected by key, against its own documentation; we do not.
          case 17 ->
              depth == 2
                  ? new ColumnCountGetFilter(1 + random.nextInt(4))
                  : new ColumnPrefixFilter(qualifier());
          case 18 ->
              depth == 2
                  ? new WhileMatchFilter(new ValueFilter(operator(), new BinaryComparator(value())))
                  : new FirstKeyOnlyFilter();
          case 19 -> new SkipFilter(new ValueFilter(operator(), new BinaryComparator(value())));
          case 20 -> new DependentColumnFilter(family, qualifier(), random.nextBoolean());
          default ->
              new FilterList(
                  random.nextBoolean()
                      ? FilterList.Operator.MUST_PASS_ALL
                      : FilterList.Operator.MUST_PASS_ONE,
                  filter(depth - 1),
                  filter(depth - 1));
        };
    filter.setReversed(reversed);
    return filter;
  }

  private Filter singleColumn(byte[] family) {
    SingleColumnValueFilter filter =
        random.nextBoolean()
            ? new SingleColumnValueFilter(family, qualifier(), operator(), value())
            : new SingleColumnValueExcludeFilter(family, qualifier(), operator(), value());
    filter.setFilterIfMissing(random.nextBoolean());
    filter.setLatestVersionOnly(random.nextBoolean());
    return filter;
  }

  private Filter fuzzy() {
    // HBase's own filter can loop for ever when it scans backward.
    return reversed
        ? new PrefixFilter(row())
        : new FuzzyRowFilter(List.of(new Pair<>(row(), new byte[] {0, (byte) random.nextInt(2)})));
  }

  private Filter ranges() {
    List<RowRange> ranges = new ArrayList<>();
    for (int i = 0; i < RandomTransaction.ROWS; i += 2) {
      if (random.nextBoolean()) {
        byte[] row = RandomTransaction.row(i).toArray();
        ranges.add(new RowRange(row, true, row, true));
      }
    }
    ranges.add(new RowRange(new byte[] {'z'}, true, new byte[] {'z'}, true));
    return new MultiRowRangeFilter(ranges);
  }

  private List<byte[]> columns() {
    List<byte[]> columns = new ArrayList<>();
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      columns.add(qualifier());
    }
    return columns;
  }

  private CompareOperator operator() {
    return CompareOperator.values()[random.nextInt(CompareOperator.values().length - 1)];
  }

  private byte[] row() {
    return RandomTransaction.row(random.nextInt(RandomTransaction.ROWS)).toArray();
  }

  private byte[] qualifier() {
    return RandomTransaction.QUALIFIERS
        .get(random.nextInt(RandomTransaction.QUALIFIERS.size()))
        .toArray();
  }

  private byte[] value() {
    return new byte[] {(byte) random.nextInt(4), 7};
  }
}
