package io.lampone.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A bank in SQL: accounts, with an index by their branch that holds the balances too. */
final class AccountsTable {

  static final String NAME = "ACCOUNTS";
  static final String INDEX = "ACCOUNTS_BY_BRANCH";
  static final long OPENING_BALANCE = 1_000;

  /** Accounts without an index, as the index tells them. */
  private static final String ROWS_OF_INDEX =
      "SELECT \":ID\", \"0:BRANCH\", \"0:BALANCE\" FROM " + INDEX + " ORDER BY \":ID\"";

  private static final String ROWS_OF_TABLE =
      "SELECT /*+ NO_INDEX */ id, branch, balance FROM " + NAME + " ORDER BY id";

  private static final int BRANCHES = 10;

  private AccountsTable() {}

  /**
   * Sums of all balances in one snapshot.
   *
   * @param accounts number of rows of the table
   * @param byTable read from the table
   * @param byIndex read from the index
   */
  record Sums(long accounts, long byTable, long byIndex) {

    boolean areOf(int wanted) {
      return accounts == wanted && byTable == wanted * OPENING_BALANCE && byIndex == byTable;
    }
  }

  static void create(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS "
              + NAME
              + " (id BIGINT NOT NULL PRIMARY KEY, branch VARCHAR, balance BIGINT)"
              + " TRANSACTIONAL=true");
      statement.execute(
          "CREATE INDEX IF NOT EXISTS " + INDEX + " ON " + NAME + " (branch) INCLUDE (balance)");
    }
  }

  /** Opens all accounts in one transaction, unless they are there. */
  static void open(Connection connection, int accounts) throws SQLException {
    if (sums(connection).accounts() != accounts) {
      try (PreparedStatement upsert =
          connection.prepareStatement("UPSERT INTO " + NAME + " VALUES (?, ?, ?)")) {
        for (int id = 0; id < accounts; id++) {
          upsert.setLong(1, id);
          upsert.setString(2, "b" + id % BRANCHES);
          upsert.setLong(3, OPENING_BALANCE);
          upsert.executeUpdate();
        }
      }
      try (PreparedStatement delete =
          connection.prepareStatement("DELETE FROM " + NAME + " WHERE id >= ?")) {
        delete.setLong(1, accounts);
        delete.executeUpdate();
      }
    }
    connection.commit();
  }

  /** Moves money, without a commit. */
  static void transfer(Connection connection, int from, int to, long amount) throws SQLException {
    long ofFrom = balance(connection, from);
    long ofTo = balance(connection, to);
    setBalance(connection, from, ofFrom - amount);
    setBalance(connection, to, ofTo + amount);
  }

  /** Reads a balance by the key of the account. */
  static long balance(Connection connection, int id) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement("SELECT balance FROM " + NAME + " WHERE id = ?")) {
      query.setLong(1, id);
      return number(query);
    }
  }

  private static void setBalance(Connection connection, int id, long balance) throws SQLException {
    try (PreparedStatement upsert =
        connection.prepareStatement("UPSERT INTO " + NAME + " (id, balance) VALUES (?, ?)")) {
      upsert.setLong(1, id);
      upsert.setLong(2, balance);
      upsert.executeUpdate();
    }
  }

  /** Reads both sums in the transaction of the connection. */
  static Sums sums(Connection connection) throws SQLException {
    return new Sums(
        number(connection, "SELECT /*+ NO_INDEX */ COUNT(*) FROM " + NAME),
        number(connection, "SELECT /*+ NO_INDEX */ SUM(balance) FROM " + NAME),
        number(connection, "SELECT SUM(\"0:BALANCE\") FROM " + INDEX));
  }

  /** Returns true if table and index hold the same rows, in one snapshot. */
  static boolean isIndexEqual(Connection connection) throws SQLException {
    return rows(connection, ROWS_OF_TABLE).equals(rows(connection, ROWS_OF_INDEX));
  }

  private static List<String> rows(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(query)) {
      List<String> rows = new ArrayList<>();
      while (found.next()) {
        rows.add(found.getLong(1) + " " + found.getString(2) + " " + found.getLong(3));
      }
      return rows;
    }
  }

  private static long number(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      return number(statement);
    }
  }

  private static long number(PreparedStatement query) throws SQLException {
    try (ResultSet found = query.executeQuery()) {
      return found.next() ? found.getLong(1) : 0;
    }
  }
}
