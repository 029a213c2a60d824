package io.lampone.coprocessor.core;

import io.lampone.protocol.Timestamps;
import java.util.concurrent.TimeUnit;

/**
 * What one flush or compaction of one store may take away (protocol page, section 11).
 *
 * @param safePoint the oldest snapshot that is still readable; 0 = not known, nothing goes
 * @param complete whether every file of the store is read, so that what is not met is nowhere
 * @param readPoint the smallest MVCC read point of an open scanner: what is younger is kept and
 *     counts for nothing, because that scanner does not see it
 * @param versions how many versions of a column a snapshot may show, at least 1
 * @param timeToLiveNanos age beyond which a version is not shown; {@link #FOREVER} = none
 */
public record CollectionScope(
    long safePoint, boolean complete, long readPoint, int versions, long timeToLiveNanos) {

  /** No version is too old. */
  public static final long FOREVER = Long.MAX_VALUE;

  public CollectionScope {
    if (versions < 1 || timeToLiveNanos < 1) {
      throw new IllegalArgumentException(
          "nothing would be visible, versions=" + versions + " timeToLiveNanos=" + timeToLiveNanos);
    }
  }

  /** Whether {@code version} is too old to be shown to any snapshot that is still readable. */
  boolean isExpired(long version) {
    return isExpired(version, safePoint, timeToLiveNanos);
  }

  /**
   * Whether {@code version} is too old to be shown at {@code snapshot}. Its age is counted from its
   * tick, the start of its writer, which nothing ever changes; so a snapshot is stable, whenever it
   * is read.
   */
  static boolean isExpired(long version, long snapshot, long timeToLiveNanos) {
    if (timeToLiveNanos == FOREVER) {
      return false;
    }
    // Plain versions are milliseconds to HBase's own TTL, too.
    long born =
        Timestamps.isPlain(version)
            ? TimeUnit.MILLISECONDS.toNanos(version)
            : Timestamps.tick(version);
    return snapshot - timeToLiveNanos >= born;
  }
}
