package io.lampone.faultlab;

import io.lampone.faultlab.work.check.Unexplained;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Retries failed attempts, because a server may still be coming back; records each failure that
 * this does not explain, even if a later attempt succeeds.
 */
final class Retry {

  private static final int ATTEMPTS = 20;

  private final Duration pause;
  private final Set<String> unexplained = new LinkedHashSet<>();

  /**
   * @param pause between two attempts
   */
  Retry(Duration pause) {
    this.pause = pause;
  }

  /** An attempt that may fail. */
  interface Attempt<T> {
    T run() throws IOException;
  }

  /**
   * Tries until it succeeds.
   *
   * @throws IOException if it never does
   */
  <T> T on(Attempt<T> attempt) throws IOException, InterruptedException {
    for (int left = ATTEMPTS; ; left--) {
      try {
        return attempt.run();
      } catch (IOException e) {
        Unexplained.of(e).ifPresent(unexplained::add);
        if (left == 0) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }

  /** Returns the failures that no fault explains, without duplicates. */
  List<String> unexplained() {
    return List.copyOf(unexplained);
  }
}
