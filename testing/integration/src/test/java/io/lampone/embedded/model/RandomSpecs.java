package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnPaginationFilter;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.FirstKeyOnlyFilter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;

/**
 * Random keys, values and reads. Keys come from small pools, so that transactions meet; the pools
 * hold edge cases: no bytes, all zeros, all ones, one key a prefix of another, and qualifiers that
 * sort just before and just behind the reserved ones.
 */
final class RandomSpecs {

  static final List<Bytes> FAMILIES = List.of(Bytes.utf8("a"), Bytes.utf8("bb"));

  /** The region borders of every table. */
  static final NavigableSet<Bytes> SPLIT_KEYS =
      new TreeSet<>(List.of(Bytes.of((byte) 0x55), Bytes.of((byte) 0xaa)));

  private static final int ROWS = 24;
  private static final int SHORTEST_KEY = 1;
  private static final int LONGEST_KEY = 8;
  private static final int LONGEST_VALUE = 40;
  private static final int LARGE_VALUE = 3_000;

  private final Random random;
  private final List<Bytes> rows = new ArrayList<>();
  private final List<Bytes> qualifiers = new ArrayList<>();
  // only ever hold 8 bytes, so that they can be incremented
  private final List<Bytes> counters = List.of(Bytes.of((byte) 'n', (byte) 0), Bytes.utf8("n1"));

  RandomSpecs(Random random) {
    this.random = random;
    rows.add(Bytes.of((byte) 0));
    rows.add(Bytes.of((byte) 0, (byte) 0));
    rows.add(Bytes.of((byte) 0xff, (byte) 0xff, (byte) 0xff));
    rows.addAll(SPLIT_KEYS);
    while (rows.size() < ROWS) {
      Bytes longer = bytes(1 + random.nextInt(LONGEST_KEY));
      rows.add(random.nextInt(3) == 0 ? join(pick(rows), longer) : longer);
    }
    qualifiers.add(Bytes.EMPTY);
    qualifiers.add(Bytes.of((byte) 0));
    qualifiers.add(Bytes.of((byte) 0, (byte) 'l'));
    qualifiers.add(Bytes.of((byte) 0, (byte) 'l', (byte) 'o', (byte) 0xff));
    qualifiers.add(Bytes.of((byte) 0, (byte) 'l', (byte) 'q'));
    qualifiers.add(Bytes.of((byte) 0xff, (byte) 0xff));
    qualifiers.add(Bytes.utf8("q"));
    qualifiers.add(Bytes.utf8("q1"));
    Bytes any = bytes(1 + random.nextInt(LONGEST_KEY));
    qualifiers.add(Reserved.isReserved(any) ? Bytes.utf8("any") : any);
  }

  Bytes row() {
    return pick(rows);
  }

  Bytes family() {
    return pick(FAMILIES);
  }

  /** A column for any value. */
  Column column() {
    return new Column(family(), pick(qualifiers));
  }

  /** A column for numbers. */
  Column counter() {
    return new Column(family(), pick(counters));
  }

  Bytes value() {
    return switch (random.nextInt(12)) {
      case 0, 1 -> Bytes.EMPTY;
      case 2 -> bytes(LARGE_VALUE);
      case 3, 4, 5, 6 -> Bytes.utf8("v" + random.nextInt(4));
      default -> bytes(random.nextInt(LONGEST_VALUE));
    };
  }

  /** Returns the TTL setting for cells of a family. */
  static String cellsExpireIn(Bytes family) {
    return Boolean.toString(family.equals(FAMILIES.get(0)));
  }

  /** The TTL of a value in milliseconds; 0 = none. Some expire within a history, some do not. */
  long lifetimeMillis(Column column) {
    boolean expires = column.family().equals(FAMILIES.get(0)) && random.nextInt(2) == 0;
    return expires ? 1L + random.nextInt(random.nextBoolean() ? 300 : 10_000) : 0;
  }

  /** A value for a comparison. */
  private byte[] shortValue() {
    return (random.nextInt(4) == 0 ? Bytes.EMPTY : Bytes.utf8("v" + random.nextInt(4))).toArray();
  }

  Bytes number() {
    return Bytes.wrap(org.apache.hadoop.hbase.util.Bytes.toBytes((long) random.nextInt(1_000)));
  }

  /** Draws the options of a read; {@code forScan} adds those without meaning for one row. */
  ReadSpec read(boolean forScan) {
    Map<Bytes, Set<Bytes>> columns = new LinkedHashMap<>();
    if (random.nextInt(2) == 0) {
      for (int i = random.nextInt(3); i >= 0; i--) {
        Bytes family = family();
        if (random.nextInt(3) == 0) {
          columns.put(family, new HashSet<>());
        } else if (!columns.containsKey(family) || !columns.get(family).isEmpty()) {
          Column column = random.nextInt(5) == 0 ? counter() : column();
          columns.computeIfAbsent(family, f -> new HashSet<>()).add(column.qualifier());
        }
      }
    }
    if (random.nextInt(2) == 0) {
      return new ReadSpec(columns, Optional.empty(), "none");
    }
    Supplier<Filter> filter = filter(forScan, 0);
    return new ReadSpec(columns, Optional.of(filter), filter.get().toString());
  }

  /** Reads many rows. */
  ScanSpec scan() {
    ReadSpec read = read(true);
    boolean rowFilter = read.newFilter().map(Filter::hasFilterRow).orElse(false);
    boolean pages = read.newFilter().map(filter -> filter instanceof PageFilter).orElse(false);
    boolean reversed = random.nextInt(4) == 0;
    Bytes low = random.nextInt(2) == 0 ? Bytes.EMPTY : border();
    Bytes high = random.nextInt(2) == 0 ? Bytes.EMPTY : border();
    if (!low.isEmpty() && !high.isEmpty() && low.compareTo(high) >= 0) {
      high = Bytes.EMPTY;
    }
    int limit = !pages && random.nextInt(3) == 0 ? 1 + random.nextInt(6) : 0;
    boolean parts = !rowFilter;
    return new ScanSpec(
        read,
        reversed ? high : low,
        random.nextInt(3) > 0,
        reversed ? low : high,
        random.nextInt(3) == 0,
        reversed,
        limit,
        // HBase refuses a batch with a filter on whole rows.
        parts && random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 0,
        random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 0,
        random.nextInt(4) == 0 ? 1 + random.nextInt(2_000) : 0,
        parts && random.nextInt(5) == 0);
  }

  private Bytes border() {
    return random.nextInt(3) == 0 ? bytes(1 + random.nextInt(LONGEST_KEY)) : row();
  }

  private Supplier<Filter> filter(boolean forScan, int depth) {
    switch (random.nextInt(forScan && depth == 0 ? 11 : depth < 2 ? 10 : 8)) {
      case 0:
        // HBase compares a row that is shorter than the prefix with the memory behind the row.
        byte[] whole = prefix(row());
        byte[] prefix = Arrays.copyOf(whole, Math.min(SHORTEST_KEY, whole.length));
        if (prefix.length > 0 && prefix[0] == Byte.MAX_VALUE) {
          prefix[0]--;
        }
        return () -> new PrefixFilter(prefix);
      case 1:
        int limit = 1 + random.nextInt(3);
        int offset = random.nextInt(3);
        return () -> new ColumnPaginationFilter(limit, offset);
      case 2:
        CompareOperator operator = operator();
        byte[] value = shortValue();
        return () -> new ValueFilter(operator, new BinaryComparator(value));
      case 3:
        return singleColumn();
      case 4:
        CompareOperator qualifierOperator = operator();
        byte[] qualifier = pick(qualifiers).toArray();
        return () -> new QualifierFilter(qualifierOperator, new BinaryComparator(qualifier));
      case 5:
        boolean lengthAsValue = random.nextBoolean();
        return () -> new KeyOnlyFilter(lengthAsValue);
      case 6:
        return FirstKeyOnlyFilter::new;
      case 7:
        byte[] columnPrefix = prefix(pick(qualifiers));
        return () -> new ColumnPrefixFilter(columnPrefix);
      case 8, 9:
        FilterList.Operator all =
            random.nextBoolean()
                ? FilterList.Operator.MUST_PASS_ALL
                : FilterList.Operator.MUST_PASS_ONE;
        Supplier<Filter> one = filter(forScan, depth + 1);
        Supplier<Filter> two = filter(forScan, depth + 1);
        return () -> new FilterList(all, List.of(one.get(), two.get()));
      default:
        int page = 1 + random.nextInt(5);
        return () -> new PageFilter(page);
    }
  }

  private Supplier<Filter> singleColumn() {
    Column column = column();
    CompareOperator operator = operator();
    byte[] value = shortValue();
    boolean missing = random.nextBoolean();
    return () -> {
      SingleColumnValueFilter filter =
          new SingleColumnValueFilter(
              column.family().toArray(), column.qualifier().toArray(), operator, value);
      filter.setFilterIfMissing(missing);
      return filter;
    };
  }

  CompareOperator operator() {
    List<CompareOperator> operators =
        Arrays.stream(CompareOperator.values()).filter(o -> o != CompareOperator.NO_OP).toList();
    return pick(operators);
  }

  <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private byte[] prefix(Bytes key) {
    return Bytes.of(key.toArray(), 0, Math.min(key.length(), random.nextInt(3))).toArray();
  }

  private Bytes bytes(int length) {
    byte[] array = new byte[length];
    random.nextBytes(array);
    return Bytes.wrap(array);
  }

  private static Bytes join(Bytes head, Bytes tail) {
    byte[] array = Arrays.copyOf(head.toArray(), head.length() + tail.length());
    System.arraycopy(tail.toArray(), 0, array, head.length(), tail.length());
    return Bytes.wrap(array);
  }
}
