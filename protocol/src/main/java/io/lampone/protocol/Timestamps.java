package io.lampone.protocol;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The arithmetic of timestamps (protocol page, section 1).
 *
 * <p>A timestamp is one positive {@code long} that is used as the HBase cell version: wall-clock
 * milliseconds x 1,000,000 plus an offset. Its low 8 bits are the <em>local</em> number:
 *
 * <pre>
 *   local 0         a global timestamp; only the transaction manager issues them
 *   local 1..127    savepoint slots of the transaction whose start timestamp is that tick
 *   local 128..255  fast-path versions: committed at birth, commit timestamp = the version itself
 * </pre>
 *
 * <p>A version below {@link #PLAIN_LIMIT} is a plain HBase timestamp in milli- or microseconds,
 * written before the table became transactional; it always counts as committed.
 */
public final class Timestamps {

  /** Number of low bits that hold the local number. */
  public static final int LOCAL_BITS = 8;

  /** Distance between two global timestamps. */
  public static final long TICK = 1L << LOCAL_BITS;

  /** Mask of the local number. */
  public static final long LOCAL_MASK = TICK - 1;

  /** Highest savepoint slot; slot 0 is the transaction without a savepoint. */
  public static final int MAX_SLOT = 127;

  /** First local number of the fast path. */
  public static final int FIRST_FAST_PATH_LOCAL = 128;

  /** Versions below this (1972 in nanoseconds) are plain HBase timestamps. */
  public static final long PLAIN_LIMIT = 1L << 56;

  /** Highest global timestamp. */
  public static final long MAX = Long.MAX_VALUE & ~LOCAL_MASK;

  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private Timestamps() {}

  /** Returns the global timestamp of {@code version}: its local number is set to 0. */
  public static long tick(long version) {
    return version & ~LOCAL_MASK;
  }

  /** Returns the local number of {@code version}, 0..255. */
  public static int local(long version) {
    return (int) (version & LOCAL_MASK);
  }

  /** Returns true if {@code timestamp} has the form of one that the transaction manager issues. */
  public static boolean isGlobal(long timestamp) {
    return timestamp >= PLAIN_LIMIT && local(timestamp) == 0;
  }

  /** Returns true if {@code version} was written before the table became transactional. */
  public static boolean isPlain(long version) {
    return version < PLAIN_LIMIT;
  }

  /** Returns true if {@code version} is committed at birth: the version is the commit timestamp. */
  public static boolean isCommittedAtBirth(long version) {
    return isPlain(version) || local(version) >= FIRST_FAST_PATH_LOCAL;
  }

  /** Returns true if a transaction cell decides whether {@code version} is visible. */
  public static boolean needsTransactionCell(long version) {
    return !isCommittedAtBirth(version);
  }

  /**
   * Returns the version of cells that the transaction with {@code startTimestamp} writes in a
   * savepoint slot.
   *
   * @throws IllegalArgumentException if the slot is not in 0..127
   */
  public static long version(long startTimestamp, int slot) {
    if (slot < 0 || slot > MAX_SLOT) {
      throw new IllegalArgumentException("savepoint slot out of range, slot=" + slot);
    }
    return startTimestamp + slot;
  }

  /** Returns the highest version that the transaction with {@code startTimestamp} can write. */
  public static long highestOwnVersion(long startTimestamp) {
    return startTimestamp + MAX_SLOT;
  }

  /** Returns the smallest global timestamp not below the wall-clock time {@code millis}. */
  public static long ceilingOfMillis(long millis) {
    return tick(Math.multiplyExact(millis, NANOS_PER_MILLI) + LOCAL_MASK);
  }

  /**
   * Returns the largest global timestamp not above {@code time}.
   *
   * @throws IllegalArgumentException if the time is before 1972 or after 2262
   */
  public static long floorOf(Instant time) {
    try {
      long nanos =
          Math.addExact(
              Math.multiplyExact(time.getEpochSecond(), TimeUnit.SECONDS.toNanos(1)),
              time.getNano());
      if (nanos >= PLAIN_LIMIT) {
        return tick(nanos);
      }
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("time out of range, time=" + time, e);
    }
    throw new IllegalArgumentException("time out of range, time=" + time);
  }

  /** Returns the wall-clock time of {@code timestamp}, to the nanosecond. */
  public static Instant toInstant(long timestamp) {
    return Instant.ofEpochSecond(
        timestamp / TimeUnit.SECONDS.toNanos(1), timestamp % TimeUnit.SECONDS.toNanos(1));
  }
}
