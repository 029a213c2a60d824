package io.lampone.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Classifies a read that its snapshot does not explain, by the terms of the literature. */
final class Mismatches {

  /** Maximum number of other readers of a key to compare; more would only repeat the same fork. */
  private static final int MAX_COMPARED = 200;

  private final WriterIndex writers;
  private final Map<Integer, Moment> placed;
  private final Map<String, List<Observation>> byKey = new HashMap<>();
  private final Map<Integer, List<Observation>> byReader = new HashMap<>();

  Mismatches(
      Map<String, Timeline> timelines,
      WriterIndex writers,
      List<Observation> observations,
      Map<Integer, Moment> placed) {
    this.writers = writers;
    this.placed = placed;
    timelines.keySet().forEach(key -> byKey.put(key, new ArrayList<>()));
    for (Observation observation : observations) {
      byKey.computeIfAbsent(observation.key(), key -> new ArrayList<>()).add(observation);
      byReader
          .computeIfAbsent(observation.reader().number(), n -> new ArrayList<>())
          .add(observation);
    }
  }

  /** Classifies the difference between the observation and the snapshot. */
  Anomaly classify(Observation observation, long snapshot, Timeline timeline) {
    List<Long> expected = timeline.after(timeline.countBelow(snapshot));
    Optional<HistoryTransaction> tooNew =
        observation.elements().stream()
            .map(element -> writer(observation.key(), element))
            .filter(writer -> !commit(writer).isBelow(snapshot))
            .findFirst();
    if (tooNew.isPresent()) {
      return tooNew(observation, tooNew.get(), expected);
    }
    Optional<HistoryTransaction> missed =
        expected.stream()
            .filter(element -> !observation.elements().contains(element))
            .map(element -> writer(observation.key(), element))
            .findFirst();
    if (missed.isPresent()) {
      return missed(observation, missed.get(), expected);
    }
    return anomaly(AnomalyKind.DIRTY_WRITE, observation, expected, List.of());
  }

  private Anomaly tooNew(Observation observation, HistoryTransaction writer, List<Long> expected) {
    HistoryTransaction reader = observation.reader();
    AnomalyKind kind = AnomalyKind.FUTURE_READ;
    if (sees(writer, reader)) {
      kind = AnomalyKind.CIRCULAR_READ;
    } else if (misses(reader, writer)) {
      kind = AnomalyKind.READ_SKEW;
    }
    return anomaly(kind, observation, expected, List.of(writer));
  }

  private Anomaly missed(Observation observation, HistoryTransaction writer, List<Long> expected) {
    HistoryTransaction reader = observation.reader();
    boolean isNewerSeen =
        observation.elements().stream()
            .map(element -> commit(writer(observation.key(), element)))
            .anyMatch(seen -> seen.compareTo(commit(writer)) > 0);
    if (isNewerSeen) {
      return anomaly(AnomalyKind.LOST_UPDATE, observation, expected, List.of(writer));
    }
    if (sees(reader, writer)) {
      return anomaly(AnomalyKind.READ_SKEW, observation, expected, List.of(writer));
    }
    Optional<Anomaly> fork = fork(observation, writer, expected);
    if (fork.isPresent()) {
      return fork.get();
    }
    AnomalyKind kind =
        writer.completeNanos() < reader.invokeNanos()
            ? AnomalyKind.STALE_READ
            : AnomalyKind.MISSED_COMMIT;
    return anomaly(kind, observation, expected, List.of(writer));
  }

  /** Finds another reader that sees the missed writer, but not a writer that this reader sees. */
  private Optional<Anomaly> fork(
      Observation observation, HistoryTransaction missed, List<Long> expected) {
    HistoryTransaction reader = observation.reader();
    List<Observation> others = byKey.getOrDefault(observation.key(), List.of());
    int compared = 0;
    for (Observation other : others) {
      if (other.reader() == reader || !seesIn(other, missed)) {
        continue;
      }
      if (++compared > MAX_COMPARED) {
        break;
      }
      for (Observation mine : byReader.getOrDefault(reader.number(), List.of())) {
        for (long element : mine.elements()) {
          HistoryTransaction seen = writer(mine.key(), element);
          if (seen != other.reader() && misses(other.reader(), seen)) {
            return Optional.of(
                anomaly(
                    AnomalyKind.LONG_FORK,
                    observation,
                    expected,
                    List.of(missed, other.reader(), seen)));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Returns true if {@code reader} has read a write of {@code writer}. */
  private boolean sees(HistoryTransaction reader, HistoryTransaction writer) {
    return byReader.getOrDefault(reader.number(), List.of()).stream()
        .anyMatch(observation -> seesIn(observation, writer));
  }

  /**
   * Returns true if {@code reader} has read a key that {@code writer} wrote, and missed the write.
   */
  private boolean misses(HistoryTransaction reader, HistoryTransaction writer) {
    return byReader.getOrDefault(reader.number(), List.of()).stream()
        .anyMatch(
            observation ->
                !WriterIndex.written(writer, observation.key()).isEmpty()
                    && !seesIn(observation, writer)
                    && !isOverwritten(observation, writer));
  }

  /** Returns true if the read version lies above the writer's: then no version was missed. */
  private boolean isOverwritten(Observation observation, HistoryTransaction writer) {
    return !observation.isEmpty()
        && commit(writer(observation.key(), observation.newest())).compareTo(commit(writer)) > 0;
  }

  private boolean seesIn(Observation observation, HistoryTransaction writer) {
    return observation.elements().stream()
        .anyMatch(element -> writer(observation.key(), element) == writer);
  }

  private HistoryTransaction writer(String key, long element) {
    return writers.writer(key, element).orElseThrow();
  }

  private Moment commit(HistoryTransaction transaction) {
    return placed.getOrDefault(transaction.number(), Moment.at(transaction.commitTimestamp()));
  }

  private static Anomaly anomaly(
      AnomalyKind kind,
      Observation observation,
      List<Long> expected,
      List<HistoryTransaction> others) {
    List<HistoryTransaction> involved = new ArrayList<>();
    involved.add(observation.reader());
    involved.addAll(others);
    return new Anomaly(
        kind,
        "key=" + observation.key() + " seen=" + observation.elements() + " expected=" + expected,
        involved);
  }
}
