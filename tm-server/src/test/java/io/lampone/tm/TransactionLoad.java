package io.lampone.tm;

import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.ClusterHistory;
import io.lampone.tmclient.TransactionManagerClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Callers that begin and validate one transaction after another, and what has become of them. */
final class TransactionLoad implements AutoCloseable {

  private static final int CALLERS = 8;
  private static final int HASHES = 5_000;
  private static final int WAITS_OF_A_BEGIN = 4;

  private final long seed = System.nanoTime();
  private final TransactionManagerClient client;
  private final ClusterHistory history = new ClusterHistory("seed=" + seed);
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private final List<Future<?>> running = new ArrayList<>();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final Queue<Long> beginNanos = new ConcurrentLinkedQueue<>();
  private final ReentrantLock lock = new ReentrantLock();

  /** A transaction has ended, or a caller has. */
  private final Condition progress = lock.newCondition();

  /** Transactions that have ended; guarded by {@link #lock}. */
  private long finished;

  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicLong conflicts = new AtomicLong();
  private volatile boolean stopped;

  /** The longest time for which a thread that sleeps a millisecond has slept. */
  private volatile long longestDelayNanos;

  TransactionLoad(TransactionManagerClient client) {
    this.client = client;
    for (int i = 0; i < CALLERS; i++) {
      Random random = new Random(seed + i);
      running.add(callers.submit(() -> work(random)));
    }
    Thread sleeping = new Thread(this::measureDelays, "delays");
    sleeping.setDaemon(true);
    sleeping.start();
  }

  /** Waits for so many more transactions, each after the last hand-over. */
  void await(int more) throws InterruptedException {
    lock.lock();
    try {
      long target = finished + more;
      while (finished < target && failures.isEmpty()) {
        progress.await();
      }
    } finally {
      lock.unlock();
    }
  }

  void stop() throws Exception {
    stopped = true;
    for (Future<?> caller : running) {
      caller.get(60, TimeUnit.SECONDS);
    }
  }

  /** What has been measured so far is forgotten. */
  void forgetLatencies() {
    beginNanos.clear();
  }

  List<Throwable> failures() {
    return List.copyOf(failures);
  }

  /** Transactions that were neither decided nor failed. */
  int refusals() {
    return refusals.get();
  }

  /**
   * Returns how much longer a begin may take because the machine is busy: it waits for a processor
   * a few times.
   */
  Duration delays() {
    return Duration.ofNanos(longestDelayNanos).multipliedBy(WAITS_OF_A_BEGIN);
  }

  Duration longestBegin() {
    return Duration.ofNanos(beginNanos.stream().mapToLong(nanos -> nanos).max().orElse(0));
  }

  @Override
  public String toString() {
    long[] sorted = beginNanos.stream().mapToLong(nanos -> nanos).sorted().toArray();
    return "transactions="
        + finished()
        + " conflicts="
        + conflicts
        + " refusals="
        + refusals
        + " beginMicros p50="
        + sorted[sorted.length / 2] / 1_000
        + " p99="
        + sorted[(int) (sorted.length * 0.99)] / 1_000
        + " longest="
        + Arrays.stream(sorted)
            .skip(Math.max(0, sorted.length - 12))
            .map(nanos -> nanos / 1_000)
            .boxed()
            .toList();
  }

  @Override
  public void close() {
    stopped = true;
    callers.shutdownNow();
  }

  private void measureDelays() {
    while (!stopped) {
      long before = System.nanoTime();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      longestDelayNanos = Math.max(longestDelayNanos, System.nanoTime() - before);
    }
  }

  private void work(Random random) {
    try {
      while (!stopped) {
        transaction(random);
        signal(1);
      }
    } catch (Exception | AssertionError e) {
      failures.add(e);
      signal(0);
    }
  }

  private void signal(int more) {
    lock.lock();
    try {
      finished += more;
      progress.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long finished() {
    lock.lock();
    try {
      return finished;
    } finally {
      lock.unlock();
    }
  }

  private void transaction(Random random) throws Exception {
    long highest = history.highest();
    long before = System.nanoTime();
    long start = client.begin().get(60, TimeUnit.SECONDS).startTimestamp();
    beginNanos.add(System.nanoTime() - before);
    history.told(start, highest);
    long[] hashes = {random.nextInt(HASHES), random.nextInt(HASHES)};
    Validator.Request request =
        new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, hashes, hashes);
    Validation validation = client.validate(request).get(60, TimeUnit.SECONDS);
    history.decided(request.repeated(), validation, 0, 0);
    if (validation instanceof Validation.Refused) {
      refusals.incrementAndGet();
    } else if (validation instanceof Validation.Conflict) {
      conflicts.incrementAndGet();
    }
    if (random.nextInt(4) == 0) {
      history.decided(
          request.repeated(), client.validate(request.repeated()).get(60, TimeUnit.SECONDS), 0, 0);
    }
  }
}
