package io.lampone.history;

import java.util.List;

/**
 * A whole run.
 *
 * @param header what the run was
 * @param transactions in the order of their lines of invocation
 * @param faults lines of the fault log
 */
public record History(Header header, List<HistoryTransaction> transactions, int faults) {

  public History {
    transactions = List.copyOf(transactions);
  }

  /**
   * The first line.
   *
   * @param workload {@code list-append} or {@code rw-register}
   * @param claim the isolation level that the product claims
   * @param seed of the run; 0 if none is named
   * @param clockSlackNanos how far the clocks of two processes may lie apart
   */
  public record Header(String workload, String claim, long seed, long clockSlackNanos) {

    /** Lists that grow by appending. */
    public static final String LIST_APPEND = "list-append";

    /** Single values that are overwritten. */
    public static final String REGISTER = "rw-register";
  }
}
