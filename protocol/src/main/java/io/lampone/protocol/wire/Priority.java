package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;

/** Urgency of a request, which determines what is refused first under overload. */
public enum Priority {
  /** Requests of applications. */
  DEFAULT(0),
  /** Requests on which others wait: resolving intents, ticks of region servers, healing. */
  SYSTEM(1),
  /** Requests that can wait. */
  BATCH(2);

  private static final Priority[] VALUES = values();

  private final int code;

  Priority(int code) {
    this.code = code;
  }

  /** Returns the two bits of this priority on the wire. */
  public int code() {
    return code;
  }

  static Priority ofCode(int code) {
    // The codes are the ordinals; a test verifies that.
    if (code >= VALUES.length) {
      throw new MalformedException("unknown priority, priority=" + code);
    }
    return VALUES[code];
  }
}
