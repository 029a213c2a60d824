package io.lampone.benchmarks.load;

import java.time.Duration;

/**
 * Plan of a load.
 *
 * @param client client that makes the load
 * @param connections connections that share the load
 * @param outstanding maximum of outstanding transactions
 * @param ratePerSecond transactions begun a second, independently of replies; 0 for the pace of the
 *     replies
 * @param cells number of cells to choose from
 * @param theta skew of the choice, above 0 and below 1; 0 for none
 * @param writes number of cells of a transaction
 * @param readOnlyShare share of transactions that only begin
 * @param warmUp unmeasured time before each phase
 * @param measured time measured of each phase
 * @param seed seed of all random choices
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
    /** The client library, as used by applications. */
    LIBRARY,
    /**
     * Frames of many clients without the library: its own cost is small, so that the transaction
     * manager is the bottleneck.
     */
    RAW
  }

  /** Part of a transaction that a phase executes. */
  public enum Phase {
    /** Begins only. */
    BEGIN,
    /** Begins, each with a commit unless it is read-only. */
    PAIR
  }

  CellChooser chooser() {
    return theta == 0 ? new CellChooser.Uniform(cells) : new CellChooser.Zipf(cells, theta);
  }
}
