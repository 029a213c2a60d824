package io.lampone.benchmarks.compare;

import io.lampone.benchmarks.compare.SystemClient.Ended;
import io.lampone.benchmarks.compare.SystemClient.Ending;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Count of the aborts of a slice that no system could have avoided: the ideal to which aborts are
 * compared. An abort was needed if a transaction that committed wrote one of the same rows and was
 * concurrent, that is, committed above the snapshot of the aborted one and had begun before that
 * one ended. Of two such transactions at most one may commit, in whatever order. Of a serializable
 * transaction the rows that it read count like those that it wrote. The others were aborted for the
 * sake of a reader, by a shared entry of the conflict table, or by a transaction that was itself
 * aborted.
 *
 * <p>All of it is by the timestamps of the system itself, so late reports of its clients do no
 * harm. Thread-safe.
 */
final class UnavoidableAborts {

  /** Ends of transactions with writes; guarded by this. */
  private final List<Writer> writers = new ArrayList<>();

  private final boolean serializable;

  /**
   * @param serializable whether the transactions are serializable
   */
  UnavoidableAborts(boolean serializable) {
    this.serializable = serializable;
  }

  /**
   * A transaction with writes.
   *
   * @param reads the other rows that a concurrent commit must not have written; none under snapshot
   *     isolation
   */
  private record Writer(
      List<Integer> rows, List<Integer> reads, Ended ended, long begunNanos, long endedNanos) {

    boolean isConcurrentWith(Writer committed) {
      return committed.ended.commitTimestamp() > ended.startTimestamp()
          && committed.begunNanos < endedNanos;
    }
  }

  /** Adds an ended transaction; ignores those without writes or without a snapshot. */
  void add(List<Access> accesses, Ended ended, long begunNanos, long endedNanos) {
    List<Integer> rows =
        accesses.stream().filter(Access::writes).map(Access::row).distinct().toList();
    List<Integer> reads =
        accesses.stream()
            .filter(access -> serializable && !rows.contains(access.row()))
            .map(Access::row)
            .distinct()
            .toList();
    if (!rows.isEmpty() && ended.startTimestamp() != 0) {
      synchronized (this) {
        writers.add(new Writer(rows, reads, ended, begunNanos, endedNanos));
      }
    }
  }

  /**
   * Returns the number of needed aborts.
   *
   * @throws IOException if two concurrent transactions have written one row and both committed, or
   *     a serializable one although its reads were overwritten below its commit: the system is
   *     faster than it may be
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
    for (Writer writer : writers) {
      requireReadsStand(writer, committed);
    }
    long needed = 0;
    for (Writer writer : writers) {
      if (writer.ended.ending() != Ending.COMMITTED
          && Stream.concat(writer.rows.stream(), writer.reads.stream())
              .flatMap(row -> committed.getOrDefault(row, List.of()).stream())
              .anyMatch(writer::isConcurrentWith)) {
        needed++;
      }
    }
    return needed;
  }

  private static void requireReadsStand(Writer writer, Map<Integer, List<Writer>> committed)
      throws IOException {
    for (int row : writer.ended.ending() == Ending.COMMITTED ? writer.reads : List.<Integer>of()) {
      for (Writer other : committed.getOrDefault(row, List.of())) {
        long commit = other.ended.commitTimestamp();
        if (commit > writer.ended.startTimestamp() && commit < writer.ended.commitTimestamp()) {
          throw new IOException(
              "a row that a serializable transaction had read was overwritten below its commit,"
                  + " reader="
                  + writer.ended
                  + " writer="
                  + other.ended);
        }
      }
    }
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
