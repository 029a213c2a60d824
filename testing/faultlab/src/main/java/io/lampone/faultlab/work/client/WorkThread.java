package io.lampone.faultlab.work.client;

import io.lampone.faultlab.work.ClientTally;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Thread of a client: one step after the other, until it is asked to stop. */
record WorkThread(
    CountDownLatch stop,
    LongSupplier pauseMicros,
    Runnable step,
    Consumer<String> violations,
    ClientTally tally)
    implements Runnable {

  @Override
  public void run() {
    boolean asked = false;
    try {
      while (!stop.await(pauseMicros.getAsLong(), TimeUnit.MICROSECONDS)) {
        step.run();
      }
      asked = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) { // an error, too, must not end it unseen
      e.printStackTrace();
      violations.accept("client: " + e);
    } finally {
      // Counts also where not even the violation could be written.
      if (!asked) {
        tally.lostThread();
      }
    }
  }
}
