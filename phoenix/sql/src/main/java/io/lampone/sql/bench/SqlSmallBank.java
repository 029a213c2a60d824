package io.lampone.sql.bench;

import io.lampone.benchmarks.smallbank.SmallBank;
import io.lampone.benchmarks.smallbank.SmallBankStatements;
import io.lampone.benchmarks.smallbank.SmallBankWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** SmallBank in SQL, on a connection that does not commit by itself. For one thread. */
final class SqlSmallBank implements SmallBankStatements<SQLException> {

  /** Customers whose accounts are opened in one transaction. */
  private static final int BATCH = 500;

  private static final String TOTAL = "SELECT /*+ NO_INDEX */ COUNT(*), SUM(bal) FROM %s";

  private final SmallBank bank;
  private final PreparedStatements statements;

  /** True if an index by balance exists, which is then checked, too. */
  private boolean indexed;

  /**
   * @param bank what its transactions are; shared by all terminals
   * @param prefix of the names of its tables
   * @param properties end of each CREATE TABLE
   */
  SqlSmallBank(Connection connection, SmallBank bank, String prefix, String properties) {
    this.bank = bank;
    this.statements = new PreparedStatements(connection, prefix, properties);
  }

  /** Makes the tables and fills them. */
  void prepare() throws SQLException {
    statements.create("accounts (name VARCHAR NOT NULL, custid BIGINT", "name");
    statements.create("savings (custid BIGINT NOT NULL, bal BIGINT", "custid");
    statements.create("checking (custid BIGINT NOT NULL, bal BIGINT", "custid");
    bank.<SQLException>open(
        (customer, name, savings, checking) -> {
          statements.update("UPSERT INTO %saccounts VALUES (?, ?)", name, customer);
          setBalance(Account.SAVINGS, customer, savings);
          setBalance(Account.CHECKING, customer, checking);
          if (customer % BATCH == 0) {
            statements.end(true);
          }
        });
    statements.end(true);
  }

  /** Makes an index in which a row moves with each change of a checking account. */
  void prepareIndex() throws SQLException {
    statements.execute("CREATE INDEX %sby_balance ON %schecking (bal)");
    indexed = true;
  }

  /**
   * Runs a transaction to its end.
   *
   * @return true if it is committed; false if it is rolled back by itself
   */
  boolean run(SmallBankWork work) throws SQLException {
    boolean commits = work.run(this);
    statements.end(commits);
    if (commits) {
      work.committed();
    }
    return commits;
  }

  @Override
  public int customer(String name) throws SQLException {
    return (int) statements.number("SELECT custid FROM %saccounts WHERE name = ?", name);
  }

  @Override
  public long balance(Account account, int customer) throws SQLException {
    return statements.number("SELECT bal FROM %s" + table(account) + " WHERE custid = ?", customer);
  }

  @Override
  public void setBalance(Account account, int customer, long cents) throws SQLException {
    statements.update("UPSERT INTO %s" + table(account) + " VALUES (?, ?)", customer, cents);
  }

  private static String table(Account account) {
    return account.name().toLowerCase(Locale.ROOT);
  }

  /** Checks the conditions in one snapshot; returns those that do not hold, for people. */
  List<String> violations() throws SQLException {
    SmallBank.Total checking = total(TOTAL + table(Account.CHECKING));
    List<String> violations =
        new ArrayList<>(bank.violations(total(TOTAL + table(Account.SAVINGS)), checking));
    if (indexed) {
      SmallBank.Total byIndex = total("SELECT COUNT(*), SUM(\"0:BAL\") FROM %sby_balance");
      if (!byIndex.equals(checking)) {
        violations.add("an index differs, table=" + checking + " index=" + byIndex);
      }
    }
    statements.end(true);
    return violations;
  }

  private SmallBank.Total total(String sql) throws SQLException {
    long[] total = statements.rows(sql, 2).get(0);
    return new SmallBank.Total((int) total[0], total[1]);
  }
}
