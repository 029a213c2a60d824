package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.intent.StoredRow.Visitor;
import io.lampone.coprocessor.row.HBaseRow;
import io.lampone.coprocessor.row.StoreFilesSeen;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is read ahead is what a read of each row finds, and takes far fewer scanners. */
@ExtendWith(ClusterExtension.class)
class ReservedAheadIT {

  private static final Bytes FAMILY = Bytes.utf8("a");
  private static final byte[] FIRST = {0};
  private static final int ROWS = 400;

  /** Has more transaction cells than are read ahead. */
  private static final int OFTEN_WRITTEN = 70;

  /** Has a transaction cell that is longer than what is read ahead. */
  private static final int LONG = 90;

  private static final int LONG_BYTES = 100_000;

  private final TinyCluster cluster;
  private TestTable table;
  private HRegion region;
  private int scanners;

  ReservedAheadIT(TinyCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void fill() throws Exception {
    table = new TestTable(cluster.connection(), "ahead-" + System.nanoTime());
    table.createPlain(null, "a", "b");
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      Put put = new Put(key(i).toArray()).addColumn(FAMILY.toArray(), FIRST, 5, FIRST);
      int versions = i % 3 + (i == OFTEN_WRITTEN ? 50 : 0);
      for (int version = 1; version <= versions; version++) {
        byte[] value = new byte[i == LONG ? LONG_BYTES : version];
        put.addColumn(FAMILY.toArray(), Reserved.TRANSACTION.toArray(), version, value);
      }
      if (i % 7 == 0) {
        put.addColumn(FAMILY.toArray(), Reserved.FAMILY_TOMBSTONE.toArray(), 3, new byte[0]);
        put.addColumn(FAMILY.toArray(), Reserved.FAMILY_TOMBSTONE.toArray(), 2, new byte[0]);
      }
      puts.add(put);
    }
    try (Table plain = cluster.connection().getTable(table.name())) {
      plain.put(puts);
    }
    region =
        IntStream.range(0, 2)
            .mapToObj(server -> cluster.server(server).getRegions(table.name()))
            .flatMap(List::stream)
            .findAny()
            .orElseThrow();
  }

  @AfterEach
  void drop() throws Exception {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.disableTable(table.name());
      admin.deleteTable(table.name());
    }
  }

  @Test
  void allRowsInOrder_fromMemoryAndFiles() throws Exception {
    for (boolean flushed : new boolean[] {false, true}) {
      assertThat(compare(IntStream.range(0, ROWS), false, 9, i -> false)).isLessThan(16);
      assertThat(compare(IntStream.range(0, ROWS), false, 1, i -> false)).isLessThan(16);
      if (!flushed) {
        region.flush(true);
      }
    }
  }

  @Test
  void allRowsInReversedOrder() throws Exception {
    region.flush(true);
    assertThat(compare(IntStream.range(0, ROWS).map(i -> ROWS - 1 - i), true, 9, i -> false))
        .isLessThan(16);
  }

  @Test
  void aScanThatSkipsRows_readsFewInVain() throws Exception {
    region.flush(true);
    assertThat(compare(IntStream.range(0, ROWS).filter(i -> i % 50 == 0), false, 9, i -> false))
        .isEqualTo(8);
    compare(IntStream.range(0, ROWS).filter(i -> i % 100 < 20), false, 9, i -> false);
  }

  /** A scan that is open and not read holds what was read ahead for it. */
  @Test
  void ofLargeRowsFewAreHeld() throws Exception {
    List<Put> puts = new ArrayList<>();
    for (int i = 200; i < 300; i++) {
      Put put = new Put(key(i).toArray());
      for (int version = 11; version <= 18; version++) {
        put.addColumn(FAMILY.toArray(), Reserved.TRANSACTION.toArray(), version, new byte[4 << 10]);
      }
      puts.add(put);
    }
    try (Table plain = cluster.connection().getTable(table.name())) {
      plain.put(puts);
    }
    assertThat(compare(IntStream.range(200, 300), false, 18, i -> false))
        .as("two rows of 32 KB at a time")
        .isGreaterThanOrEqualTo(50);
  }

  @Test
  void aVisitThatHasEnoughOfAColumn_goesOnWithTheNext() throws Exception {
    compare(IntStream.range(0, ROWS), false, 9, version -> version < 3);
  }

  @Test
  void filesThatWereCompactedMeanwhile_endTheRead() throws Exception {
    region.flush(true);
    Rows rows = new Rows(false, 9);
    for (int i = 0; i < 3; i++) {
      rows.read(i, each -> false);
    }
    try (Table plain = cluster.connection().getTable(table.name())) {
      plain.put(new Put(key(0).toArray()).addColumn(FAMILY.toArray(), FIRST, 6, FIRST));
    }
    region.flush(true);
    region.compact(true);
    assertThatThrownBy(
            () -> {
              for (int i = 3; i < ROWS; i++) {
                rows.read(i, each -> false);
              }
            })
        .isInstanceOf(Refused.class)
        .hasMessageContaining("compacted");
  }

  /** Compares all rows; returns how many scanners were opened for them. */
  private int compare(IntStream numbers, boolean reversed, long highest, IntPredicate enough)
      throws IOException {
    scanners = 0;
    Rows rows = new Rows(reversed, highest);
    for (int number : numbers.toArray()) {
      assertThat(rows.read(number, enough))
          .as("row %d", number)
          .isEqualTo(expected(number, highest, enough));
    }
    return scanners;
  }

  private List<String> expected(int number, long highest, IntPredicate enough) throws IOException {
    List<String> cells = new ArrayList<>();
    new HBaseRow(region, key(number), HBaseRow.VISIBLE, TableRetention.NONE)
        .visit(Selection.ofReserved(FAMILY, highest), noting(cells, enough));
    return cells;
  }

  private static Visitor noting(List<String> cells, IntPredicate enough) {
    return cell -> {
      cells.add(cell.qualifier() + " " + cell.version() + " " + cell.value().length);
      return enough.test((int) cell.version()) ? Next.COLUMN : Next.VERSION;
    };
  }

  /** Rows of one scan. */
  private final class Rows {

    private final HBaseRow row;
    private final long highest;
    private Bytes key = key(0);

    Rows(boolean reversed, long highest) {
      this.highest = highest;
      Region counted =
          (Region)
              Proxy.newProxyInstance(
                  Region.class.getClassLoader(),
                  new Class<?>[] {Region.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("getScanner")) {
                      scanners++;
                    }
                    try {
                      return method.invoke(region, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  });
      this.row =
          new HBaseRow(
              counted,
              () -> key,
              HBaseRow.VISIBLE,
              TableRetention.NONE,
              StoreFilesSeen.of(counted),
              reversed);
    }

    List<String> read(int number, IntPredicate enough) throws IOException {
      key = key(number);
      List<String> cells = new ArrayList<>();
      row.visitReserved(FAMILY, highest, noting(cells, enough));
      return cells;
    }
  }

  private static Bytes key(int number) {
    return Bytes.utf8(String.format(Locale.ROOT, "%05d", number));
  }
}
