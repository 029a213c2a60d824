package io.lampone.torture.work;

/**
 * What a client has seen that must not be, and that no history can express: kept as a line of the
 * history's fault log, which judges pass over and the lab counts.
 */
public final class Violations {

  /** The name of such a line. */
  public static final String NAME = "violation";

  private Violations() {}
}
