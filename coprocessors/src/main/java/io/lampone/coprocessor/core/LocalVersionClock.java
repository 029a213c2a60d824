package io.lampone.coprocessor.core;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The local version clock of one region server: not below any snapshot that was read at here nor
 * any commit timestamp that was written into a cell here. Whoever brings a timestamp bumps it
 * first: before the read, or under the row lock in the call that writes the timestamp, so that a
 * version drawn afterwards is above it (protocol page, sections 3.2a and 3.5).
 */
public final class LocalVersionClock {

  /** Only grows; any thread. */
  private final AtomicLong highest = new AtomicLong();

  /** Makes sure that the clock is not below {@code timestamp}. */
  public void bump(long timestamp) {
    // A plain read first: most callers bring what is known, and a failed CAS loop would make every
    // reader of the server write the same cache line.
    if (highest.get() < timestamp) {
      highest.accumulateAndGet(timestamp, Math::max);
    }
  }

  /** The highest timestamp seen. */
  public long current() {
    return highest.get();
  }
}
