package io.lampone.benchmarks.load;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Client that requests a timestamp every millisecond, independently of outstanding requests, and
 * observes the replies: the longest time without a reply, and that each timestamp is above all
 * those received before its request.
 */
final class Heartbeat implements AutoCloseable {

  private static final Duration PERIOD = Duration.ofMillis(1);
  private static final Duration POLL = Duration.ofMillis(2);

  private final TimestampOracle oracle;
  private final Clock clock;
  private final ScheduledExecutorService pacer =
      Executors.newSingleThreadScheduledExecutor(Heartbeat::thread);

  // Guarded by this, from here on.

  private long answers;
  private long lastAnswerNanos;
  private long longestGapNanos;

  /** Highest timestamp received. */
  private long highest;

  private Optional<String> brokenRule = Optional.empty();
  private Optional<Throwable> failure = Optional.empty();

  Heartbeat(TimestampOracle oracle, Clock clock) {
    this.oracle = oracle;
    this.clock = clock;
    this.lastAnswerNanos = clock.monotonicNanos();
    pacer.scheduleAtFixedRate(this::ask, 0, PERIOD.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Resets the gaps. */
  synchronized void reset() {
    longestGapNanos = 0;
    lastAnswerNanos = clock.monotonicNanos();
  }

  /** Returns the longest time without a reply since the last reset. */
  synchronized long longestGapNanos() {
    return longestGapNanos;
  }

  /**
   * Waits for more replies.
   *
   * @throws IOException if an invariant is violated, or the replies do not arrive in time
   */
  void awaitAnswers(long more, Duration bound) throws IOException, InterruptedException {
    long wanted = answers() + more;
    long deadline = clock.monotonicNanos() + bound.toNanos();
    while (answers() < wanted) {
      check();
      if (clock.monotonicNanos() - deadline > 0) {
        throw new IOException("no answers for too long, bound=" + bound);
      }
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }
    check();
  }

  @Override
  public void close() {
    pacer.shutdownNow();
  }

  private synchronized long answers() {
    return answers;
  }

  private synchronized void check() throws IOException {
    if (brokenRule.isPresent()) {
      throw new IOException(brokenRule.get());
    }
    if (failure.isPresent()) {
      throw new IOException("a request failed that should only have waited", failure.get());
    }
  }

  private void ask() {
    long atLeast;
    synchronized (this) {
      atLeast = highest;
    }
    oracle.begin().whenComplete((begin, problem) -> answered(atLeast, begin, problem));
  }

  private synchronized void answered(long atLeast, Begin begin, Throwable problem) {
    if (problem != null) {
      failure = Optional.of(problem);
      return;
    }
    long now = clock.monotonicNanos();
    longestGapNanos = Math.max(longestGapNanos, now - lastAnswerNanos);
    lastAnswerNanos = now;
    answers++;
    if (begin.startTimestamp() <= atLeast) {
      brokenRule =
          Optional.of(
              "a timestamp was not above one that had been given out before it was asked for,"
                  + " timestamp="
                  + begin.startTimestamp()
                  + " earlier="
                  + atLeast);
    }
    highest = Math.max(highest, begin.startTimestamp());
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "lampone-heartbeat");
    thread.setDaemon(true);
    return thread;
  }
}
