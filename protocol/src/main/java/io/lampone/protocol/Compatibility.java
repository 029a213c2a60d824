package io.lampone.protocol;

/**
 * The versions of requests between clients and coprocessor that this code reads and writes; every
 * request and reply begins with its own. What the other side does not know it refuses by name, and
 * nothing is done: {@link Decoder#version}.
 */
public final class Compatibility {

  /**
   * The newest version that is written: timestamps are shown to have been issued, and what a leader
   * holds to have been stated by its region server. What has not changed since an earlier version
   * is still written in that; of each kind one is read.
   */
  public static final int REQUESTS = 4;

  /** The oldest version that is still read. */
  public static final int OLDEST_REQUESTS = 1;

  private Compatibility() {}
}
