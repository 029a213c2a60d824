package io.lampone.benchmarks.load;

/** A load on a transaction manager, one phase after the other. */
public interface Load extends AutoCloseable {

  /** Begins a phase; it goes on until the next one or the end. */
  void start(LoadPlan.Phase phase);

  /** Forgets what has been counted in this phase so far. */
  void reset() throws InterruptedException;

  /** What has been counted since the last reset, and ends the phase. */
  PhaseFigures stop() throws InterruptedException;

  /** How many round trips callers have waited for an answer, on the average; 0 if unknown. */
  double roundTripsWaited();

  @Override
  void close();
}
