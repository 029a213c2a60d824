package io.lampone.coprocessor.core.fence;

/** Port: the server's own ZooKeeper session. */
public interface OwnSession {

  /** The negotiated session timeout in nanoseconds; 0 while there is none. */
  long timeoutNanos();

  /**
   * Asks ZooKeeper whether the session still owns the server's znode, and returns at once. {@code
   * alive} is run, later and on any thread, if it does; else nothing happens.
   */
  void probe(Runnable alive);
}
