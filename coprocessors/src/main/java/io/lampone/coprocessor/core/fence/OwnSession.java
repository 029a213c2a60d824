package io.lampone.coprocessor.core.fence;

/** Port: the server's own ZooKeeper session. */
public interface OwnSession {

  /** Returns the negotiated session timeout in nanoseconds; 0 while there is none. */
  long timeoutNanos();

  /**
   * Starts a check whether the session still owns the server's znode, and returns at once. If it
   * does, {@code alive} is run later on any thread; otherwise never.
   */
  void probe(Runnable alive);
}
