package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lampone.client.LamponeAdmin;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Layout of the numbered cells of an anomaly case. The cells of one case share a unique name, so
 * all cases can use one table.
 */
enum Layout {
  /** Each cell is a row; odd ones in the first region, even ones in the second. */
  TWO_REGIONS(ConflictLevel.ROW, true),
  /** Each cell is a row, all in one region. */
  ONE_REGION(ConflictLevel.ROW, false),
  /** The cells are columns of one row; transactions conflict when they write the same column. */
  ONE_ROW_LEVEL_CELL(ConflictLevel.CELL, false),
  /** The cells are columns of one row; transactions conflict when they write that row. */
  ONE_ROW_LEVEL_ROW(ConflictLevel.ROW, false);

  static final byte[] FAMILY = "f".getBytes(UTF_8);

  private static final byte[] BORDER = "m".getBytes(UTF_8);

  private final ConflictLevel level;
  private final boolean split;

  Layout(ConflictLevel level, boolean split) {
    this.level = level;
    this.split = split;
  }

  TableName table() {
    return TableName.valueOf("anomalies_" + name().toLowerCase(java.util.Locale.ROOT));
  }

  /** Creates the table unless another test class has. */
  void createTable(LamponeAdmin admin) throws IOException {
    if (admin.listTables().stream().anyMatch(found -> found.name().equals(table()))) {
      return;
    }
    admin.createTable(
        TableDescriptorBuilder.newBuilder(table())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .build(),
        level,
        split ? new byte[][] {BORDER} : new byte[][] {});
  }

  byte[] row(String caseName, int cell) {
    if (inOneRow()) {
      return caseName.getBytes(UTF_8);
    }
    return ((split && cell % 2 == 0 ? "z" : "a") + cell).getBytes(UTF_8);
  }

  byte[] qualifier(String caseName, int cell) {
    return (inOneRow() ? Integer.toString(cell) : caseName).getBytes(UTF_8);
  }

  Get get(String caseName, int cell) throws IOException {
    return new Get(row(caseName, cell)).addColumn(FAMILY, qualifier(caseName, cell));
  }

  /** Returns a scan of exactly the cells of a case. */
  Scan scan(String caseName) {
    if (inOneRow()) {
      byte[] row = caseName.getBytes(UTF_8);
      return new Scan().withStartRow(row, true).withStopRow(row, true);
    }
    return new Scan().addColumn(FAMILY, caseName.getBytes(UTF_8));
  }

  /** Returns the number of a cell found by such a scan. */
  int cellNumber(Cell found) {
    byte[] digits = inOneRow() ? CellUtil.cloneQualifier(found) : CellUtil.cloneRow(found);
    String text = new String(digits, UTF_8);
    return Integer.parseInt(inOneRow() ? text : text.substring(1));
  }

  private boolean inOneRow() {
    return this == ONE_ROW_LEVEL_CELL || this == ONE_ROW_LEVEL_ROW;
  }
}
