package io.lampone.protocol;

import java.util.concurrent.TimeUnit;

/**
 * How many versions of a column the snapshots of a family show, and for how long (protocol page,
 * section 11).
 *
 * <p>That a version expires is as if a delete had committed at its {@linkplain #expiry expiry}: a
 * snapshot above does not see it, nor anything older, a snapshot at or below does. So whether it is
 * seen follows from the two timestamps alone, and no clock is asked that could go on between two
 * reads of one transaction. Only values expire: transaction cells, intents and tombstones do not.
 *
 * @param versions of a column that a snapshot shows, and can rely on, at least 1
 * @param minVersions the newest so many of them never expire
 * @param lifetimeMillis how long after its version a value expires; {@link #FOREVER} = never
 */
public record FamilyRetention(int versions, int minVersions, long lifetimeMillis) {

  /** Lifetime of what does not expire. */
  public static final long FOREVER = 0;

  /** What holds for a family of which nothing is said. */
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

  /** Whether a value may expire. */
  public boolean isLimited() {
    return lifetimeMillis != FOREVER;
  }

  /**
   * The timestamp above which no snapshot sees what was written at {@code version}. Counted from
   * the start of the writer: its commit timestamp is not kept for ever. A version of a plain client
   * counts as milliseconds.
   */
  public long expiry(long version) {
    if (!isLimited()) {
      return NEVER;
    }
    long written =
        Timestamps.isPlain(version)
            ? TimeUnit.MILLISECONDS.toNanos(version)
            : Timestamps.tick(version);
    long expiry = written + TimeUnit.MILLISECONDS.toNanos(lifetimeMillis);
    return expiry < written ? NEVER : Timestamps.tick(expiry);
  }
}
