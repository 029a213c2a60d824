package io.lampone.checker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Checks a history for strong snapshot isolation, in the time of sorting it. In a history that
 * claims {@link History.Header#SNAPSHOT_ISOLATION} only, real time and sessions are not checked;
 * all other rules are. The reads of a serializable transaction must in addition equal the state
 * left by the commits below its own commit, except its own writes. So if all transactions that
 * write are serializable, the order of the commit timestamps is a serial one.
 *
 * <p>The product's own timestamps are a claim to be verified: if each read shows exactly the state
 * left by the commits below its snapshot, no two transactions that wrote one key overlap, and no
 * snapshot lies below a commit that was acknowledged before it was taken, then the order of the
 * timestamps proves that the history is snapshot isolated, whatever their source. So a product
 * gains nothing by reporting false timestamps.
 *
 * <p>Operations of the fast path read at their own commit timestamp, or, plain reads, at any time;
 * they follow earlier operations and reads of their own client, and earlier writes of their keys;
 * they promise no order beyond that. But the versions that they have shown are below every snapshot
 * that is taken later.
 *
 * <p>The reads of a LATEST transaction without a snapshot are judged like one plain read of all its
 * keys, which in addition misses nothing that was acknowledged half a second before; a SESSION
 * snapshot may miss what was acknowledged in the last second.
 */
public final class SnapshotIsolationChecker {

  /** Maximum number of anomalies that are described. */
  public static final int MAX_REPORTED = 20;

  private final History history;
  private final boolean isList;
  private final WriterIndex writers;
  private final List<Anomaly> anomalies = new ArrayList<>();
  private final Map<String, Timeline> timelines = new TreeMap<>();
  private long anomalyCount;
  private long reads;

  private SnapshotIsolationChecker(History history) {
    this.history = history;
    this.isList = history.header().workload().equals(History.Header.LIST_APPEND);
    this.writers = new WriterIndex(history.transactions());
  }

  /**
   * Judges a history.
   *
   * @throws IllegalArgumentException if it cannot be judged because an element was written twice
   */
  public static Verdict check(History history) {
    return new SnapshotIsolationChecker(history).check();
  }

  private Verdict check() {
    List<Observation> observations = new ArrayList<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.hasKnownReads()) {
        observations.addAll(new OwnView(transaction, isList, this::report).observations());
        observations.addAll(absences(transaction));
      }
    }
    reads = observations.size();
    observations.removeIf(observation -> !isPlausible(observation));
    Map<Integer, KnownCommits> told = KnownCommits.all(history, writers, observations);
    Sessions sessions = new Sessions(history, told);
    Map<Integer, Moment> placed = place(observations, told, sessions);
    timelines.values().forEach(this::checkFirstCommitterWins);
    checkRows();
    checkTimestamps();
    Mismatches mismatches = new Mismatches(timelines, writers, observations, placed);
    for (Observation observation : observations) {
      explain(observation, mismatches);
    }
    new OneStateCheck(timelines, placed, isList, this::report).check(observations, told);
    new OrderCheck(history, timelines, placed, this::report).check(observations, told, sessions);
    return verdict();
  }

  /** Keys that some transaction has written and that a scan has not shown. */
  private List<Observation> absences(HistoryTransaction transaction) {
    Set<String> absent = new TreeSet<>();
    transaction.scans().forEach(range -> absent.addAll(writers.keys(range)));
    for (Operation operation : transaction.operations()) {
      if (operation instanceof Operation.Read) {
        absent.remove(operation.key());
      }
    }
    return absent.stream().map(key -> new Observation(transaction, key, List.of())).toList();
  }

  /**
   * Returns true if all that was read was written, once, and by a transaction that may have
   * committed.
   */
  private boolean isPlausible(Observation observation) {
    Set<Long> seen = new HashSet<>();
    for (long element : observation.elements()) {
      Optional<HistoryTransaction> writer = writers.writer(observation.key(), element);
      if (writer.isEmpty()) {
        report(AnomalyKind.INVENTED_VALUE, observation, element, List.of());
        return false;
      }
      if (writer.get().outcome() == Outcome.FAILED) {
        report(AnomalyKind.ABORTED_READ, observation, element, List.of(writer.get()));
        return false;
      }
      if (!seen.add(element)) {
        report(AnomalyKind.DUPLICATED_VALUE, observation, element, List.of(writer.get()));
        return false;
      }
    }
    if (observation.isEmpty()) {
      return true;
    }
    HistoryTransaction newest =
        writers.writer(observation.key(), observation.newest()).orElseThrow();
    List<Long> all = WriterIndex.written(newest, observation.key());
    if (all.get(all.size() - 1) != observation.newest()) {
      report(AnomalyKind.INTERMEDIATE_READ, observation, observation.newest(), List.of(newest));
      return false;
    }
    return true;
  }

  /** Places the transactions of unknown outcome, and builds the timelines with them. */
  private Map<Integer, Moment> place(
      List<Observation> observations, Map<Integer, KnownCommits> told, Sessions sessions) {
    Map<Integer, Moment> placed =
        new UnknownOutcomeSolver(history, writers, observations, told, sessions).find();
    buildTimelines(placed);
    return placed;
  }

  private void buildTimelines(Map<Integer, Moment> placed) {
    Map<String, List<Timeline.Version>> versions = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      Moment commit =
          placed.getOrDefault(transaction.number(), Moment.at(transaction.commitTimestamp()));
      if (commit.timestamp() + commit.behind() != 0 && transaction.outcome() != Outcome.FAILED) {
        for (String key : WriterIndex.writtenKeys(transaction)) {
          versions
              .computeIfAbsent(key, k -> new ArrayList<>())
              .add(new Timeline.Version(commit, transaction));
        }
      }
    }
    timelines.clear();
    versions.forEach((key, list) -> timelines.put(key, new Timeline(key, isList, list)));
  }

  private void checkFirstCommitterWins(Timeline timeline) {
    for (int i = 1; i < timeline.versions().size(); i++) {
      Timeline.Version earlier = timeline.versions().get(i - 1);
      Timeline.Version later = timeline.versions().get(i);
      long start = later.writer().startTimestamp();
      if (earlier.commit().equals(later.commit())) {
        report(
            new Anomaly(
                AnomalyKind.TIMESTAMP,
                "two versions of a key at one commit timestamp, key=" + timeline.key(),
                List.of(earlier.writer(), later.writer())));
      } else if (!later.writer().fastPath() && start != 0 && !earlier.commit().isBelow(start)) {
        report(
            new Anomaly(
                AnomalyKind.LOST_UPDATE,
                "both wrote a key and overlap, key=" + timeline.key(),
                List.of(earlier.writer(), later.writer())));
      }
    }
  }

  /** Checks that of two transactions that wrote columns of a row at level row, one has failed. */
  private void checkRows() {
    Map<Long, TreeMap<Long, HistoryTransaction>> rows = new TreeMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.commitTimestamp() != 0 && transaction.outcome() != Outcome.FAILED) {
        for (String key : WriterIndex.writtenKeys(transaction)) {
          history
              .header()
              .row(key)
              .map(row -> rows.computeIfAbsent(row, r -> new TreeMap<>()))
              .ifPresent(writes -> writes.put(transaction.commitTimestamp(), transaction));
        }
      }
    }
    rows.forEach((row, writes) -> checkRow(row, writes));
  }

  private void checkRow(long row, TreeMap<Long, HistoryTransaction> writes) {
    for (HistoryTransaction later : writes.values()) {
      long start = later.startTimestamp();
      Map.Entry<Long, HistoryTransaction> earlier = writes.lowerEntry(later.commitTimestamp());
      if (later.fastPath() || start == 0 || earlier == null || earlier.getKey() < start) {
        continue;
      }
      // Two writes of one key have been reported.
      if (Collections.disjoint(
          WriterIndex.writtenKeys(later), WriterIndex.writtenKeys(earlier.getValue()))) {
        report(
            new Anomaly(
                AnomalyKind.LOST_UPDATE,
                "both wrote a row of level row and overlap, keys=" + 2 * row + "," + (2 * row + 1),
                List.of(earlier.getValue(), later)));
      }
    }
  }

  private void checkTimestamps() {
    Map<Long, HistoryTransaction> globals = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.FAILED || !transaction.writes()) {
        continue;
      }
      long commit = transaction.commitTimestamp();
      Optional<String> wrong = wrongTimestamp(transaction);
      if (wrong.isPresent()) {
        report(new Anomaly(AnomalyKind.TIMESTAMP, wrong.get(), List.of(transaction)));
      }
      if (commit != 0 && Ticks.isGlobal(commit)) {
        HistoryTransaction other = globals.put(commit, transaction);
        if (other != null) {
          report(
              new Anomaly(
                  AnomalyKind.TIMESTAMP,
                  "two commits at one timestamp",
                  List.of(other, transaction)));
        }
      }
    }
  }

  /** Returns what is wrong with the timestamps of a transaction that has written. */
  private static Optional<String> wrongTimestamp(HistoryTransaction transaction) {
    long start = transaction.startTimestamp();
    long commit = transaction.commitTimestamp();
    boolean isOk = transaction.outcome() == Outcome.OK;
    if (isOk && commit == 0) {
      return Optional.of("acknowledged without a commit timestamp");
    }
    if (transaction.fastPath()) {
      return Optional.empty();
    }
    if (isOk && start == 0) {
      return Optional.of("acknowledged without a start timestamp");
    }
    return commit != 0 && commit <= start
        ? Optional.of("commit not above its start")
        : Optional.empty();
  }

  private void explain(Observation observation, Mismatches mismatches) {
    long snapshot = observation.snapshot();
    Timeline timeline =
        timelines.getOrDefault(
            observation.key(), new Timeline(observation.key(), isList, List.of()));
    if (snapshot == Observation.NO_SNAPSHOT) {
      if (!observation.isWithoutSnapshot()) {
        report(
            new Anomaly(
                AnomalyKind.TIMESTAMP,
                "a transaction that has read has no start timestamp",
                List.of(observation.reader())));
      } else if (timeline.find(observation.elements()) < 0) {
        report(() -> mismatches.classify(observation, Long.MAX_VALUE, timeline));
      }
      return;
    }
    int seen = timeline.countBelow(snapshot);
    if (!timeline.after(seen).equals(observation.elements())) {
      report(() -> mismatches.classify(observation, snapshot, timeline));
    } else if (timeline.countBelow(observation.standsUntil()) > seen) {
      report(
          new Anomaly(
              AnomalyKind.ANTI_DEPENDENCY,
              "what a serializable transaction had read was overwritten below its commit, key="
                  + observation.key(),
              List.of(observation.reader(), timeline.versions().get(seen).writer())));
    }
  }

  private Verdict verdict() {
    int ok = 0;
    int failed = 0;
    for (HistoryTransaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.OK) {
        ok++;
      } else if (transaction.outcome() == Outcome.FAILED) {
        failed++;
      }
    }
    int unknown = history.transactions().size() - ok - failed;
    return new Verdict(ok, failed, unknown, reads, anomalies, anomalyCount);
  }

  private void report(
      AnomalyKind kind, Observation observation, long element, List<HistoryTransaction> others) {
    List<HistoryTransaction> involved = new ArrayList<>();
    involved.add(observation.reader());
    involved.addAll(others);
    report(new Anomaly(kind, "key=" + observation.key() + " element=" + element, involved));
  }

  private void report(Anomaly anomaly) {
    report(() -> anomaly);
  }

  /** Counts an anomaly; one that is not described is not classified either, which takes long. */
  private void report(Supplier<Anomaly> anomaly) {
    anomalyCount++;
    if (anomalies.size() < MAX_REPORTED) {
      anomalies.add(anomaly.get());
    }
  }
}
