package io.lampone.faultlab;

import io.lampone.faultlab.fault.Nemesis;
import io.lampone.faultlab.work.check.Unexplained;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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

  /** An attempt that may find violations before it fails. */
  interface Look<T> {
    T run(Consumer<String> violations) throws IOException;
  }

  /** Same as {@link #on}; the violations that a failed attempt had found are kept, too. */
  <T> T looking(Look<T> look) throws IOException, InterruptedException {
    return on(
        () -> {
          List<String> found = new ArrayList<>();
          try {
            return look.run(found::add);
          } catch (IOException e) {
            unexplained.addAll(found);
            throw e;
          }
        });
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
        // HBase may take minutes to drop the tables of the hostile client.
        Unexplained.of(e)
            .filter(text -> !text.contains(Nemesis.HOSTILE_TABLES))
            .ifPresent(unexplained::add);
        if (left == 0) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    }
  }

  /** Returns failures that no fault explains, and what failed attempts had found, each once. */
  List<String> unexplained() {
    return List.copyOf(unexplained);
  }
}
