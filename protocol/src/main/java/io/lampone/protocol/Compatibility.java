package io.lampone.protocol;

/**
 * Request versions between clients and coprocessors that this code reads and writes. Every request
 * and reply begins with its version; a receiver that does not know the version refuses it with an
 * error and executes nothing: {@link Decoder#version}.
 */
public final class Compatibility {

  /**
   * The newest version that is written: timestamps come with a proof of issue, and the outcome of a
   * leader with the statement of its region server. A kind of request that is unchanged keeps its
   * earlier version; exactly one version of each kind is read.
   */
  public static final int REQUESTS = 4;

  /** The oldest version that is still read. */
  public static final int OLDEST_REQUESTS = 1;

  private Compatibility() {}
}
