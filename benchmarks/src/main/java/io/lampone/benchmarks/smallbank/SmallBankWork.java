package io.lampone.benchmarks.smallbank;

import static io.lampone.benchmarks.oltp.OltpRow.key;
import static io.lampone.benchmarks.oltp.OltpRow.put;
import static io.lampone.benchmarks.oltp.OltpRow.set;

import io.lampone.benchmarks.oltp.OltpRow;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.TableName;

/**
 * Transaction of SmallBank: one of the five of the paper, or the payment of later implementations;
 * shares and amounts are theirs (H-Store, OLTP-Bench).
 */
final class SmallBankWork implements Workload.Work {

  static final String BALANCE = "Balance";
  static final String DEPOSIT_CHECKING = "DepositChecking";
  static final String TRANSACT_SAVINGS = "TransactSavings";
  static final String AMALGAMATE = "Amalgamate";
  static final String WRITE_CHECK = "WriteCheck";
  static final String SEND_PAYMENT = "SendPayment";

  /** Percentage of the transactions that are of hot customers; the others are of any customer. */
  private static final int HOT_PERCENT = 90;

  private static final int HOT_CUSTOMERS = 100;

  private static final int DEPOSIT_CENTS = 1_30;
  private static final int SAVINGS_CENTS = 20_20;
  private static final int CHECK_CENTS = 5_00;
  private static final int PAYMENT_CENTS = 5_00;

  /** Penalty for a check that the accounts do not cover. */
  private static final int PENALTY_CENTS = 1_00;

  private final String type;
  private final int one;
  private final int other;
  private final LongAdder expectedCents;

  /** Change of all money by the last attempt; written and read by its thread. */
  private long deltaCents;

  private SmallBankWork(String type, int one, int other, LongAdder expectedCents) {
    this.type = type;
    this.one = one;
    this.other = other;
    this.expectedCents = expectedCents;
  }

  static SmallBankWork choose(Terminal terminal, int customers, LongAdder expectedCents) {
    int hot = Math.min(customers, HOT_CUSTOMERS);
    int range = terminal.percent(HOT_PERCENT) ? hot : customers;
    int one = terminal.uniform(0, range - 1);
    int other = terminal.uniform(0, range - 2);
    int different = other >= one ? other + 1 : other;
    return new SmallBankWork(type(terminal.uniform(1, 100)), one, different, expectedCents);
  }

  /** 15 % of each, and 25 % payments. */
  private static String type(int percent) {
    if (percent <= 15) {
      return BALANCE;
    }
    if (percent <= 30) {
      return DEPOSIT_CHECKING;
    }
    if (percent <= 45) {
      return TRANSACT_SAVINGS;
    }
    if (percent <= 60) {
      return AMALGAMATE;
    }
    return percent <= 75 ? WRITE_CHECK : SEND_PAYMENT;
  }

  @Override
  public String type() {
    return type;
  }

  @Override
  public boolean run(Transaction transaction) throws IOException {
    deltaCents = 0;
    int customer = SmallBank.customer(transaction, one);
    return switch (type) {
      case BALANCE -> {
        savings(transaction, customer);
        checking(transaction, customer);
        yield true;
      }
      case DEPOSIT_CHECKING -> {
        add(transaction, SmallBank.CHECKING, customer, DEPOSIT_CENTS);
        yield true;
      }
      case TRANSACT_SAVINGS -> transactSavings(transaction, customer);
      case AMALGAMATE -> amalgamate(transaction, customer);
      case WRITE_CHECK -> writeCheck(transaction, customer);
      default -> sendPayment(transaction, customer);
    };
  }

  @Override
  public void committed() {
    expectedCents.add(deltaCents);
  }

  /** Withdraws, unless there is too little. */
  private boolean transactSavings(Transaction transaction, int customer) throws IOException {
    if (savings(transaction, customer) < SAVINGS_CENTS) {
      return false;
    }
    add(transaction, SmallBank.SAVINGS, customer, -SAVINGS_CENTS);
    return true;
  }

  /** Moves all money of one customer into the checking account of another. */
  private boolean amalgamate(Transaction transaction, int customer) throws IOException {
    int receiver = SmallBank.customer(transaction, other);
    long savings = savings(transaction, customer);
    long checking = checking(transaction, customer);
    add(transaction, SmallBank.SAVINGS, customer, -savings);
    add(transaction, SmallBank.CHECKING, customer, -checking);
    add(transaction, SmallBank.CHECKING, receiver, savings + checking);
    return true;
  }

  private boolean writeCheck(Transaction transaction, int customer) throws IOException {
    long total = savings(transaction, customer) + checking(transaction, customer);
    int penalty = total < CHECK_CENTS ? PENALTY_CENTS : 0;
    add(transaction, SmallBank.CHECKING, customer, -CHECK_CENTS - penalty);
    return true;
  }

  private boolean sendPayment(Transaction transaction, int customer) throws IOException {
    int receiver = SmallBank.customer(transaction, other);
    if (checking(transaction, customer) < PAYMENT_CENTS) {
      return false;
    }
    add(transaction, SmallBank.CHECKING, customer, -PAYMENT_CENTS);
    add(transaction, SmallBank.CHECKING, receiver, PAYMENT_CENTS);
    return true;
  }

  private void add(Transaction transaction, TableName table, int customer, long cents)
      throws IOException {
    long before = balance(transaction, table, customer);
    transaction.table(table).put(set(put(key(customer)), SmallBank.BALANCE, before + cents));
    deltaCents += cents;
  }

  private static long savings(Transaction transaction, int customer) throws IOException {
    return balance(transaction, SmallBank.SAVINGS, customer);
  }

  private static long checking(Transaction transaction, int customer) throws IOException {
    return balance(transaction, SmallBank.CHECKING, customer);
  }

  private static long balance(Transaction transaction, TableName table, int customer)
      throws IOException {
    return OltpRow.require(transaction, table, key(customer)).number(SmallBank.BALANCE);
  }
}
