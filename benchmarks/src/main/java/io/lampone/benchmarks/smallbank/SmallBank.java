package io.lampone.benchmarks.smallbank;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;

/**
 * Customers with a savings and a checking account, whose names are looked up first. Most
 * transactions are of a few hot customers; see {@link SmallBankWork}.
 *
 * <p>Under snapshot isolation SmallBank is known not to be serializable: a check and a withdrawal
 * from savings may both pass where a serial order would have charged a penalty. The invariant is
 * the total amount of money.
 */
public final class SmallBank implements Workload {

  static final TableName NAMES = TableName.valueOf("smallbank-accounts");
  static final TableName SAVINGS = TableName.valueOf("smallbank-savings");
  static final TableName CHECKING = TableName.valueOf("smallbank-checking");
  static final String BALANCE = "bal";

  private static final String CUSTOMER = "custid";

  /** Least initial balance of an account, in cents. */
  private static final int LEAST_BALANCE = 10_000_00;

  private static final int MOST_BALANCE = 50_000_00;

  private final int customers;

  /** Sum of the initial money and the changes of committed transactions. */
  private final LongAdder expectedCents = new LongAdder();

  /** Creates a bank with this number of customers, at least two. */
  public SmallBank(int customers) {
    if (customers < 2) {
      throw new IllegalArgumentException("a payment needs two, customers=" + customers);
    }
    this.customers = customers;
  }

  @Override
  public String name() {
    return "smallbank";
  }

  @Override
  public List<String> types() {
    return List.of(
        SmallBankWork.BALANCE,
        SmallBankWork.DEPOSIT_CHECKING,
        SmallBankWork.TRANSACT_SAVINGS,
        SmallBankWork.AMALGAMATE,
        SmallBankWork.WRITE_CHECK,
        SmallBankWork.SEND_PAYMENT);
  }

  @Override
  public List<TableName> tables() {
    return List.of(NAMES, SAVINGS, CHECKING);
  }

  @Override
  public void load(Loader loader) throws IOException {
    Terminal chance = new Terminal(0, new SplittableRandom(customers));
    for (int customer = 0; customer < customers; customer++) {
      loader.write(NAMES, set(put(nameKey(customer)), CUSTOMER, customer));
      for (TableName table : List.of(SAVINGS, CHECKING)) {
        int cents = chance.uniform(LEAST_BALANCE, MOST_BALANCE);
        expectedCents.add(cents);
        loader.write(table, set(put(key(customer)), BALANCE, cents));
      }
    }
  }

  @Override
  public Work next(Terminal terminal) {
    return SmallBankWork.choose(terminal, customers, expectedCents);
  }

  @Override
  public List<String> conditions() {
    return List.of("no money is made or lost", "every customer has both accounts");
  }

  @Override
  public List<String> check(LamponeClient client) throws IOException {
    return client.run(
        transaction -> {
          List<String> violations = new ArrayList<>();
          long cents = 0;
          for (TableName table : List.of(SAVINGS, CHECKING)) {
            int accounts = 0;
            try (ResultScanner rows = transaction.table(table).getScanner(new Scan())) {
              for (Result row : rows) {
                cents += OltpRow.of(row).number(BALANCE);
                accounts++;
              }
            }
            if (accounts != customers) {
              violations.add(
                  "accounts are missing, table="
                      + table
                      + " accounts="
                      + accounts
                      + " customers="
                      + customers);
            }
          }
          if (cents != expectedCents.sum()) {
            violations.add(
                "money was made or lost, cents=" + cents + " expected=" + expectedCents.sum());
          }
          return violations;
        });
  }

  /** Returns the customer's number, which every transaction looks up by name. */
  static int customer(Transaction transaction, int customer) throws IOException {
    return (int) OltpRow.require(transaction, NAMES, nameKey(customer)).number(CUSTOMER);
  }

  private static byte[] nameKey(int customer) {
    return key(new byte[0], String.format(Locale.ROOT, "%016d", customer));
  }
}
