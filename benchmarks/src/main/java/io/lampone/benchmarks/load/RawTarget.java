package io.lampone.benchmarks.load;

/**
 * Process that is loaded by bare frames.
 *
 * @param mapVersion at a primary: the map by which a validator owns all buckets, so that commit
 *     timestamps are assigned without keys; 0 = the primary owns them
 * @param incarnation at a validator without a cluster key: its incarnation, for votes; 0 = it is a
 *     primary
 */
public record RawTarget(long mapVersion, long incarnation) {

  /** A primary that owns all buckets. */
  public static final RawTarget PRIMARY = new RawTarget(0, 0);

  boolean votes() {
    return incarnation != 0;
  }
}
