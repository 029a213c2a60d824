package io.lampone.benchmarks.load;

import java.time.Duration;

/**
 * What load to make.
 *
 * @param client what makes it
 * @param connections between which it is spread
 * @param outstanding transactions under way at a time, at most
 * @param ratePerSecond transactions begun a second, whatever the answers; 0 for as many as the
 *     answers allow
 * @param cells to choose from
 * @param theta skew of the choice, above 0 and below 1; 0 for none
 * @param writes how many cells a transaction writes
 * @param readOnlyShare part of the transactions that only begin
 * @param warmUp before each phase; not measured
 * @param measured how long each phase is measured
 * @param seed of all that is drawn
 */
public record LoadPlan(
    Client client,
    int connections,
    int outstanding,
    double ratePerSecond,
    long cells,
    double theta,
    WriteSizes writes,
    double readOnlyShare,
    Duration warmUp,
    Duration measured,
    long seed) {

  /** What makes the load. */
  public enum Client {
    /** The client library: what an application has. */
    LIBRARY,
    /**
     * Frames as many clients together would send, with nothing behind them: costs little itself, so
     * that it finds the limits of the transaction manager and not its own.
     */
    RAW
  }

  /** What transactions do in a phase. */
  public enum Phase {
    /** They begin. */
    BEGIN,
    /** They begin, and those that are not read-only commit. */
    PAIR
  }

  CellChooser chooser() {
    return theta == 0 ? new CellChooser.Uniform(cells) : new CellChooser.Zipf(cells, theta);
  }
}
