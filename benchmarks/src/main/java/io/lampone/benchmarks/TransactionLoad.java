package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Begins and commits transactions and measures their time. Each writes two random cells; every
 * tenth writes nothing and sends no commit request.
 *
 * <p>For single use. Each transaction is a chain of callbacks, as in a client that never blocks.
 */
final class TransactionLoad {

  private static final int CELLS = 2;

  /** Interval of read-only transactions. */
  private static final int READ_ONLY_ONE_IN = 10;

  /** Limit of outstanding transactions; the delayed ones still count from their due time. */
  private static final int MOST_UNDER_WAY = 1 << 14;

  /** Longest wait for the last answers. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** Length of the busy wait before a transaction is due: the system's timers are coarse. */
  private static final long ACTIVE_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final Transactions transactions;
  private final Clock clock;
  private final Latencies begins = new Latencies();
  private final Latencies whole = new Latencies();
  private final LongAdder ended = new LongAdder();
  private final LongAdder aborted = new LongAdder();
  private final LongAdder failed = new LongAdder();

  TransactionLoad(Transactions transactions, Clock clock) {
    this.transactions = transactions;
    this.clock = clock;
  }

  /** Keeps this number of transactions outstanding: each begins at the end of another one. */
  TransactionLoadResult closed(int underWay, Duration duration) throws InterruptedException {
    long start = clock.monotonicNanos();
    long end = start + duration.toNanos();
    Semaphore chains = new Semaphore(0);
    for (int i = 0; i < underWay; i++) {
      chain(new SplittableRandom(i), end, chains);
    }
    await(chains, underWay);
    return result(start);
  }

  /**
   * Begins transactions at a fixed rate, whether or not others have ended. Times count from the due
   * time of a transaction, which avoids coordinated omission.
   */
  TransactionLoadResult open(long perSecond, Duration duration) throws InterruptedException {
    Semaphore places = new Semaphore(MOST_UNDER_WAY);
    SplittableRandom random = new SplittableRandom(perSecond);
    long count = Math.max(1, perSecond * duration.toMillis() / TimeUnit.SECONDS.toMillis(1));
    long start = clock.monotonicNanos();
    for (long i = 0; i < count; i++) {
      long due = start + i * TimeUnit.SECONDS.toNanos(1) / perSecond;
      waitUntil(due);
      places.acquire();
      run(random, due, () -> places.release());
    }
    await(places, MOST_UNDER_WAY);
    return result(start);
  }

  private void chain(SplittableRandom random, long end, Semaphore chains) {
    long now = clock.monotonicNanos();
    if (now - end >= 0 || failed.sum() > 0) {
      chains.release();
      return;
    }
    run(random, now, () -> chain(random, end, chains));
  }

  private void run(SplittableRandom random, long due, Runnable next) {
    boolean readOnly = random.nextInt(READ_ONLY_ONE_IN) == 0;
    long[] cells = readOnly ? new long[0] : random.longs(CELLS).toArray();
    transactions
        .begin()
        .whenComplete(
            (startTimestamp, failure) -> {
              if (failure != null) {
                failed.increment();
                next.run();
                return;
              }
              begins.record(clock.monotonicNanos() - due);
              if (readOnly) {
                transactions.end(startTimestamp);
                ended.increment();
                next.run();
              } else {
                commit(startTimestamp, cells, due, next);
              }
            });
  }

  private void commit(long startTimestamp, long[] cells, long due, Runnable next) {
    transactions
        .commit(startTimestamp, cells)
        .whenComplete(
            (passed, failure) -> {
              if (failure != null) {
                failed.increment();
              } else {
                whole.record(clock.monotonicNanos() - due);
                ended.increment();
                if (!passed) {
                  aborted.increment();
                }
              }
              next.run();
            });
  }

  /** Yields the core during the busy wait: the threads that handle replies may need it. */
  private void waitUntil(long due) {
    long left = due - clock.monotonicNanos();
    if (left > ACTIVE_WAIT_NANOS) {
      LockSupport.parkNanos(left - ACTIVE_WAIT_NANOS);
    }
    while (clock.monotonicNanos() - due < 0) {
      Thread.yield();
    }
  }

  private static void await(Semaphore semaphore, int permits) throws InterruptedException {
    if (!semaphore.tryAcquire(permits, PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IllegalStateException(
          "transactions without an answer, waited=" + PATIENCE + " limit=" + permits);
    }
  }

  private TransactionLoadResult result(long start) {
    long nanos = clock.monotonicNanos() - start;
    return new TransactionLoadResult(
        ended.sum(), aborted.sum(), failed.sum(), nanos, begins, whole);
  }
}
