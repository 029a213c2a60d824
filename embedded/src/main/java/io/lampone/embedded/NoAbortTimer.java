package io.lampone.embedded;

import java.util.TimerTask;

/**
 * Stands in for the task with which an aborting region server ends its process after 20 minutes.
 *
 * <p>HBase schedules that task at every abort and never cancels it. In a separate process the
 * server is gone long before; here the JVM belongs to the application, which must outlive it.
 */
final class NoAbortTimer extends TimerTask {

  @Override
  public void run() {
    // Intentionally empty: the JVM must keep running.
  }
}
