package io.lampone.benchmarks.scale;

import java.io.IOException;
import java.util.random.RandomGenerator;

/** Repeated operation of one thread. */
@FunctionalInterface
interface ThreadOperation {

  /**
   * Does it.
   *
   * @return false if it was aborted
   */
  boolean perform(RandomGenerator random) throws IOException;

  /** Factory of one operation for each thread. */
  @FunctionalInterface
  interface Source {
    ThreadOperation open() throws IOException;
  }
}
