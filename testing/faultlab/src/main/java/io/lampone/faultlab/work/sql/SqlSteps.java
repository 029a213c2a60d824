package io.lampone.faultlab.work.sql;

import io.lampone.checker.Operation;
import io.lampone.faultlab.work.BankWorkload;
import io.lampone.faultlab.work.Stamps;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Statements of one transaction so far, as operations of a history. */
final class SqlSteps {

  private static final String SELECT = "SELECT /*+ NO_INDEX */ id, branch, balance, token FROM ";
  private static final String SUM =
      "SELECT /*+ NO_INDEX */ 'all', 'rows', COUNT(*), SUM(balance) FROM ";
  private static final String SELECT_INDEX =
      "SELECT \":ID\", \"0:BRANCH\", \"0:BALANCE\", \"0:TOKEN\" FROM ";
  private static final String SUM_INDEX =
      "SELECT 'all', 'rows', COUNT(*), SUM(\"0:BALANCE\") FROM ";

  private final Connection connection;
  private final SqlBank bank;
  private final Consumer<String> violations;
  private final List<Operation> operations = new ArrayList<>();

  /** Row of a table or of the index; of a sum the last columns are count and sum. */
  private record Row(String id, String branch, long balance, long token) {}

  /**
   * @param violations receives violations that no operation can express
   */
  SqlSteps(Connection connection, SqlBank bank, Consumer<String> violations) {
    this.connection = connection;
    this.bank = bank;
    this.violations = violations;
  }

  List<Operation> operations() {
    return List.copyOf(operations);
  }

  void commit() throws SQLException {
    connection.commit();
  }

  /** Reads a row by its key; returns its value, or nothing. */
  List<Long> read(long key) throws SQLException {
    String where = " WHERE id = '" + SqlBank.id(key) + "'";
    return saw(rows(SELECT + bank.table(key) + where), List.of(key));
  }

  /** Deletes a row, which this transaction has to write again with a branch. */
  void delete(long key) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "DELETE FROM " + bank.table(key) + " WHERE id = '" + SqlBank.id(key) + "'");
    }
  }

  /** Upserts a row; without a branch it keeps its own, which its index row has. */
  void write(long key, String branch, long value) throws SQLException {
    operations.add(new Operation.Write(Long.toString(key), value));
    boolean moves = !branch.isEmpty();
    String columns = " (id, balance, token" + (moves ? ", branch" : "") + ") VALUES ('";
    String values = SqlBank.id(key) + "', " + Stamps.content(value) + ", " + value;
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(
          "UPSERT INTO "
              + bank.table(key)
              + columns
              + values
              + (moves ? ", '" + branch + "')" : ")"));
    }
  }

  /**
   * Reads all accounts by the table and by the index: two reads of each key. Both must hold the
   * same rows, and the sums that region servers add up must be theirs.
   */
  void readAccounts() throws SQLException {
    List<Row> byTable = rows(SELECT + bank.accounts() + " ORDER BY id");
    List<Row> byIndex = rows(SELECT_INDEX + bank.index() + " ORDER BY \":ID\"");
    saw(byTable, SqlBank.allAccounts());
    saw(byIndex, SqlBank.allAccounts());
    long sum = byTable.stream().mapToLong(Row::balance).sum();
    long unopened = SqlBank.ACCOUNTS - byTable.size();
    List<Row> sums = rows(SUM + bank.accounts());
    sums.addAll(rows(SUM_INDEX + bank.index()));
    Row wanted = new Row("all", "rows", byTable.size(), sum);
    if (!byTable.equals(byIndex)
        || !sums.equals(List.of(wanted, wanted))
        || sum != (SqlBank.ACCOUNTS - unopened) * BankWorkload.OPENING_BALANCE) {
      violations.accept("sql: table=" + byTable + " index=" + byIndex + " sums=" + sums);
    }
  }

  /** Reads all registers. */
  void readRegisters() throws SQLException {
    saw(rows(SELECT + bank.registers()), SqlBank.allRegisters());
  }

  /** Adds a read of each key, and returns the values of the last one. */
  private List<Long> saw(List<Row> rows, List<Long> keys) {
    Map<String, List<Long>> tokens = new HashMap<>();
    for (Row row : rows) {
      tokens.computeIfAbsent(row.id(), id -> new ArrayList<>()).add(row.token());
      if (Stamps.content(row.token()) != row.balance()) {
        violations.accept("sql: columns of two versions, row=" + row);
      }
    }
    List<Long> last = List.of();
    for (long key : keys) {
      List<Long> seen = tokens.remove(SqlBank.id(key));
      last = seen == null ? List.of() : seen;
      operations.add(new Operation.Read(Long.toString(key), last));
    }
    if (!tokens.isEmpty()) {
      violations.accept("sql: rows that were never written, ids=" + tokens.keySet());
    }
    return last;
  }

  private List<Row> rows(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      List<Row> rows = new ArrayList<>();
      while (found.next()) {
        String id = String.valueOf(found.getString(1));
        String branch = String.valueOf(found.getString(2));
        rows.add(new Row(id, branch, found.getLong(3), found.getLong(4)));
      }
      return rows;
    }
  }
}
