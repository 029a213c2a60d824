package io.lampone.checker;

import java.util.List;
import java.util.Optional;

/**
 * History of a whole run.
 *
 * @param header parameters of the run
 * @param transactions in the order of their lines of invocation
 * @param faults lines of the fault log
 * @param violations violations seen by clients that no transaction can express
 */
public record History(
    Header header, List<HistoryTransaction> transactions, int faults, List<String> violations) {

  /** Marks every regular transaction of a history that claims to be serializable as a whole. */
  public History {
    transactions =
        header.claim().equals(Header.STRICT_SERIALIZABLE)
            ? transactions.stream()
                .map(each -> each.fastPath() ? each : each.asSerializable())
                .toList()
            : List.copyOf(transactions);
    violations = List.copyOf(violations);
  }

  /** Creates a history without violations seen by clients. */
  public History(Header header, List<HistoryTransaction> transactions, int faults) {
    this(header, transactions, faults, List.of());
  }

  /**
   * The first line.
   *
   * @param workload {@code list-append} or {@code rw-register}
   * @param claim the isolation level that the product claims
   * @param seed of the run; 0 if none is named
   * @param clockSlackNanos maximum difference between the clocks of two processes
   * @param table the table of the run; empty if unknown
   * @param cell how a key becomes row, family, column and bytes, for people; likewise
   * @param level the conflict levels of the tables, as {@code table} names these: {@code row} or
   *     {@code cell}; empty if two writes of one key alone are judged
   */
  public record Header(
      String workload,
      String claim,
      long seed,
      long clockSlackNanos,
      String table,
      String cell,
      String level) {

    /** Level of a table of which two writers of one row are in conflict. */
    public static final String ROW = "row";

    /** Bits of a numeric key below the number of its table. */
    private static final int TABLE_SHIFT = 40;

    /** Lists that grow by appending. */
    public static final String LIST_APPEND = "list-append";

    /** Single values that are overwritten. */
    public static final String REGISTER = "rw-register";

    /** Claim of a history without an order by real time and sessions. */
    public static final String SNAPSHOT_ISOLATION = "si";

    /** Additional claim that no snapshot lies below a commit acknowledged before it began. */
    public static final String STRONG_SNAPSHOT_ISOLATION = "strong-si";

    /**
     * Claim that, beyond this, every regular transaction is serializable. In a history of mixed
     * isolation the serializable transactions are marked one by one.
     */
    public static final String STRICT_SERIALIZABLE = "strict-serializable";

    /** Creates the header of a run without a table. */
    public Header(String workload, String claim, long seed, long clockSlackNanos) {
      this(workload, claim, seed, clockSlackNanos, "", "", "");
    }

    /**
     * Returns the row of a key of a table of level {@code row}: its two columns are an even key and
     * the next one. Empty for other keys.
     */
    Optional<Long> row(String key) {
      if (level.isEmpty() || !key.matches("[0-9]{1,18}")) {
        return Optional.empty();
      }
      long number = Long.parseLong(key);
      List<String> levels = List.of(level.split(",", -1));
      long table = number >> TABLE_SHIFT;
      return table < levels.size() && levels.get((int) table).equals(ROW)
          ? Optional.of(number >> 1)
          : Optional.empty();
    }

    /**
     * Returns true if real time and sessions are checked: always, unless the history explicitly
     * claims less.
     */
    public boolean claimsOrder() {
      return !claim.equals(SNAPSHOT_ISOLATION);
    }
  }
}
