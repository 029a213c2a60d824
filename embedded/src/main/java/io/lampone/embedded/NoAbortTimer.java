package io.lampone.embedded;

import java.util.TimerTask;

/**
 * Replacement for the task with which an aborting region server ends its process after 20 minutes.
 *
 * <p>HBase schedules that task at every abort and never cancels it. A separate process would have
 * ended long before; here the JVM belongs to the application, which must outlive it.
 */
final class NoAbortTimer extends TimerTask {

  @Override
  public void run() {
    // Intentionally empty: the JVM must keep running.
  }
}
