package io.lampone.protocol;

import java.util.concurrent.TimeUnit;

/**
 * Retention of a family: the number of versions of a column that snapshots show, and their lifetime
 * (protocol page, section 11).
 *
 * <p>The expiry of a version is equivalent to a delete that commits at its {@linkplain #expiry
 * expiry timestamp}: a snapshot above it sees neither that version nor anything older; a snapshot
 * at or below it does. Visibility therefore depends on the two timestamps alone, not on a clock
 * that could advance between two reads of a transaction. Only values expire; transaction cells,
 * intents and tombstones do not.
 *
 * @param versions number of versions of a column that a snapshot shows, at least 1
 * @param minVersions number of newest versions that never expire
 * @param lifetimeMillis lifetime of a value, from its version on; {@link #FOREVER} = unlimited
 * @param cellLifetimes whether the writer of a value may give it a shorter lifetime
 */
public record FamilyRetention(
    int versions, int minVersions, long lifetimeMillis, boolean cellLifetimes) {

  /** Lifetime of values that do not expire. */
  public static final long FOREVER = 0;

  /**
   * The longest lifetime of a single value, 35,000 years. HBase stores the lifetime and adds it to
   * the version; the sum must not overflow.
   */
  public static final long LONGEST_CELL_LIFETIME_MILLIS = 1L << 50;

  /** Retention of a family without settings. */
  public static final FamilyRetention DEFAULT = new FamilyRetention(1, 0, FOREVER);

  /** Expiry of values that do not expire: above every snapshot. */
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

  /** Creates the retention of a family whose values have no individual lifetimes. */
  public FamilyRetention(int versions, int minVersions, long lifetimeMillis) {
    this(versions, minVersions, lifetimeMillis, false);
  }

  /** Returns this retention with unlimited lifetimes. */
  public FamilyRetention withoutLifetimes() {
    return new FamilyRetention(versions, minVersions, FOREVER, false);
  }

  /** Returns true if {@code millis} is a legal lifetime of a value. */
  public static boolean isCellLifetime(long millis) {
    return millis >= 1 && millis <= LONGEST_CELL_LIFETIME_MILLIS;
  }

  /** Returns true if values may expire. */
  public boolean isLimited() {
    return lifetimeMillis != FOREVER || cellLifetimes;
  }

  /** Returns the expiry of a value of {@code version} without an individual lifetime. */
  public long expiry(long version) {
    return expiry(version, FOREVER, false);
  }

  /**
   * Returns the timestamp above which no snapshot sees a value of {@code version}. The lifetime is
   * counted from the start timestamp of the writer, because its commit timestamp is not kept
   * forever. A version of a plain client counts as milliseconds.
   *
   * @param cellMillis the individual lifetime set by the writer; {@link #FOREVER} = none. It
   *     applies if the family admits such lifetimes, and is capped by the family's lifetime
   * @param isExempt whether the value is among the newest, to which the family's lifetime does not
   *     apply
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
