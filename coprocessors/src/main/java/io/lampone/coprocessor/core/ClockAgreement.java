package io.lampone.coprocessor.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Agreement between the clocks of this server and the transaction manager. Timestamps alone decide
 * whether a value has expired, but expired values are collected only while the two clocks agree,
 * because values collected by a wrong clock are lost. Any thread.
 */
public final class ClockAgreement {

  private static final Logger LOG = LoggerFactory.getLogger(ClockAgreement.class);

  /** Difference from which the clocks no longer agree. */
  public static final Duration LIMIT = Duration.ofSeconds(60);

  private final Clock clock;
  private final RareLine line;

  /** The last tick, and the monotonic time of its arrival. */
  private record Tick(long nanos, long cameNanos) {}

  private volatile @Nullable Tick last;

  public ClockAgreement(Clock clock) {
    this.clock = clock;
    this.line = new RareLine(clock);
  }

  /** Records that the transaction manager has just issued {@code tick}. */
  public void issued(long tick) {
    last = new Tick(tick, clock.monotonicNanos());
  }

  /** Returns true if the clocks agree; false before the first tick. */
  public boolean holds() {
    Tick tick = last;
    if (tick == null) {
      return false;
    }
    long managersNanos = tick.nanos() + clock.monotonicNanos() - tick.cameNanos();
    long aheadMillis = TimeUnit.NANOSECONDS.toMillis(managersNanos) - clock.wallMillis();
    if (Math.abs(aheadMillis) < LIMIT.toMillis()) {
      return true;
    }
    line.happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "values that have expired are not collected: the transaction manager's time and"
                        + " this server's clock are too far apart, put the clocks right,"
                        + " managerAheadMillis={} limitMillis={} times={}",
                    aheadMillis,
                    LIMIT.toMillis(),
                    times));
    return false;
  }
}
