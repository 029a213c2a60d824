package io.lampone.benchmarks.smallbank;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.benchmarks.smallbank.SmallBankStatements.Account;
import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;

/**
 * Customers with a savings and a checking account, whose names are looked up first. Most
 * transactions are of a few hot customers; see {@link SmallBankWork}.
 *
 * <p>Under snapshot isolation SmallBank is known not to be serializable: a check and a withdrawal
 * from savings may both pass where a serial order would have charged a penalty. The invariant is
 * the total amount of money.
 */
public final class SmallBank implements Workload {

  /** Least initial balance of an account, in cents. */
  private static final int LEAST_BALANCE = 10_000_00;

  private static final int MOST_BALANCE = 50_000_00;

  private final int customers;

  /** Sum of the initial money and the changes of committed transactions. */
  private final LongAdder expectedCents = new LongAdder();

  /** Sum of all accounts of a kind. */
  public record Total(int accounts, long cents) {}

  /**
   * Opens the two accounts of a customer with their initial balances.
   *
   * @param <E> failure of it
   */
  @FunctionalInterface
  public interface Opening<E extends Exception> {

    /** Opens the accounts. */
    void open(int customer, String name, long savingsCents, long checkingCents) throws E;
  }

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
    return List.of(
        SmallBankTables.NAMES,
        SmallBankTables.table(Account.SAVINGS),
        SmallBankTables.table(Account.CHECKING));
  }

  @Override
  public void load(Loader loader) throws IOException {
    open(
        (customer, name, savings, checking) -> {
          loader.write(SmallBankTables.NAMES, SmallBankTables.name(name, customer));
          loader.write(
              SmallBankTables.table(Account.SAVINGS), SmallBankTables.balance(customer, savings));
          loader.write(
              SmallBankTables.table(Account.CHECKING), SmallBankTables.balance(customer, checking));
        });
  }

  /** Opens the accounts of all customers. Once for each bank. */
  public <E extends Exception> void open(Opening<E> opening) throws E {
    Terminal chance = new Terminal(0, new SplittableRandom(customers));
    for (int customer = 0; customer < customers; customer++) {
      long savings = chance.uniform(LEAST_BALANCE, MOST_BALANCE);
      long checking = chance.uniform(LEAST_BALANCE, MOST_BALANCE);
      expectedCents.add(savings + checking);
      opening.open(customer, name(customer), savings, checking);
    }
  }

  @Override
  public SmallBankWork next(Terminal terminal) {
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
          SmallBankTables tables = new SmallBankTables(transaction);
          return violations(tables.total(Account.SAVINGS), tables.total(Account.CHECKING));
        });
  }

  /** Returns the conditions that these sums of one snapshot violate; empty if all hold. */
  public List<String> violations(Total savings, Total checking) {
    List<String> violations = new ArrayList<>();
    if (savings.accounts() != customers || checking.accounts() != customers) {
      violations.add(
          "accounts are missing, savings="
              + savings.accounts()
              + " checking="
              + checking.accounts()
              + " customers="
              + customers);
    }
    long cents = savings.cents() + checking.cents();
    if (cents != expectedCents.sum()) {
      violations.add("money was made or lost, cents=" + cents + " expected=" + expectedCents.sum());
    }
    return violations;
  }

  /** Returns the name of a customer, by which every transaction looks up the number. */
  static String name(int customer) {
    return String.format(Locale.ROOT, "%016d", customer);
  }
}
