package io.lampone.faultlab.work.sql;

import io.lampone.faultlab.work.HistoryCells;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.TableName;

/**
 * Tables in SQL: accounts with an index by branch that holds their balances too, and registers
 * without an index. The value of a key of the history is the token of the row.
 *
 * @param accounts name of the table
 * @param registers likewise
 * @param index likewise
 */
public record SqlBank(String accounts, String registers, String index) {

  /** Accounts between which money moves. */
  static final int MOVING = 12;

  /** Accounts whose balance never changes, written under autocommit. */
  static final int IDLE = 4;

  /** Number of all accounts. */
  public static final int ACCOUNTS = MOVING + IDLE;

  static final int REGISTERS = 6;

  /**
   * Names the tables.
   *
   * @param names of accounts, registers and index
   */
  public static SqlBank of(List<TableName> names) {
    return new SqlBank(quoted(names.get(0)), quoted(names.get(1)), quoted(names.get(2)));
  }

  private static String quoted(TableName name) {
    return "\"" + name.getNameAsString() + "\"";
  }

  /** Returns the key of an account, by its number. */
  static long account(int number) {
    return HistoryCells.lone(number, 0);
  }

  /** Returns the key of a register, by its number. */
  static long register(int number) {
    return HistoryCells.in(1, HistoryCells.lone(number, 0));
  }

  static List<Long> allAccounts() {
    return LongStream.range(0, ACCOUNTS).mapToObj(i -> account((int) i)).toList();
  }

  static List<Long> allRegisters() {
    return LongStream.range(0, REGISTERS).mapToObj(i -> register((int) i)).toList();
  }

  /** Returns the primary key of a row. */
  static String id(long key) {
    return new String(HistoryCells.row(key), StandardCharsets.UTF_8);
  }

  /** Returns true if a key is that of an account. */
  static boolean hasIndex(long key) {
    return HistoryCells.table(key) == 0;
  }

  /** Returns the table of a key. */
  String table(long key) {
    return hasIndex(key) ? accounts : registers;
  }

  /** Creates the tables, with regions. */
  public void create(Connection connection) throws SQLException {
    String regions =
        HistoryCells.splits().stream()
            .map(split -> "'" + split + "'")
            .collect(Collectors.joining(",", " SPLIT ON (", ")"));
    String columns =
        " (id VARCHAR NOT NULL PRIMARY KEY, branch VARCHAR, balance BIGINT, token BIGINT)";
    try (Statement statement = connection.createStatement()) {
      for (String table : List.of(accounts, registers)) {
        statement.execute(
            "CREATE TABLE IF NOT EXISTS " + table + columns + " TRANSACTIONAL=true" + regions);
      }
      String indexed = accounts + " (branch) INCLUDE (balance, token)";
      statement.execute("CREATE INDEX IF NOT EXISTS " + index + " ON " + indexed + regions);
    }
  }
}
