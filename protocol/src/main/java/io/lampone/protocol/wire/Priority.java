package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;

/** Urgency of a request: what is refused first when there is too much to do. */
public enum Priority {
  /** Requests of applications. */
  DEFAULT(0),
  /** Requests that others wait for: resolving intents, ticks of region servers, healing. */
  SYSTEM(1),
  /** Requests that can wait. */
  BATCH(2);

  private static final Priority[] VALUES = values();

  private final int code;

  Priority(int code) {
    this.code = code;
  }

  /** The two bits that stand for this on the wire. */
  public int code() {
    return code;
  }

  static Priority ofCode(int code) {
    // The codes are 0 to the number of priorities less one, in order; a test pins them.
    if (code >= VALUES.length) {
      throw new MalformedException("unknown priority, priority=" + code);
    }
    return VALUES[code];
  }
}
