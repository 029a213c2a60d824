package io.lampone.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Real time and sessions. A regular transaction that begins after a commit was acknowledged, by
 * whatever client, has a snapshot above it. An operation of the fast path follows only what its own
 * process has done before.
 */
final class OrderCheck {

  private final History history;
  private final Map<String, Timeline> timelines;
  private final Sessions sessions;
  private final Consumer<Anomaly> anomalies;

  OrderCheck(
      History history,
      Map<String, Timeline> timelines,
      Sessions sessions,
      Consumer<Anomaly> anomalies) {
    this.history = history;
    this.timelines = timelines;
    this.sessions = sessions;
    this.anomalies = anomalies;
  }

  void check(List<Observation> observations) {
    if (!history.header().claimsOrder()) {
      return;
    }
    checkRealTime();
    Map<Integer, List<Observation>> byReader = new HashMap<>();
    for (Observation observation : observations) {
      byReader
          .computeIfAbsent(observation.reader().number(), n -> new ArrayList<>())
          .add(observation);
    }
    checkSessions(byReader);
  }

  private void checkRealTime() {
    List<HistoryTransaction> acknowledged = new ArrayList<>();
    List<HistoryTransaction> beginners = new ArrayList<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() != Outcome.OK) {
        continue;
      }
      if (transaction.commitTimestamp() != 0) {
        acknowledged.add(transaction);
      }
      if (!transaction.fastPath() && transaction.startTimestamp() != 0) {
        beginners.add(transaction);
      }
    }
    acknowledged.sort(Comparator.comparingLong(HistoryTransaction::completeNanos));
    beginners.sort(Comparator.comparingLong(HistoryTransaction::invokeNanos));
    long slack = history.header().clockSlackNanos();
    int next = 0;
    HistoryTransaction newest = null;
    for (HistoryTransaction beginner : beginners) {
      // On a tie nobody knows which came first.
      while (next < acknowledged.size()
          && acknowledged.get(next).completeNanos() + slack < beginner.invokeNanos() - slack) {
        HistoryTransaction done = acknowledged.get(next++);
        if (newest == null || done.commitTimestamp() > newest.commitTimestamp()) {
          newest = done;
        }
      }
      if (newest != null && beginner.startTimestamp() <= newest.commitTimestamp()) {
        anomalies.accept(
            new Anomaly(
                AnomalyKind.REAL_TIME,
                "begun after a commit was acknowledged, with a snapshot not above it",
                List.of(newest, beginner)));
      }
    }
  }

  private void checkSessions(Map<Integer, List<Observation>> byReader) {
    for (HistoryTransaction transaction : history.transactions()) {
      Optional<HistoryTransaction> before = sessions.before(transaction);
      long mark = sessions.mark(transaction);
      if (before.isPresent() && breaksSession(transaction, mark, byReader)) {
        anomalies.accept(
            new Anomaly(
                AnomalyKind.SESSION,
                "does not follow what its own process did before, mark=" + mark,
                List.of(before.get(), transaction)));
      }
    }
  }

  private boolean breaksSession(
      HistoryTransaction transaction, long mark, Map<Integer, List<Observation>> byReader) {
    if (!transaction.fastPath()) {
      return transaction.startTimestamp() != 0 && transaction.startTimestamp() < mark;
    }
    if (transaction.commitTimestamp() != 0) {
      return transaction.commitTimestamp() <= mark;
    }
    for (Observation observation : byReader.getOrDefault(transaction.number(), List.of())) {
      Timeline timeline = timelines.get(observation.key());
      if (timeline != null) {
        int seen = timeline.find(observation.elements());
        // What cannot be explained at all has been reported already.
        if (seen >= 0 && seen < timeline.countUpTo(mark)) {
          return true;
        }
      }
    }
    return false;
  }
}
