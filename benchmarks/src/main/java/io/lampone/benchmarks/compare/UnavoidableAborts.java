package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.compare.SystemClient.Ended;
import io.lampone.benchmarks.compare.SystemClient.Ending;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Count of the aborts of a slice that no system could have avoided: the ideal to which aborts are
 * compared. An abort was needed if a transaction that committed wrote one of the same rows and was
 * concurrent, that is, committed above the snapshot of the aborted one and had begun before that
 * one ended. Of two such transactions at most one may commit, in whatever order. The others were
 * aborted for the sake of a reader, by a shared entry of the conflict table, or by a transaction
 * that was itself aborted.
 *
 * <p>All of it is by the timestamps of the system itself, so late reports of its clients do no
 * harm. Thread-safe.
 */
final class UnavoidableAborts {

  /** Ends of transactions with writes; guarded by this. */
  private final List<Writer> writers = new ArrayList<>();

  private record Writer(List<Integer> rows, Ended ended, long begunNanos, long endedNanos) {

    boolean isConcurrentWith(Writer committed) {
      return committed.ended.commitTimestamp() > ended.startTimestamp()
          && committed.begunNanos < endedNanos;
    }
  }

  /** Adds an ended transaction; ignores those without writes or without a snapshot. */
  void add(List<Access> accesses, Ended ended, long begunNanos, long endedNanos) {
    List<Integer> rows =
        accesses.stream().filter(Access::writes).map(Access::row).distinct().toList();
    if (!rows.isEmpty() && ended.startTimestamp() != 0) {
      synchronized (this) {
        writers.add(new Writer(rows, ended, begunNanos, endedNanos));
      }
    }
  }

  /**
   * Returns the number of needed aborts.
   *
   * @throws IOException if two concurrent transactions have written one row and both committed: the
   *     system is faster than it may be
   */
  synchronized long count() throws IOException {
    Map<Integer, List<Writer>> committed = new HashMap<>();
    for (Writer writer : writers) {
      if (writer.ended.ending() == Ending.COMMITTED) {
        writer.rows.forEach(
            row -> committed.computeIfAbsent(row, unused -> new ArrayList<>()).add(writer));
      }
    }
    for (List<Writer> ofOneRow : committed.values()) {
      requireOneAfterTheOther(ofOneRow);
    }
    long needed = 0;
    for (Writer writer : writers) {
      if (writer.ended.ending() != Ending.COMMITTED
          && writer.rows.stream()
              .flatMap(row -> committed.getOrDefault(row, List.of()).stream())
              .anyMatch(writer::isConcurrentWith)) {
        needed++;
      }
    }
    return needed;
  }

  private static void requireOneAfterTheOther(List<Writer> ofOneRow) throws IOException {
    List<Ended> order = new ArrayList<>(ofOneRow.stream().map(Writer::ended).toList());
    order.sort((one, other) -> Long.compare(one.commitTimestamp(), other.commitTimestamp()));
    for (int i = 1; i < order.size(); i++) {
      if (order.get(i).startTimestamp() < order.get(i - 1).commitTimestamp()) {
        throw new IOException(
            "concurrent transactions wrote one row and both committed, first="
                + order.get(i - 1)
                + " second="
                + order.get(i));
      }
    }
  }
}
