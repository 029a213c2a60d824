package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks real time and sessions. Once any client knows a commit, by its acknowledgement or by a
 * read, every regular transaction that begins later has a snapshot above it: versions and commit
 * timestamps are below every start timestamp that is issued later. An operation of the fast path
 * follows only earlier operations and reads of its own client, and earlier writes of its keys.
 * SESSION and LATEST transactions may miss what is newer than their promise says.
 */
final class OrderCheck {

  private final History history;
  private final Map<String, Timeline> timelines;
  private final Map<Integer, Moment> placed;
  private final Consumer<Anomaly> anomalies;
  private final boolean isList;

  OrderCheck(
      History history,
      Map<String, Timeline> timelines,
      Map<Integer, Moment> placed,
      Consumer<Anomaly> anomalies) {
    this.history = history;
    this.timelines = timelines;
    this.placed = placed;
    this.anomalies = anomalies;
    this.isList = history.header().workload().equals(History.Header.LIST_APPEND);
  }

  void check(List<Observation> observations, Map<Integer, KnownCommits> told, Sessions sessions) {
    if (!history.header().claimsOrder()) {
      return;
    }
    checkRealTime(told);
    timelines.values().forEach(this::checkUpdates);
    checkLatest(observations);
    Map<Integer, List<Observation>> byReader = new HashMap<>();
    for (Observation observation : observations) {
      byReader
          .computeIfAbsent(observation.reader().number(), n -> new ArrayList<>())
          .add(observation);
    }
    for (HistoryTransaction transaction : history.transactions()) {
      sessions
          .before(transaction)
          .ifPresent(
              before ->
                  checkSession(
                      transaction, before, byReader.getOrDefault(transaction.number(), List.of())));
    }
  }

  private Moment commit(HistoryTransaction transaction) {
    return placed.getOrDefault(transaction.number(), Moment.at(transaction.commitTimestamp()));
  }

  private void checkRealTime(Map<Integer, KnownCommits> told) {
    List<KnownCommits> ended = new ArrayList<>(told.values());
    ended.sort(Comparator.comparingLong(each -> each.client().completeNanos()));
    List<HistoryTransaction> beginners = new ArrayList<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK
          && !transaction.fastPath()
          && transaction.startTimestamp() != 0) {
        beginners.add(transaction);
      }
    }
    beginners.sort(Comparator.comparingLong(HistoryTransaction::freshNanos));
    long slack = history.header().clockSlackNanos();
    int next = 0;
    Moment known = Moment.at(0);
    HistoryTransaction newest = null;
    for (HistoryTransaction beginner : beginners) {
      // The order of a tie is unknown.
      while (next < ended.size()
          && ended.get(next).client().completeNanos() + slack < beginner.freshNanos() - slack) {
        KnownCommits done = ended.get(next++);
        Moment moment = done.newest(this::commit);
        if (moment.compareTo(known) > 0) {
          known = moment;
          newest = done.client();
        }
      }
      if (newest != null && !known.isBelow(beginner.startTimestamp())) {
        anomalies.accept(
            new Anomaly(
                AnomalyKind.REAL_TIME,
                "begun after a commit was acknowledged or shown, with a snapshot not above it",
                List.of(newest, beginner)));
      }
    }
  }

  /** Checks that a write lies above all of its key that were acknowledged before its begin. */
  private void checkUpdates(Timeline timeline) {
    long slack = 2 * history.header().clockSlackNanos();
    List<Timeline.Version> versions = timeline.versions();
    HistoryTransaction first = null;
    for (int i = versions.size() - 1; i >= 0; i--) {
      HistoryTransaction writer = versions.get(i).writer();
      // A place that was only found for it proves nothing.
      if (first != null
          && !placed.containsKey(writer.number())
          && first.completeNanos() + slack < writer.invokeNanos()) {
        anomalies.accept(
            new Anomaly(
                AnomalyKind.REAL_TIME,
                "a write below one that was acknowledged before it began, key=" + timeline.key(),
                List.of(first, writer)));
      }
      if (writer.outcome() == Outcome.OK
          && (first == null || writer.completeNanos() < first.completeNanos())) {
        first = writer;
      }
    }
  }

  /** Checks that reads without a snapshot miss no version acknowledged long before. */
  private void checkLatest(List<Observation> observations) {
    long slack = 2 * history.header().clockSlackNanos();
    Map<String, long[]> acknowledged = new HashMap<>();
    for (Observation observation : observations) {
      Timeline timeline = timelines.get(observation.key());
      HistoryTransaction reader = observation.reader();
      if (timeline == null || reader.fastPath() || !observation.isWithoutSnapshot()) {
        continue;
      }
      int count = timeline.find(observation.elements());
      long[] from =
          acknowledged.computeIfAbsent(
              observation.key(), key -> acknowledgedFrom(timeline.versions()));
      // Unexplained reads have been reported already.
      if (count >= 0 && from[count] + slack < reader.freshNanos()) {
        anomalies.accept(
            new Anomaly(
                AnomalyKind.STALE_READ,
                "a LATEST read misses what was acknowledged long before, key=" + observation.key(),
                List.of(reader, timeline.versions().get(count).writer())));
      }
    }
  }

  /** Returns, by version, the first time at which it or a later one was acknowledged. */
  private static long[] acknowledgedFrom(List<Timeline.Version> versions) {
    long[] from = new long[versions.size() + 1];
    from[versions.size()] = Long.MAX_VALUE / 2;
    for (int i = versions.size() - 1; i >= 0; i--) {
      HistoryTransaction writer = versions.get(i).writer();
      from[i] =
          writer.outcome() == Outcome.OK
              ? Math.min(from[i + 1], writer.completeNanos())
              : from[i + 1];
    }
    return from;
  }

  private void checkSession(
      HistoryTransaction transaction, Sessions.Before before, List<Observation> seen) {
    Moment mark = before.newest().shown();
    HistoryTransaction newest = before.newest().client();
    if (isList) {
      // For a register, the place found may be one of several.
      for (KnownCommits each : before.open().values()) {
        Moment shown = each.newest(this::commit);
        if (shown.compareTo(mark) > 0) {
          mark = shown;
          newest = each.client();
        }
      }
    }
    if (breaksSession(transaction, mark, seen)) {
      anomalies.accept(
          new Anomaly(
              AnomalyKind.SESSION,
              "does not follow what its own client did or saw before, mark=" + mark,
              List.of(newest, transaction)));
    }
  }

  private boolean breaksSession(
      HistoryTransaction transaction, Moment mark, List<Observation> seen) {
    if (!transaction.fastPath() && !transaction.readsWithoutSnapshot()) {
      long start = transaction.startTimestamp();
      return start != 0 && !mark.isBelow(start);
    }
    if (transaction.commitTimestamp() != 0) {
      return Moment.at(transaction.commitTimestamp()).compareTo(mark) <= 0;
    }
    for (Observation observation : seen) {
      Timeline timeline = timelines.get(observation.key());
      if (timeline != null) {
        int count = timeline.find(observation.elements());
        // Unexplained reads have been reported already.
        if (count >= 0 && count < timeline.countUpTo(mark)) {
          return true;
        }
      }
    }
    return false;
  }
}
