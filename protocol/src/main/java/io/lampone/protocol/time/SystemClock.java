package io.lampone.protocol.time;

/** The clocks of this machine. */
public enum SystemClock implements Clock {
  INSTANCE;

  @Override
  public long wallMillis() {
    return System.currentTimeMillis();
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }
}
