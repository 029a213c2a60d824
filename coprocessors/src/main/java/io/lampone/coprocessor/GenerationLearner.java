package io.lampone.coprocessor;

import io.lampone.coprocessor.core.TableGeneration;
import io.lampone.coprocessor.core.TickLedger;
import io.lampone.coprocessor.core.TickLedger.Arrival;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns the generation of an open region's table. The opening waits a moment for it, so that a
 * transaction that begins when the table has been enabled is above its floor. If it takes longer,
 * requests are refused as not ready, and it is tried again beside them.
 */
final class GenerationLearner {

  private static final Logger LOG = LoggerFactory.getLogger(GenerationLearner.class);

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TableName table;
  private final TableGeneration generation;
  private final TickLedger ticks;
  private final Executor beside;
  private final AtomicBoolean underWay = new AtomicBoolean();

  /**
   * @param beside runs what waits for an answer
   */
  GenerationLearner(
      TableName table, TableGeneration generation, TickLedger ticks, Executor beside) {
    this.table = table;
    this.generation = generation;
    this.ticks = ticks;
    this.beside = beside;
  }

  /** The floor of the present generation; refuses while it is not known. */
  long floor() {
    if (!generation.isKnown() && underWay.compareAndSet(false, true)) {
      beside.execute(
          () -> {
            try {
              learn();
            } finally {
              underWay.set(false);
            }
          });
    }
    return generation.floor();
  }

  /** Tries it, and waits for ticks as long as that does not take long. */
  void learn() {
    long deadline = System.nanoTime() + LONGEST_NANOS;
    try {
      Arrival known = ticks.newest();
      while (!generation.learn()) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || !ticks.awaitNewer(known, left)) {
          return;
        }
        known = ticks.newest();
      }
    } catch (IOException e) {
      LOG.warn(
          "The state of a table could not be read: requests are refused until it is, table={}",
          table,
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
