package io.lampone.benchmarks.load;

import java.time.Duration;

/**
 * Plan of a load.
 *
 * @param client that makes it
 * @param connections between which it is spread
 * @param outstanding transactions under way at a time, at most
 * @param ratePerSecond transactions begun a second, whatever the answers; 0 for as many as the
 *     answers allow
 * @param cells to choose from
 * @param theta skew of the choice, above 0 and below 1; 0 for none
 * @param writes number of cells of a transaction
 * @param readOnlyShare part of the transactions that only begin
 * @param warmUp before each phase; not measured
 * @param measured time measured of each phase
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

  /** Client that makes the load. */
  public enum Client {
    /** The client library: what an application has. */
    LIBRARY,
    /**
     * Frames as many clients together would send, with nothing behind them: costs little itself, so
     * that it finds the limits of the transaction manager and not its own.
     */
    RAW
  }

  /** Part of a transaction that a phase executes. */
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
