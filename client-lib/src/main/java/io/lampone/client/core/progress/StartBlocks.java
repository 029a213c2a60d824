package io.lampone.client.core.progress;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Prefetched start timestamps of this client. A block becomes usable when the watermark has passed
 * its end, so that its snapshots meet no undecided commit of a reporting client; a newer block
 * replaces an older one. Each start timestamp is used once.
 *
 * <p>Thread-safe.
 */
final class StartBlocks {

  /**
   * Age from which a block is not used: a client that was paused must not begin on a snapshot that
   * may be collected.
   */
  static final Duration MAX_AGE = Duration.ofSeconds(1);

  private static final int LEAST_WANTED = 16;

  private @Nullable StartBlock usable;
  private @Nullable StartBlock pending;

  /** Index of the next start timestamp in the usable block. */
  private int next;

  /** Times at which the blocks were requested. */
  private long usableNanos;

  private long pendingNanos;

  /** Start timestamps requested, successfully or not, since the last request for a block. */
  private int demand;

  /**
   * Returns the begin of a transaction on a snapshot above {@code mark}, or empty if there is none.
   */
  synchronized Optional<Begin> take(long mark, long nowNanos) {
    demand++;
    StartBlock block = usable;
    if (block == null || nowNanos - usableNanos > MAX_AGE.toNanos() || mark >= block.last()) {
      return Optional.empty();
    }
    int above = (int) ((mark - block.first()) / Timestamps.TICK) + 1;
    int index = mark < block.first() ? next : Math.max(next, above);
    if (index >= block.count()) {
      return Optional.empty();
    }
    next = index + 1;
    return Optional.of(block.begin(index));
  }

  /** Returns the size of the block to request now; 0 while one waits for the watermark. */
  synchronized int wanted() {
    if (pending != null) {
      return 0;
    }
    int wanted = Math.min(ProgressReport.MAX_STARTS, Math.max(LEAST_WANTED, 2 * demand));
    demand = 0;
    return wanted;
  }

  /**
   * Adds a block, which may be empty, and moves the watermark.
   *
   * @param requestedNanos time of the request
   */
  synchronized void offer(StartBlock block, long requestedNanos) {
    if (block.count() > 0) {
      pending = block;
      pendingNanos = requestedNanos;
    }
    if (pending != null && block.watermark() >= pending.last()) {
      usable = pending;
      usableNanos = pendingNanos;
      pending = null;
      next = 0;
    }
  }

  /** Drops all blocks. */
  synchronized void clear() {
    usable = null;
    pending = null;
  }
}
