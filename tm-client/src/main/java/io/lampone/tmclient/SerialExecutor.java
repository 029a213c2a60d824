package io.lampone.tmclient;

import java.util.concurrent.Executor;

/**
 * Executor of everything in a client, one task after the other in the order in which they were
 * given. In a process it is an event loop of Netty; in a simulation it is simulated time.
 */
public interface SerialExecutor extends Executor {

  /** Runs the task here, not before {@code delayNanos} have passed. */
  void schedule(Runnable task, long delayNanos);
}
