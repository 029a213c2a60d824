package io.lampone.benchmarks.smallbank;

/**
 * Statements of SmallBank's transactions, as one system carries them out in the current
 * transaction.
 *
 * @param <E> failure of a statement; also of one whose row must exist and does not
 */
public interface SmallBankStatements<E extends Exception> {

  /** Kind of account; a customer has one of each. */
  enum Account {
    SAVINGS,
    CHECKING
  }

  /** Returns the number of the customer with this name. */
  int customer(String name) throws E;

  /** Returns the balance of an account, in cents. */
  long balance(Account account, int customer) throws E;

  /** Writes the balance of an account, in cents. */
  void setBalance(Account account, int customer, long cents) throws E;
}
