package io.lampone.faultlab.work.sql;

import io.lampone.checker.Operation;
import io.lampone.faultlab.work.BankWorkload;
import io.lampone.faultlab.work.Stamps;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Statements of one transaction so far, as operations of a history. */
final class SqlSteps {

  private final Connection connection;
  private final SqlBank bank;
  private final Consumer<String> violations;
  private final List<Operation> operations = new ArrayList<>();

  /** Row of a table or of the index. */
  private record Row(String id, String branch, long balance, long token) {}

  /** Number of rows, and sum of their balances. */
  private record Sums(long rows, long sum) {}

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

  /** Reads a row by its key; returns its value, or nothing. */
  List<Long> read(long key) throws SQLException {
    String query = "SELECT id, branch, balance, token FROM " + bank.table(key) + " WHERE id = ?";
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, SqlBank.id(key));
      List<Long> seen;
      try (ResultSet found = statement.executeQuery()) {
        seen = rows(found).stream().map(Row::token).toList();
      }
      operations.add(new Operation.Read(Long.toString(key), seen));
      return seen;
    }
  }

  /** Upserts a row. */
  void write(long key, String branch, long value) throws SQLException {
    operations.add(new Operation.Write(Long.toString(key), value));
    String upsert = "UPSERT INTO " + bank.table(key) + " VALUES (?, ?, ?, ?)";
    try (PreparedStatement statement = connection.prepareStatement(upsert)) {
      statement.setString(1, SqlBank.id(key));
      statement.setString(2, branch);
      statement.setLong(3, Stamps.content(value));
      statement.setLong(4, value);
      statement.executeUpdate();
    }
  }

  /** Upserts a row without its branch: that of its index row has to be read. */
  void write(long key, long value) throws SQLException {
    operations.add(new Operation.Write(Long.toString(key), value));
    String upsert = "UPSERT INTO " + bank.table(key) + " (id, balance, token) VALUES (?, ?, ?)";
    try (PreparedStatement statement = connection.prepareStatement(upsert)) {
      statement.setString(1, SqlBank.id(key));
      statement.setLong(2, Stamps.content(value));
      statement.setLong(3, value);
      statement.executeUpdate();
    }
  }

  /**
   * Reads all accounts by the table and by the index: two reads of each key. Both must hold the
   * same rows, and the sums that region servers add up must be theirs.
   */
  void readAccounts() throws SQLException {
    List<Row> byTable =
        rows(
            "SELECT /*+ NO_INDEX */ id, branch, balance, token FROM "
                + bank.accounts()
                + " ORDER BY id");
    saw(byTable, SqlBank.allAccounts());
    List<Row> byIndex =
        rows(
            "SELECT \":ID\", \"0:BRANCH\", \"0:BALANCE\", \"0:TOKEN\" FROM "
                + bank.index()
                + " ORDER BY \":ID\"");
    saw(byIndex, SqlBank.allAccounts());
    if (!byTable.equals(byIndex)) {
      violations.accept("sql: table=" + byTable + " index=" + byIndex);
    }
    Sums wanted = new Sums(byTable.size(), byTable.stream().mapToLong(SqlSteps.Row::balance).sum());
    long opened = SqlBank.ACCOUNTS - wanted.rows();
    if (wanted.sum() + opened * BankWorkload.OPENING_BALANCE
        != SqlBank.ACCOUNTS * BankWorkload.OPENING_BALANCE) {
      violations.accept("sql: wrong sum, table=" + byTable);
    }
    Sums ofTable = sums("SELECT /*+ NO_INDEX */ COUNT(*), SUM(balance) FROM " + bank.accounts());
    Sums ofIndex = sums("SELECT COUNT(*), SUM(\"0:BALANCE\") FROM " + bank.index());
    if (!ofTable.equals(wanted) || !ofIndex.equals(wanted)) {
      violations.accept(
          "sql: wanted=" + wanted + " sumByTable=" + ofTable + " sumByIndex=" + ofIndex);
    }
  }

  /** Reads all registers. */
  void readRegisters() throws SQLException {
    saw(rows("SELECT id, branch, balance, token FROM " + bank.registers()), SqlBank.allRegisters());
  }

  private void saw(List<Row> rows, Collection<Long> keys) {
    Map<String, List<Long>> tokens = new HashMap<>();
    rows.forEach(row -> tokens.computeIfAbsent(row.id(), id -> new ArrayList<>()).add(row.token()));
    for (long key : keys) {
      List<Long> seen = tokens.remove(SqlBank.id(key));
      operations.add(new Operation.Read(Long.toString(key), seen == null ? List.of() : seen));
    }
    if (!tokens.isEmpty()) {
      violations.accept("sql: rows that nobody has written, ids=" + tokens.keySet());
    }
  }

  private List<Row> rows(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      return rows(found);
    }
  }

  private List<Row> rows(ResultSet found) throws SQLException {
    List<Row> rows = new ArrayList<>();
    while (found.next()) {
      Row row =
          new Row(
              String.valueOf(found.getString(1)),
              String.valueOf(found.getString(2)),
              found.getLong(3),
              found.getLong(4));
      if (Stamps.content(row.token()) != row.balance()) {
        violations.accept("sql: columns of two versions, row=" + row);
      }
      rows.add(row);
    }
    return rows;
  }

  private Sums sums(String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      return found.next() ? new Sums(found.getLong(1), found.getLong(2)) : new Sums(-1, -1);
    }
  }
}
