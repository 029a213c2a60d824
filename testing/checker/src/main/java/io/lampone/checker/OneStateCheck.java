package io.lampone.checker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Check that a plain read of the fast path, which is of one row, shows one state of it (protocol
 * page, section 8), and a LATEST transaction one state of all its rows: there is a moment at which
 * every key held the value that was read. That is the case if no key lacks a version from before
 * the newest one that was shown. So it does not depend on the history's claims about real time.
 */
final class OneStateCheck {

  private final Map<String, Timeline> timelines;
  private final Map<Integer, Moment> placed;
  private final boolean isList;
  private final Consumer<Anomaly> anomalies;

  OneStateCheck(
      Map<String, Timeline> timelines,
      Map<Integer, Moment> placed,
      boolean isList,
      Consumer<Anomaly> anomalies) {
    this.timelines = timelines;
    this.placed = placed;
    this.isList = isList;
    this.anomalies = anomalies;
  }

  void check(List<Observation> observations, Map<Integer, KnownCommits> told) {
    Map<Integer, Moment> newest = new HashMap<>();
    for (Observation observation : observations) {
      Timeline timeline = timelines.get(observation.key());
      if (!observation.isWithoutSnapshot() || timeline == null) {
        continue;
      }
      HistoryTransaction reader = observation.reader();
      int count = timeline.find(observation.elements());
      Moment shown =
          newest.computeIfAbsent(reader.number(), n -> newest(Objects.requireNonNull(told.get(n))));
      // Unexplained reads have been reported already.
      if (count >= 0 && count < timeline.countUpTo(shown)) {
        HistoryTransaction missed = timeline.versions().get(count).writer();
        anomalies.accept(
            new Anomaly(
                AnomalyKind.READ_SKEW,
                "a read without a snapshot shows no one state, key=" + observation.key(),
                List.of(reader, missed)));
      }
    }
  }

  private Moment newest(KnownCommits told) {
    // For a register, the place found may be one of several.
    return isList
        ? told.newest(
            writer -> placed.getOrDefault(writer.number(), Moment.at(writer.commitTimestamp())))
        : Moment.at(told.mark());
  }
}
