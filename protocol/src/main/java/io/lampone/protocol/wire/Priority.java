package io.lampone.protocol.wire;

/** How urgent a request is: what is refused first when there is too much to do. */
public enum Priority {
  /** What an application asks for. */
  DEFAULT(0),
  /** What others wait for: resolving intents, ticks of region servers, healing. */
  SYSTEM(1),
  /** What can wait. */
  BATCH(2);

  private final int code;

  Priority(int code) {
    this.code = code;
  }

  /** The two bits that stand for this on the wire. */
  public int code() {
    return code;
  }
}
