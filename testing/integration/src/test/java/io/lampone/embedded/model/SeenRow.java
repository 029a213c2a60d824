package io.lampone.embedded.model;

import io.lampone.protocol.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;

/** A row as a read shows it, without timestamps, on which snapshot isolation makes no promise. */
record SeenRow(Bytes key, List<SeenCell> cells) {

  private static final int SHORT = 16;

  /** A cell of such a row. */
  record SeenCell(Column column, Bytes value) {
    @Override
    public String toString() {
      return column + "=" + brief(value);
    }
  }

  /** Formats a value for messages: long ones only look different if they are. */
  static String brief(Bytes value) {
    return value.length() <= SHORT
        ? value.toString()
        : value.length() + " bytes #" + Integer.toHexString(value.hashCode());
  }

  static SeenRow of(Bytes key, List<Cell> cells) {
    List<SeenCell> seen = new ArrayList<>();
    for (Cell cell : cells) {
      seen.add(
          new SeenCell(
              new Column(
                  Bytes.wrap(CellUtil.cloneFamily(cell)),
                  Bytes.wrap(CellUtil.cloneQualifier(cell))),
              Bytes.wrap(CellUtil.cloneValue(cell))));
    }
    return new SeenRow(key, seen);
  }

  static SeenRow of(Bytes key, Result result) {
    return of(key, result.isEmpty() ? List.of() : result.listCells());
  }

  /** Returns the rows of scan results; a row in several results is joined. */
  static List<SeenRow> of(List<Result> results) {
    List<SeenRow> rows = new ArrayList<>();
    for (Result result : results) {
      SeenRow part = of(Bytes.of(result.getRow()), result);
      SeenRow last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
      if (last != null && last.key().equals(part.key())) {
        List<SeenCell> together = new ArrayList<>(last.cells());
        together.addAll(part.cells());
        rows.set(rows.size() - 1, new SeenRow(last.key(), together));
      } else {
        rows.add(part);
      }
    }
    return rows;
  }

  @Override
  public String toString() {
    return key + cells.toString();
  }
}
