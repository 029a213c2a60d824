package io.lampone.coprocessor.core.clock;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Local version clock of one region server: not below any snapshot that was read here nor any
 * commit timestamp that was written into a cell here. A request that carries a timestamp raises the
 * clock first: before a read, or under the row lock in the call that writes the timestamp. So a
 * version drawn afterwards is above it (protocol page, section 8).
 *
 * <p>Its tick is never above the highest one that this server knows to have been issued, by
 * fetching it or by a proof: a request with a higher one is refused. So a snapshot that is begun
 * later is above everything drawn before (E3).
 */
public final class LocalVersionClock {

  /** Number of local numbers per tick for the fast path. */
  public static final int LOCAL_NUMBERS = 128;

  /** Result of {@link #next} if it cannot draw. */
  public static final long EXHAUSTED = 0;

  /** Only grows; any thread. */
  private final AtomicLong highest = new AtomicLong();

  /** The highest global timestamp known to have been issued; only grows. */
  private final AtomicLong issued = new AtomicLong();

  /** The last local number of a tick. */
  private final int lastLocal;

  /** Ticks obtained ahead of need; replaced as a whole by {@link #supply}. */
  private volatile Ahead ahead = new Ahead(new long[0]);

  /** Requests ticks; set once before the first draw. */
  private volatile Runnable need = () -> {};

  public LocalVersionClock() {
    this(LOCAL_NUMBERS);
  }

  /**
   * @param localNumbers how many local numbers of a tick are used, 1..128; fewer in tests that
   *     exhaust them
   */
  public LocalVersionClock(int localNumbers) {
    if (localNumbers < 1 || localNumbers > LOCAL_NUMBERS) {
      throw new IllegalArgumentException("local numbers out of range, count=" + localNumbers);
    }
    this.lastLocal = Timestamps.FIRST_FAST_PATH_LOCAL + localNumbers - 1;
  }

  /** Sets the callback for when ticks run low; called often, from any thread, under row locks. */
  public void onNeed(Runnable newNeed) {
    need = newNeed;
  }

  /**
   * Returns true if {@code timestamp}, or the tick in which it was drawn, is known to have been
   * issued.
   */
  public boolean isIssued(long timestamp) {
    return Timestamps.tick(timestamp) <= issued.get();
  }

  /** Records that a transaction manager has issued {@code timestamp}, and so every smaller one. */
  public void issued(long timestamp) {
    if (!isIssued(timestamp)) {
      issued.accumulateAndGet(Timestamps.tick(timestamp), Math::max);
    }
  }

  /**
   * Refuses a stored commit timestamp that was never issued: another program has written it, and a
   * version drawn above it would be above later snapshots.
   */
  public void requireStoredIssued(long commit) {
    if (!isIssued(commit)) {
      throw Refused.because(
          Refusal.Code.CORRUPT,
          "a stored commit timestamp has never been issued: 'lampone doctor' finds its row, commit="
              + commit);
    }
  }

  /** Raises the clock to at least {@code timestamp}, which must have been issued. */
  public void bump(long timestamp) {
    // A plain read first: most callers bring a known timestamp, and an unconditional update would
    // make every reader of the server write the same cache line.
    if (highest.get() < timestamp) {
      highest.accumulateAndGet(timestamp, Math::max);
    }
  }

  /** Returns the highest timestamp seen. */
  public long current() {
    return highest.get();
  }

  /**
   * Supplies ticks that the transaction manager has just issued, ascending. The clock moves to the
   * first at once, so that it never lags far behind the wall clock on an idle server (H13); the
   * others are kept for later draws.
   */
  public void supply(long[] ticks) {
    issued(ticks[ticks.length - 1]);
    bump(ticks[0]);
    ahead = new Ahead(ticks);
  }

  /**
   * Draws a version above everything that the clock has seen, and above {@code atLeast}.
   *
   * @param atLeast a commit timestamp that is stored here
   * @return {@link #EXHAUSTED} if all local numbers are used and no fresh tick is at hand
   */
  public long next(long atLeast) {
    while (true) {
      long current = highest.get();
      long base = Math.max(current, atLeast);
      long drawn = within(base);
      if (drawn == EXHAUSTED) {
        // A tick that is not above the clock's would make versions decrease (H4b).
        long tick = ahead.above(Timestamps.tick(base));
        if (tick == 0) {
          need.run();
          return EXHAUSTED;
        }
        drawn = tick + Timestamps.FIRST_FAST_PATH_LOCAL;
      }
      if (highest.compareAndSet(current, drawn)) {
        askInTime(drawn);
        return drawn;
      }
    }
  }

  /** Returns the number of used ticks of the last {@link #supply}. */
  public int ticksUsed() {
    return ahead.used();
  }

  private long within(long base) {
    if (Timestamps.isPlain(base)) {
      return EXHAUSTED;
    }
    int local = Math.max(Timestamps.local(base) + 1, Timestamps.FIRST_FAST_PATH_LOCAL);
    return local > lastLocal ? EXHAUSTED : Timestamps.tick(base) + local;
  }

  private void askInTime(long drawn) {
    int half = (Timestamps.FIRST_FAST_PATH_LOCAL + lastLocal) / 2;
    if (Timestamps.local(drawn) == half && ahead.isLowAbove(Timestamps.tick(drawn))) {
      need.run();
    }
  }

  /** Ticks in ascending order, each taken once. */
  private static final class Ahead {

    private final long[] ticks;

    /** Index of the first tick that has not been taken; only grows. */
    private final AtomicInteger next = new AtomicInteger();

    Ahead(long[] ticks) {
      this.ticks = ticks.clone();
    }

    /** Takes the first tick above {@code tick}, and drops those before it; 0 if there is none. */
    long above(long tick) {
      while (true) {
        int from = next.get();
        int i = from;
        while (i < ticks.length && ticks[i] <= tick) {
          i++;
        }
        if (i == ticks.length) {
          return 0;
        }
        if (next.compareAndSet(from, i + 1)) {
          return ticks[i];
        }
      }
    }

    int used() {
      return next.get();
    }

    /** Returns true if less than half of the ticks are still usable. */
    boolean isLowAbove(long tick) {
      int middle = ticks.length / 2;
      return next.get() >= middle || ticks[middle] <= tick;
    }
  }
}
