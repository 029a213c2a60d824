package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Commits known at the end of a transaction. A snapshot has shown all commits below it; a read
 * without one the versions that it has returned.
 *
 * @param client the transaction
 * @param mark the highest known of its own timestamps and those of the versions; 0 if none is
 * @param open writers of versions shown without a snapshot, whose commits have no known timestamp
 */
record KnownCommits(HistoryTransaction client, long mark, List<HistoryTransaction> open) {

  KnownCommits {
    open = List.copyOf(open);
  }

  /**
   * By transaction number, for all that were acknowledged, and those failed ones of which reads
   * without a snapshot are known.
   */
  static Map<Integer, KnownCommits> all(
      History history, WriterIndex writers, List<Observation> observations) {
    Map<Integer, List<HistoryTransaction>> shown = new HashMap<>();
    for (Observation observation : observations) {
      HistoryTransaction reader = observation.reader();
      if (observation.isWithoutSnapshot()) {
        List<HistoryTransaction> known =
            shown.computeIfAbsent(reader.number(), n -> new ArrayList<>());
        // The newest element of a list is enough: the others precede it.
        if (!observation.isEmpty()) {
          writers.writer(observation.key(), observation.newest()).ifPresent(known::add);
        }
      }
    }
    Map<Integer, KnownCommits> all = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      int number = transaction.number();
      if (transaction.outcome() == Outcome.OK
          || transaction.outcome() == Outcome.FAILED && shown.containsKey(number)) {
        all.put(
            transaction.number(),
            of(transaction, shown.getOrDefault(transaction.number(), List.of())));
      }
    }
    return all;
  }

  private static KnownCommits of(HistoryTransaction client, List<HistoryTransaction> shown) {
    long mark = Math.max(client.startTimestamp(), client.commitTimestamp());
    List<HistoryTransaction> open = new ArrayList<>();
    for (HistoryTransaction writer : shown) {
      mark = Math.max(mark, writer.commitTimestamp());
      if (UnknownOutcomeSolver.isOpen(writer)) {
        open.add(writer);
      }
    }
    return new KnownCommits(client, mark, open);
  }

  /** Returns the newest known moment of a commit that it shows: a snapshot shows those below it. */
  Moment shown() {
    boolean isSnapshot = client.startTimestamp() != 0 && client.commitTimestamp() == 0;
    return isSnapshot ? Moment.lastBelow(mark) : Moment.at(mark);
  }

  /** Returns the newest commit that the client knows. */
  Moment newest(Function<HistoryTransaction, Moment> commits) {
    Moment newest = shown();
    return open.stream()
        .map(commits)
        .max(Comparator.naturalOrder())
        .filter(each -> each.compareTo(newest) > 0)
        .orElse(newest);
  }
}
