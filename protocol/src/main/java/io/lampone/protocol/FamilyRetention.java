package io.lampone.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Number of versions of a column that snapshots of a family show, and their lifetime (protocol
 * page, section 11).
 *
 * <p>That a version expires is as if a delete had committed at its {@linkplain #expiry expiry}: a
 * snapshot above does not see it, nor anything older, a snapshot at or below does. So whether it is
 * seen follows from the two timestamps alone, and no clock is read that could advance between two
 * reads of one transaction. Only values expire: transaction cells, intents and tombstones do not.
 *
 * @param versions of a column that a snapshot shows, and can rely on, at least 1
 * @param minVersions the newest so many of them never expire
 * @param lifetimeMillis how long after its version a value expires; {@link #FOREVER} = never
 * @param cellLifetimes whether the writer of a value may give it a shorter lifetime
 */
public record FamilyRetention(
    int versions, int minVersions, long lifetimeMillis, boolean cellLifetimes) {

  /** Lifetime of what does not expire. */
  public static final long FOREVER = 0;

  /**
   * The longest lifetime of a single value, 35,000 years: HBase, which keeps it, adds it to the
   * version, and that must not overflow.
   */
  public static final long LONGEST_CELL_LIFETIME_MILLIS = 1L << 50;

  /** Retention of a family without settings. */
  public static final FamilyRetention DEFAULT = new FamilyRetention(1, 0, FOREVER);

  /** Expiry of what does not expire: above every snapshot. */
  public static final long NEVER = Long.MAX_VALUE;

  public FamilyRetention {
    if (versions < 1 || minVersions < 0 || lifetimeMillis < 0) {
      throw new IllegalArgumentException(
          "a family shows one version at least, and for a while, versions="
              + versions
              + " minVersions="
              + minVersions
              + " lifetimeMillis="
              + lifetimeMillis);
    }
  }

  /** The retention of a family whose values have no lifetimes of their own. */
  public FamilyRetention(int versions, int minVersions, long lifetimeMillis) {
    this(versions, minVersions, lifetimeMillis, false);
  }

  /** The same for values that do not expire. */
  public FamilyRetention withoutLifetimes() {
    return new FamilyRetention(versions, minVersions, FOREVER, false);
  }

  /** Returns true if {@code millis} is a legal lifetime of a value. */
  public static boolean isCellLifetime(long millis) {
    return millis >= 1 && millis <= LONGEST_CELL_LIFETIME_MILLIS;
  }

  /** Returns true if a value may expire. */
  public boolean isLimited() {
    return lifetimeMillis != FOREVER || cellLifetimes;
  }

  /** The expiry of a value of {@code version} that has no lifetime of its own. */
  public long expiry(long version) {
    return expiry(version, FOREVER, false);
  }

  /**
   * The timestamp above which no snapshot sees what was written at {@code version}. Counted from
   * the start of the writer: its commit timestamp is not kept for ever. A version of a plain client
   * counts as milliseconds.
   *
   * @param cellMillis the lifetime that its writer has given it; {@link #FOREVER} = none. It counts
   *     if the family says so, and cannot be longer than the family's
   * @param isExempt whether it is among the newest, to which the family's lifetime does not apply
   */
  public long expiry(long version, long cellMillis, boolean isExempt) {
    long ofFamily = isExempt ? FOREVER : lifetimeMillis;
    long ofCell = cellLifetimes ? cellMillis : FOREVER;
    if (ofFamily == FOREVER && ofCell == FOREVER) {
      return NEVER;
    }
    long shorter =
        ofFamily == FOREVER || ofCell == FOREVER ? ofFamily + ofCell : Math.min(ofFamily, ofCell);
    long written =
        Timestamps.isPlain(version)
            ? TimeUnit.MILLISECONDS.toNanos(version)
            : Timestamps.tick(version);
    long expiry = written + TimeUnit.MILLISECONDS.toNanos(shorter);
    return expiry < written ? NEVER : Timestamps.tick(expiry);
  }
}
