package io.lampone.cli;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that move money while others add it all up. The classic test of snapshot isolation: every
 * snapshot must show the sum that the bank was opened with, whatever happens to clients and
 * servers.
 *
 * <p>{@link #start}, wait, {@link #stop}; once.
 */
final class BankWorkload {

  /** Limit of transferring threads. */
  static final int MAX_THREADS = 256;

  /** How long {@link #stop} waits for the work under way. */
  private static final long STOP_SECONDS = 60;

  private static final long MAX_AMOUNT = 10;
  private static final int MESSAGES_KEPT = 5;

  private final Bank bank;
  private final Database database;
  private final Clock clock;
  private final List<Thread> threads = new ArrayList<>();

  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong attempts = new AtomicLong();
  private final AtomicLong finishedTransactions = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private final AtomicLong unknownOutcomes = new AtomicLong();
  private final AtomicLong audits = new AtomicLong();
  private final Queue<String> wrongAudits = new ConcurrentLinkedQueue<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Latencies transferLatency = new Latencies();
  private final Latencies auditLatency = new Latencies();

  /** Tells the threads to end; set once by {@link #stop}, never reset. */
  private volatile boolean stopped;

  /**
   * Prepares the threads.
   *
   * @param transferThreads how many move money; one more adds it up
   * @param seed of the choice of accounts and amounts
   */
  BankWorkload(Database database, Bank bank, Clock clock, int transferThreads, long seed) {
    if (transferThreads < 1 || transferThreads > MAX_THREADS) {
      throw new IllegalArgumentException(
          "number of threads must be in 1.." + MAX_THREADS + ", threads=" + transferThreads);
    }
    this.database = database;
    this.bank = bank;
    this.clock = clock;
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int i = 0; i < transferThreads; i++) {
      SplittableRandom random = seeds.split();
      threads.add(daemon("bank-transfer-" + i, () -> transferOnce(random)));
    }
    threads.add(daemon("bank-audit", this::auditOnce));
  }

  /** Starts all threads. */
  void start() {
    threads.forEach(Thread::start);
  }

  /** Transfers so far. */
  long transfers() {
    return transfers.get();
  }

  /** Audits so far. */
  long audits() {
    return audits.get();
  }

  /** Ends all threads and tells what they did. */
  BankReport stop() throws InterruptedException {
    stopped = true;
    long deadlineNanos = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
    for (Thread thread : threads) {
      long leftNanos = Math.max(1_000_000, deadlineNanos - clock.monotonicNanos());
      thread.join(TimeUnit.NANOSECONDS.toMillis(leftNanos));
      if (thread.isAlive()) {
        keep(failures, "did not come to an end within " + STOP_SECONDS + " s: " + thread.getName());
      }
    }
    return new BankReport(
        transfers.get(),
        attempts.get() - finishedTransactions.get(),
        givenUp.get(),
        unknownOutcomes.get(),
        audits.get(),
        List.copyOf(wrongAudits),
        List.copyOf(failures),
        transferLatency.summary(),
        auditLatency.summary());
  }

  /** One round of work. */
  @FunctionalInterface
  private interface Round {
    void run() throws IOException;
  }

  private Thread daemon(String name, Round round) {
    Thread thread = new Thread(() -> repeat(name, round), name);
    thread.setDaemon(true);
    return thread;
  }

  private void repeat(String name, Round round) {
    while (!stopped) {
      try {
        round.run();
      } catch (IOException | RuntimeException e) {
        keep(failures, name + ": " + Failure.of(e).message());
        return;
      }
    }
  }

  private void transferOnce(SplittableRandom random) throws IOException {
    int from = random.nextInt(bank.accounts());
    int to = (from + 1 + random.nextInt(bank.accounts() - 1)) % bank.accounts();
    long amount = random.nextLong(1, MAX_AMOUNT + 1);
    long startNanos = clock.monotonicNanos();
    try {
      boolean moved =
          database.run(
              TransactionOptions.DEFAULT,
              tx -> {
                attempts.incrementAndGet();
                return bank.transfer(tx, from, to, amount);
              });
      finishedTransactions.incrementAndGet();
      if (moved) {
        transfers.incrementAndGet();
        transferLatency.recordNanos(clock.monotonicNanos() - startNanos);
      }
    } catch (CommitOutcomeUnknownException e) {
      // Committed or not, the sum must hold; but it was no conflict.
      finishedTransactions.incrementAndGet();
      unknownOutcomes.incrementAndGet();
    } catch (LamponeException e) {
      if (e.code() != LamponeException.Code.CONFLICT && e.code() != LamponeException.Code.ABORTED) {
        throw e;
      }
      givenUp.incrementAndGet();
    }
  }

  private void auditOnce() throws IOException {
    long startNanos = clock.monotonicNanos();
    Bank.State seen;
    long snapshot;
    try (Transaction tx = database.begin(TransactionOptions.DEFAULT.asReadOnly())) {
      snapshot = tx.startTimestamp();
      seen = bank.state(tx);
    }
    auditLatency.recordNanos(clock.monotonicNanos() - startNanos);
    audits.incrementAndGet();
    if (!seen.equals(bank.expected())) {
      keep(wrongAudits, "snapshot=" + snapshot + " saw=" + seen + " expected=" + bank.expected());
    }
  }

  private static void keep(Queue<String> messages, String message) {
    if (messages.size() < MESSAGES_KEPT) {
      messages.add(message);
    }
  }
}
