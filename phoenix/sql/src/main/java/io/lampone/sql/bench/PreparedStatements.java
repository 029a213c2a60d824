package io.lampone.sql.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Statements of a connection, each prepared once. In their text, {@code %s} stands before the names
 * of tables. For one thread.
 */
final class PreparedStatements {

  private final Connection connection;
  private final String prefix;
  private final String properties;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  /**
   * @param prefix of the names of tables
   * @param properties end of each CREATE TABLE
   */
  PreparedStatements(Connection connection, String prefix, String properties) {
    this.connection = connection;
    this.prefix = prefix;
    this.properties = properties;
  }

  /** Creates a table with this name, these columns, and this key. */
  void create(String columns, String key) throws SQLException {
    execute(
        "CREATE TABLE %s"
            + columns
            + " CONSTRAINT pk PRIMARY KEY ("
            + key
            + ")) COLUMN_ENCODED_BYTES=0, UPDATE_CACHE_FREQUENCY='NEVER'"
            + properties);
  }

  /** Executes a statement once. */
  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(named(sql));
    }
  }

  /** Commits, or rolls back. */
  void end(boolean commits) throws SQLException {
    if (commits) {
      connection.commit();
    } else {
      connection.rollback();
    }
  }

  private String named(String sql) {
    return sql.replace("%s", prefix);
  }

  private PreparedStatement bound(String sql, Object... values) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(named(sql));
      statements.put(sql, statement);
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] instanceof Number number) {
        statement.setLong(i + 1, number.longValue());
      } else {
        statement.setObject(i + 1, values[i]);
      }
    }
    return statement;
  }

  /** Returns the number of rows that were written. */
  int update(String sql, Object... values) throws SQLException {
    return bound(sql, values).executeUpdate();
  }

  /** Returns the first columns, which are numbers, of all rows. */
  List<long[]> rows(String sql, int columns, Object... values) throws SQLException {
    List<long[]> found = new ArrayList<>();
    try (ResultSet rows = bound(sql, values).executeQuery()) {
      while (rows.next()) {
        long[] row = new long[columns];
        for (int i = 0; i < columns; i++) {
          row[i] = rows.getLong(i + 1);
        }
        found.add(row);
      }
    }
    return found;
  }

  /** Returns true if a row is found. */
  boolean exists(String sql, Object... values) throws SQLException {
    return !rows(sql, 1, values).isEmpty();
  }

  /**
   * Returns the number in the first row.
   *
   * @throws SQLException also if there is no row
   */
  long number(String sql, Object... values) throws SQLException {
    List<long[]> rows = rows(sql, 1, values);
    if (rows.isEmpty()) {
      throw new SQLException("a row is missing, query=" + named(sql));
    }
    return rows.get(0)[0];
  }
}
