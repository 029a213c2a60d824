package io.lampone.benchmarks.smallbank;

import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.benchmarks.smallbank.SmallBankStatements.Account;
import io.lampone.client.Transaction;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Transaction of SmallBank: one of the five of the paper, or the payment of later implementations;
 * shares and amounts are theirs (H-Store, OLTP-Bench).
 */
public final class SmallBankWork implements Workload.Work {

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
    return run(new SmallBankTables(transaction));
  }

  /**
   * Reads and writes. May run several times, each time in a new transaction.
   *
   * @return false if it is to be rolled back
   */
  public <E extends Exception> boolean run(SmallBankStatements<E> bank) throws E {
    deltaCents = 0;
    int customer = bank.customer(SmallBank.name(one));
    return switch (type) {
      case BALANCE -> {
        bank.balance(Account.SAVINGS, customer);
        bank.balance(Account.CHECKING, customer);
        yield true;
      }
      case DEPOSIT_CHECKING -> {
        add(bank, Account.CHECKING, customer, DEPOSIT_CENTS);
        yield true;
      }
      case TRANSACT_SAVINGS -> transactSavings(bank, customer);
      case AMALGAMATE -> amalgamate(bank, customer);
      case WRITE_CHECK -> writeCheck(bank, customer);
      default -> sendPayment(bank, customer);
    };
  }

  @Override
  public void committed() {
    expectedCents.add(deltaCents);
  }

  /** Withdraws, unless there is too little. */
  private <E extends Exception> boolean transactSavings(SmallBankStatements<E> bank, int customer)
      throws E {
    if (bank.balance(Account.SAVINGS, customer) < SAVINGS_CENTS) {
      return false;
    }
    add(bank, Account.SAVINGS, customer, -SAVINGS_CENTS);
    return true;
  }

  /** Moves all money of one customer into the checking account of another. */
  private <E extends Exception> boolean amalgamate(SmallBankStatements<E> bank, int customer)
      throws E {
    int receiver = bank.customer(SmallBank.name(other));
    long savings = bank.balance(Account.SAVINGS, customer);
    long checking = bank.balance(Account.CHECKING, customer);
    add(bank, Account.SAVINGS, customer, -savings);
    add(bank, Account.CHECKING, customer, -checking);
    add(bank, Account.CHECKING, receiver, savings + checking);
    return true;
  }

  private <E extends Exception> boolean writeCheck(SmallBankStatements<E> bank, int customer)
      throws E {
    long total = bank.balance(Account.SAVINGS, customer) + bank.balance(Account.CHECKING, customer);
    int penalty = total < CHECK_CENTS ? PENALTY_CENTS : 0;
    add(bank, Account.CHECKING, customer, -CHECK_CENTS - penalty);
    return true;
  }

  private <E extends Exception> boolean sendPayment(SmallBankStatements<E> bank, int customer)
      throws E {
    int receiver = bank.customer(SmallBank.name(other));
    if (bank.balance(Account.CHECKING, customer) < PAYMENT_CENTS) {
      return false;
    }
    add(bank, Account.CHECKING, customer, -PAYMENT_CENTS);
    add(bank, Account.CHECKING, receiver, PAYMENT_CENTS);
    return true;
  }

  private <E extends Exception> void add(
      SmallBankStatements<E> bank, Account account, int customer, long cents) throws E {
    bank.setBalance(account, customer, bank.balance(account, customer) + cents);
    deltaCents += cents;
  }
}
