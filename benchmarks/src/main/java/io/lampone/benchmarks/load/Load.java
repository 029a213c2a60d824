package io.lampone.benchmarks.load;

import java.io.IOException;

/** Load on a transaction manager, one phase after the other. */
public interface Load extends AutoCloseable {

  /** Begins a phase, which lasts until the next one or the end. */
  void start(LoadPlan.Phase phase);

  /** Resets the counts of this phase. */
  void reset() throws InterruptedException;

  /**
   * Ends the phase and returns the counts since the last reset.
   *
   * @throws IOException if a connection did not last
   */
  PhaseFigures stop() throws IOException, InterruptedException;

  /** Returns the mean number of round trips that callers waited for an answer; 0 if unknown. */
  double roundTripsWaited();

  @Override
  void close();
}
