package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.clock.TimestampBatches.Arrival;
import io.lampone.coprocessor.core.fence.TableGeneration;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the generation of an open region's table, on threads that may wait for HBase, ZooKeeper
 * and ticks. The opening waits briefly for it, so that a transaction that begins after the table
 * was enabled is above its floor. If it takes longer, requests are refused as not ready, and each
 * of them starts another attempt.
 */
public final class GenerationLearner {

  private static final Logger LOG = LoggerFactory.getLogger(GenerationLearner.class);

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TableName table;
  private final TableGeneration generation;
  private final TimestampBatches ticks;
  private final Executor threads;
  private final AtomicBoolean underWay = new AtomicBoolean();

  /**
   * @param threads run what waits for an answer
   */
  GenerationLearner(
      TableName table, TableGeneration generation, TimestampBatches ticks, Executor threads) {
    this.table = table;
    this.generation = generation;
    this.ticks = ticks;
    this.threads = threads;
  }

  /** Returns the floor of the current generation; refuses while it is unknown. */
  public long floor() {
    if (!generation.isKnown()) {
      begin();
    }
    return generation.floor();
  }

  /** Waits after the opening until the generation is known, for a limited time. */
  public void opened() {
    long deadline = SystemClock.INSTANCE.monotonicNanos() + LONGEST_NANOS;
    begin();
    synchronized (this) {
      try {
        for (long left = LONGEST_NANOS;
            underWay.get() && left > 0;
            left = deadline - SystemClock.INSTANCE.monotonicNanos()) {
          TimeUnit.NANOSECONDS.timedWait(this, left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void begin() {
    if (underWay.compareAndSet(false, true)) {
      threads.execute(
          () -> {
            try {
              learn();
            } finally {
              underWay.set(false);
              synchronized (this) {
                notifyAll();
              }
            }
          });
    }
  }

  private void learn() {
    long deadline = SystemClock.INSTANCE.monotonicNanos() + LONGEST_NANOS;
    try {
      Arrival known = ticks.newest();
      while (!generation.learn()) {
        long left = deadline - SystemClock.INSTANCE.monotonicNanos();
        if (left <= 0 || !ticks.awaitNewer(known, left)) {
          return;
        }
        known = ticks.newest();
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "The state of a table could not be read: requests are refused until it is, table={}",
          table,
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
