package io.lampone.benchmarks.smallbank;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.client.Transaction;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/** SmallBank's statements on tables of HBase. */
record SmallBankTables(Transaction transaction) implements SmallBankStatements<IOException> {

  static final TableName NAMES = TableName.valueOf("smallbank-accounts");

  private static final TableName SAVINGS = TableName.valueOf("smallbank-savings");
  private static final TableName CHECKING = TableName.valueOf("smallbank-checking");
  private static final String BALANCE = "bal";
  private static final String CUSTOMER = "custid";

  static TableName table(Account account) {
    return account == Account.SAVINGS ? SAVINGS : CHECKING;
  }

  static Put name(String name, int customer) {
    return set(put(key(new byte[0], name)), CUSTOMER, customer);
  }

  static Put balance(int customer, long cents) {
    return set(put(key(customer)), BALANCE, cents);
  }

  @Override
  public int customer(String name) throws IOException {
    return (int) OltpRow.require(transaction, NAMES, key(new byte[0], name)).number(CUSTOMER);
  }

  @Override
  public long balance(Account account, int customer) throws IOException {
    return OltpRow.require(transaction, table(account), key(customer)).number(BALANCE);
  }

  @Override
  public void setBalance(Account account, int customer, long cents) throws IOException {
    transaction.table(table(account)).put(balance(customer, cents));
  }

  SmallBank.Total total(Account account) throws IOException {
    long cents = 0;
    int accounts = 0;
    try (ResultScanner rows = transaction.table(table(account)).getScanner(new Scan())) {
      for (Result row : rows) {
        cents += OltpRow.of(row).number(BALANCE);
        accounts++;
      }
    }
    return new SmallBank.Total(accounts, cents);
  }
}
