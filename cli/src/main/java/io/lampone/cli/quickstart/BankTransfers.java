package io.lampone.cli.quickstart;

import io.lampone.cli.Failure;
import io.lampone.cli.shell.Database;
import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that move money while others add it all up. The classic test of snapshot isolation: every
 * snapshot must show the sum that the bank was opened with, whatever happens to clients and
 * servers.
 *
 * <p>{@link #start}, wait, {@link #stop}; once.
 */
final class BankTransfers {

  /** Limit of transferring threads. */
  static final int MAX_THREADS = 256;

  /** Time that {@link #stop} waits for running work. */
  private static final long STOP_SECONDS = 60;

  private static final long MAX_AMOUNT = 10;

  /** Pause of a thread before it retries with a cluster that has not answered. */
  private static final long OUTAGE_PAUSE_MILLIS = 100;

  private static final Set<LamponeException.Code> OUTAGES =
      EnumSet.of(
          LamponeException.Code.TIMEOUT,
          LamponeException.Code.MANAGER_UNAVAILABLE,
          LamponeException.Code.STORE_UNAVAILABLE);

  private static final int MESSAGES_KEPT = 5;

  private final Bank bank;
  private final Database database;
  private final Clock clock;
  private final OutagePolicy outagePolicy;
  private final List<Thread> threads = new ArrayList<>();

  private final AtomicLong transfers = new AtomicLong();
  private final AtomicLong aborts = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private final AtomicLong unknownOutcomes = new AtomicLong();
  private final AtomicLong outages = new AtomicLong();
  private final AtomicLong audits = new AtomicLong();
  private final Queue<String> wrongAudits = new ConcurrentLinkedQueue<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final LatencySamples transferLatency = new LatencySamples();
  private final LatencySamples auditLatency = new LatencySamples();
  private final Pauses pauses;

  /** True if the threads are to end; set once by {@link #stop}, never reset. */
  private volatile boolean stopped;

  /**
   * Prepares the threads.
   *
   * @param transferThreads how many move money; one more adds it up
   * @param seed of the choice of accounts and amounts
   */
  BankTransfers(Database database, Bank bank, Clock clock, int transferThreads, long seed) {
    this(database, bank, clock, transferThreads, seed, OutagePolicy.FAIL);
  }

  /** Creates the workload, with a policy for outages of the cluster. */
  BankTransfers(
      Database database,
      Bank bank,
      Clock clock,
      int transferThreads,
      long seed,
      OutagePolicy outagePolicy) {
    if (transferThreads < 1 || transferThreads > MAX_THREADS) {
      throw new IllegalArgumentException(
          "number of threads must be in 1.." + MAX_THREADS + ", threads=" + transferThreads);
    }
    this.database = database;
    this.bank = bank;
    this.clock = clock;
    this.outagePolicy = outagePolicy;
    this.pauses = new Pauses(clock);
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int i = 0; i < transferThreads; i++) {
      SplittableRandom random = seeds.split();
      threads.add(daemon("bank-transfer-" + i, () -> transferOnce(random)));
    }
    threads.add(daemon("bank-audit", this::auditOnce));
  }

  /** Reaction of a thread to a cluster that does not answer in time: end or retry. */
  enum OutagePolicy {
    FAIL,
    GO_ON
  }

  /** Starts all threads. */
  void start() {
    pauses.begin();
    threads.forEach(Thread::start);
  }

  /** Transfers so far. */
  long transfers() {
    return transfers.get();
  }

  /** Attempts so far that met a conflict. */
  long aborts() {
    return aborts.get();
  }

  /** Audits so far. */
  long audits() {
    return audits.get();
  }

  /** Ends all threads and returns their report. */
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
        aborts.get(),
        givenUp.get(),
        unknownOutcomes.get(),
        outages.get(),
        pauses.longestMillis(),
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
        if (!goesOnAfter(e)) {
          keep(failures, name + ": " + Failure.of(e).message());
          return;
        }
        outages.incrementAndGet();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(OUTAGE_PAUSE_MILLIS));
      }
    }
  }

  private boolean goesOnAfter(Exception e) {
    // The iterator of a scan may throw no checked exceptions.
    Throwable thrown = e instanceof UncheckedIOException unchecked ? unchecked.getCause() : e;
    return outagePolicy == OutagePolicy.GO_ON
        && thrown instanceof LamponeException lampone
        && OUTAGES.contains(lampone.code());
  }

  private void transferOnce(SplittableRandom random) throws IOException {
    int from = random.nextInt(bank.accounts());
    int to = (from + 1 + random.nextInt(bank.accounts() - 1)) % bank.accounts();
    long amount = random.nextLong(1, MAX_AMOUNT + 1);
    long startNanos = clock.monotonicNanos();
    AtomicLong attempts = new AtomicLong();
    try {
      boolean moved =
          database.run(
              TransactionOptions.DEFAULT,
              tx -> {
                attempts.incrementAndGet();
                return bank.transfer(tx, from, to, amount);
              });
      if (moved) {
        transfers.incrementAndGet();
        pauses.moved();
        transferLatency.recordNanos(clock.monotonicNanos() - startNanos);
      }
    } catch (CommitOutcomeUnknownException e) {
      // Committed or not, the sum must hold; but it was no conflict.
      unknownOutcomes.incrementAndGet();
    } catch (LamponeException e) {
      if (e.code() != LamponeException.Code.CONFLICT && e.code() != LamponeException.Code.ABORTED) {
        throw e;
      }
      aborts.incrementAndGet();
      givenUp.incrementAndGet();
    } finally {
      // All but the last one were run again.
      aborts.addAndGet(Math.max(0, attempts.get() - 1));
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

  /** Longest time without the end of a transfer. Thread-safe. */
  private static final class Pauses {

    private final Clock clock;
    private final AtomicLong lastNanos = new AtomicLong();
    private final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);

    Pauses(Clock clock) {
      this.clock = clock;
    }

    void begin() {
      lastNanos.set(clock.monotonicNanos());
    }

    void moved() {
      long nowNanos = clock.monotonicNanos();
      longestNanos.accumulate(nowNanos - lastNanos.getAndSet(nowNanos));
    }

    /** Returns the longest pause, the current one included. */
    long longestMillis() {
      long nowNanos = clock.monotonicNanos();
      long longest = Math.max(longestNanos.get(), nowNanos - lastNanos.get());
      return TimeUnit.NANOSECONDS.toMillis(longest);
    }
  }
}
