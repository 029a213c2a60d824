package io.lampone.cli.quickstart;

import io.lampone.cli.shell.Database;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Detects blocked readers. Each read runs in a new transaction and counts as blocked after a time
 * limit.
 */
final class BankProbe implements AutoCloseable {

  private final Database database;
  private final Bank bank;
  private final Clock clock;
  private final Duration bound;
  private final ExecutorService reader =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "bank-probe");
            thread.setDaemon(true);
            return thread;
          });

  BankProbe(Database database, Bank bank, Clock clock, Duration bound) {
    this.database = database;
    this.bank = bank;
    this.clock = clock;
    this.bound = bound;
  }

  /** Accounts that a new reader cannot read within the bound. */
  int unreadableAccounts() throws InterruptedException {
    int unreadable = 0;
    for (int account = 0; account < bank.accounts(); account++) {
      int number = account;
      if (!answers(() -> readOnly(tx -> bank.balance(tx, number)))) {
        unreadable++;
      }
    }
    return unreadable;
  }

  /** Returns the state of all accounts for a new reader. */
  Bank.State state() throws IOException {
    try (Transaction tx = begin()) {
      return bank.state(tx);
    }
  }

  /**
   * Reads one account.
   *
   * @return duration in nanoseconds; the bound if there was no reply
   */
  long readNanos(int account) throws InterruptedException {
    long startNanos = clock.monotonicNanos();
    boolean answered = answers(() -> readOnly(tx -> bank.balance(tx, account)));
    return answered ? clock.monotonicNanos() - startNanos : bound.toNanos();
  }

  /**
   * Moves money between two accounts.
   *
   * @return duration in nanoseconds; the bound if the transfer did not end
   */
  long transferNanos(int from, int to, long amount) throws InterruptedException {
    long startNanos = clock.monotonicNanos();
    boolean answered =
        answers(
            () ->
                database.run(
                    TransactionOptions.DEFAULT.withTimeout(bound),
                    tx -> bank.transfer(tx, from, to, amount)));
    return answered ? clock.monotonicNanos() - startNanos : bound.toNanos();
  }

  @Override
  public void close() {
    reader.shutdownNow();
  }

  private long readOnly(TransactionFunction<Long, RuntimeException> work) throws IOException {
    try (Transaction tx = begin()) {
      return work.apply(tx);
    }
  }

  private Transaction begin() throws IOException {
    return database.begin(TransactionOptions.DEFAULT.withTimeout(bound).asReadOnly());
  }

  private boolean answers(Callable<?> work) throws InterruptedException {
    Future<?> future = reader.submit(work);
    try {
      future.get(bound.toNanos(), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      future.cancel(true);
      return false;
    }
  }
}
