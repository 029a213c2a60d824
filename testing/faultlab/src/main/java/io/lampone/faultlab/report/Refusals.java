package io.lampone.faultlab.report;

import io.lampone.client.LamponeException.Code;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Refusals that must not happen. */
final class Refusals {

  /**
   * Time after the begin of the clients in which a snapshot may be below the floor of a new table,
   * whose regions learn it when they are opened.
   */
  private static final long NEW_TABLES_NANOS = TimeUnit.SECONDS.toNanos(20);

  private Refusals() {}

  /**
   * Returns the number of snapshots that were too old.
   *
   * @param startNanos when the clients began
   */
  static long tooOld(List<TransactionEnd> endings, long startNanos) {
    return endings.stream()
        .filter(each -> each.beganNanos() - startNanos > NEW_TABLES_NANOS)
        .filter(each -> each.type().equals(TransactionEnd.FAILED))
        .filter(each -> each.cause().equals(Code.SNAPSHOT_TOO_OLD.name()))
        .count();
  }
}
