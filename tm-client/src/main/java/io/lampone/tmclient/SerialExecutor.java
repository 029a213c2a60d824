package io.lampone.tmclient;

import java.util.concurrent.Executor;

/**
 * Executes all tasks of a client sequentially, in order of submission. In a process it is a Netty
 * event loop; in a simulation it is simulated time.
 */
public interface SerialExecutor extends Executor {

  /** Runs the task here after at least {@code delayNanos}. */
  void schedule(Runnable task, long delayNanos);
}
