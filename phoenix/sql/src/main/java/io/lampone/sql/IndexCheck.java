package io.lampone.sql;

import io.lampone.cli.CommandException;
import io.lampone.sql.IndexComparison.Result;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.PColumn;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableType;
import org.apache.phoenix.schema.SaltingUtil;
import org.apache.phoenix.schema.types.PDataType;
import org.apache.phoenix.schema.types.PDecimal;
import org.apache.phoenix.util.IndexUtil;
import org.apache.phoenix.util.SchemaUtil;
import org.jspecify.annotations.Nullable;

/** Reads of a table and its indexes in one snapshot, to compare them. */
final class IndexCheck {

  private final Connection connection;
  private final PTable table;

  /** Column of an index, and what it holds. */
  private record Column(String name, PDataType<?> type, String expression) {

    /** Returns it in its type of the table: numbers and dates that may be null are DECIMAL here. */
    String as(PDataType<?> ofTable) {
      return type == PDecimal.INSTANCE && ofTable != type
          ? "CAST(" + name + " AS " + ofTable.getSqlTypeName() + ")"
          : name;
    }
  }

  /**
   * @param connection that does not commit by itself
   * @throws CommandException if there is no such table
   */
  IndexCheck(Connection connection, String name) throws SQLException {
    this.connection = connection;
    this.table =
        connection
            .unwrap(PhoenixConnection.class)
            .getTable(SchemaUtil.normalizeFullTableName(name));
    if (table.getType() != PTableType.TABLE || !table.isTransactional()) {
      throw new CommandException(
          "not a transactional table, name=" + name,
          "indexes are checked with their table; those of views are not");
    }
  }

  /** Compares an index, or all of them if {@code only} is null; only those that are active. */
  List<Result> run(@Nullable String only) throws SQLException {
    List<Result> results = new ArrayList<>();
    for (PTable index : table.getIndexes()) {
      if (only == null
          || index.getTableName().getString().equals(SchemaUtil.normalizeIdentifier(only))) {
        results.add(
            index.getIndexState() == PIndexState.ACTIVE
                ? compare(index)
                : Result.notCompared(index.getTableName().getString(), index.getIndexState()));
        connection.commit();
      }
    }
    if (only != null && results.isEmpty()) {
      throw new CommandException(
          "no such index, name=" + only + " table=" + table.getName(),
          "leave it out: all are checked");
    }
    return results;
  }

  private Result compare(PTable index) throws SQLException {
    List<Column> columns = columns(index);
    int keys = keys(table).size();
    String order =
        IntStream.rangeClosed(1, keys)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
    String ofTable = columns.stream().map(Column::expression).collect(Collectors.joining(", "));
    try (Statement first = connection.createStatement();
        Statement second = connection.createStatement();
        ResultSet rows =
            first.executeQuery("SELECT /*+ NO_INDEX */ " + ofTable + from(table, order))) {
      List<PDataType<?>> types = types(rows);
      String ofIndex =
          IntStream.range(0, columns.size())
              .mapToObj(i -> columns.get(i).as(types.get(i)))
              .collect(Collectors.joining(", "));
      try (ResultSet entries = second.executeQuery("SELECT " + ofIndex + from(index, order))) {
        return new IndexComparison(keys, types, types(entries))
            .compare(
                index.getTableName().getString(),
                () -> next(rows, columns.size()),
                () -> next(entries, columns.size()));
      }
    }
  }

  private static List<PDataType<?>> types(ResultSet rows) throws SQLException {
    ResultSetMetaData described = rows.getMetaData();
    List<PDataType<?>> types = new ArrayList<>();
    for (int i = 1; i <= described.getColumnCount(); i++) {
      types.add(PDataType.fromSqlTypeName(described.getColumnTypeName(i)));
    }
    return types;
  }

  private static String from(PTable table, String order) {
    return " FROM "
        + SchemaUtil.getEscapedFullTableName(table.getName().getString())
        + " ORDER BY "
        + order;
  }

  private static List<PColumn> keys(PTable table) {
    int hidden = table.getBucketNum() == null ? 0 : 1;
    return table.getPKColumns().subList(hidden, table.getPKColumns().size());
  }

  /** Returns all columns of an index, those of the table's key first. */
  private List<Column> columns(PTable index) throws SQLException {
    List<Column> first = new ArrayList<>();
    List<Column> others = new ArrayList<>();
    for (PColumn key : keys(table)) {
      PColumn ofIndex = index.getColumnForColumnName(IndexUtil.getIndexColumnName(key));
      first.add(column(ofIndex, key));
    }
    for (PColumn column : index.getColumns()) {
      if (column.getName().equals(SaltingUtil.SALTING_COLUMN.getName())) {
        continue;
      }
      PColumn ofTable = IndexUtil.getDataColumnOrNull(table, column.getName().getString());
      if (ofTable == null || !SchemaUtil.isPKColumn(ofTable)) {
        others.add(column(column, ofTable));
      }
    }
    first.addAll(others);
    return first;
  }

  /**
   * @param ofTable null if the index holds an expression
   */
  private static Column column(PColumn ofIndex, @Nullable PColumn ofTable) {
    String name = "\"" + ofIndex.getName().getString() + "\"";
    if (ofTable == null) {
      return new Column(name, ofIndex.getDataType(), ofIndex.getExpressionStr());
    }
    String family = ofTable.getFamilyName() == null ? "" : "\"" + ofTable.getFamilyName() + "\".";
    return new Column(
        name, ofIndex.getDataType(), family + "\"" + ofTable.getName().getString() + "\"");
  }

  private static @Nullable List<@Nullable Object> next(ResultSet rows, int columns)
      throws SQLException {
    if (!rows.next()) {
      return null;
    }
    List<@Nullable Object> row = new ArrayList<>();
    for (int i = 1; i <= columns; i++) {
      row.add(rows.getObject(i));
    }
    return row;
  }
}
