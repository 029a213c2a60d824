package io.lampone.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Looks for commit timestamps for those transactions whose outcome is unknown and of which somebody
 * has seen a write, so that everything that was seen is explained.
 *
 * <p>This only proposes. What it proposes is judged like every other timestamp, so that a mistake
 * here may raise a false alarm but never hides an anomaly. A transaction that nobody has seen needs
 * no place: that it has not committed explains it.
 */
final class Placement {

  private final WriterIndex writers;
  private final Map<Integer, Bounds> bounds = new TreeMap<>();

  /** Timestamps that {@link #assign} has given away. */
  private final Set<Long> taken = new HashSet<>();

  /** Where a commit timestamp has to lie: not below the one, and below the other. */
  private static final class Bounds {
    private final HistoryTransaction transaction;
    private final Set<Integer> after = new HashSet<>();
    private long lowest = 1;
    private long limit = Long.MAX_VALUE;

    Bounds(HistoryTransaction transaction) {
      this.transaction = transaction;
    }

    void atLeast(long timestamp) {
      lowest = Math.max(lowest, timestamp);
    }

    void below(long timestamp) {
      limit = Math.min(limit, timestamp);
    }
  }

  Placement(
      boolean isList,
      WriterIndex writers,
      List<Observation> observations,
      Map<String, Timeline> timelines) {
    this.writers = writers;
    findSeen(observations);
    if (bounds.isEmpty()) {
      return;
    }
    Map<String, List<Observation>> byKey = new HashMap<>();
    for (Observation observation : observations) {
      byKey.computeIfAbsent(observation.key(), key -> new ArrayList<>()).add(observation);
    }
    byKey.forEach(
        (key, seen) -> {
          Timeline timeline = timelines.getOrDefault(key, new Timeline(key, isList, List.of()));
          if (isList) {
            boundByLists(key, seen);
          } else {
            boundByValues(timeline, seen);
          }
        });
  }

  private void findSeen(List<Observation> observations) {
    for (Observation observation : observations) {
      for (long element : observation.elements()) {
        writers
            .writer(observation.key(), element)
            .filter(Placement::isOpen)
            .ifPresent(open -> bounds.computeIfAbsent(open.number(), n -> new Bounds(open)));
      }
    }
  }

  private void boundByLists(String key, List<Observation> observations) {
    List<Bounds> here = new ArrayList<>();
    for (Bounds each : bounds.values()) {
      if (!WriterIndex.written(each.transaction, key).isEmpty()) {
        here.add(each);
      }
    }
    if (here.isEmpty()) {
      return;
    }
    for (Observation observation : observations) {
      Set<Integer> seen = boundByNeighbours(observation);
      long snapshot = observation.snapshot();
      if (snapshot == Observation.NO_SNAPSHOT) {
        continue;
      }
      for (Bounds each : here) {
        if (seen.contains(each.transaction.number())) {
          each.below(snapshot);
        } else {
          each.atLeast(snapshot);
        }
      }
    }
  }

  /** The order of a list is that of the commits. */
  private Set<Integer> boundByNeighbours(Observation observation) {
    Set<Integer> seen = new HashSet<>();
    HistoryTransaction before = null;
    for (long element : observation.elements()) {
      HistoryTransaction writer = writers.writer(observation.key(), element).orElse(null);
      if (writer == null) {
        continue;
      }
      seen.add(writer.number());
      if (before != null && before != writer) {
        order(before, writer);
      }
      before = writer;
    }
    return seen;
  }

  private void order(HistoryTransaction first, HistoryTransaction second) {
    Bounds one = bounds.get(first.number());
    Bounds other = bounds.get(second.number());
    if (one != null && other != null) {
      other.after.add(first.number());
    } else if (one != null) {
      one.below(second.commitTimestamp());
      if (second.startTimestamp() != 0) {
        one.below(second.startTimestamp());
      }
    } else if (other != null) {
      other.atLeast(first.commitTimestamp() + 1);
    }
  }

  /**
   * Between two known commits, readers in the order of their snapshots see first the known value,
   * then one unknown writer's after the other's.
   */
  private void boundByValues(Timeline timeline, List<Observation> observations) {
    List<Observation> sorted = new ArrayList<>(observations);
    sorted.removeIf(each -> each.snapshot() == Observation.NO_SNAPSHOT);
    sorted.sort(Comparator.comparingLong(Observation::snapshot));
    int gap = -1;
    long lastElsewhere = 0;
    HistoryTransaction lastOpen = null;
    for (Observation observation : sorted) {
      int count = timeline.countBelow(observation.snapshot());
      if (count != gap) {
        gap = count;
        lastElsewhere = count == 0 ? 0 : timeline.versions().get(count - 1).commit() + 1;
        lastOpen = null;
      }
      HistoryTransaction open =
          observation.isEmpty()
              ? null
              : writers
                  .writer(observation.key(), observation.newest())
                  .filter(writer -> bounds.containsKey(writer.number()))
                  .orElse(null);
      if (open == null) {
        lastElsewhere = observation.snapshot();
        continue;
      }
      Bounds found = bounds.get(open.number());
      if (found != null) {
        found.below(observation.snapshot());
        if (lastOpen != open) {
          found.atLeast(lastElsewhere);
        }
      }
      lastElsewhere = observation.snapshot();
      lastOpen = open;
    }
  }

  /**
   * Takes into account that a reader did not see {@code hidden}, which the places so far put below
   * its snapshot, but {@code seen}. Either the one that was seen came later, or the hidden one
   * after the snapshot.
   *
   * @param seenLater which of the two is tried first
   * @return whether anything has changed
   */
  boolean hide(
      HistoryTransaction hidden, HistoryTransaction seen, long snapshot, boolean seenLater) {
    Bounds low = bounds.get(hidden.number());
    Bounds high = bounds.get(seen.number());
    if (low == null) {
      return false;
    }
    boolean canBeAfterSnapshot = snapshot < low.limit && low.lowest < snapshot;
    if (high != null
        && high != low
        && low.lowest + 1 < high.limit
        && (seenLater || !canBeAfterSnapshot)) {
      return high.after.add(hidden.number());
    }
    if (canBeAfterSnapshot) {
      low.atLeast(snapshot);
      return true;
    }
    return false;
  }

  /** Nothing below {@code timestamp} can be the commit of {@code transaction}. */
  void atLeast(HistoryTransaction transaction, long timestamp) {
    Bounds mine = bounds.get(transaction.number());
    if (mine != null) {
      mine.atLeast(timestamp);
    }
  }

  /** Whether there is nothing to place. */
  boolean isEmpty() {
    return bounds.isEmpty();
  }

  /**
   * Transaction number to commit timestamp, for those that were seen: the lowest place for each,
   * those first that others come after. A lower place never spoils another one's.
   */
  Map<Integer, Long> assign() {
    Map<Integer, Long> assigned = new HashMap<>();
    Set<Integer> onTheWay = new HashSet<>();
    taken.clear();
    for (int number : bounds.keySet()) {
      place(number, assigned, onTheWay);
    }
    return assigned;
  }

  private long place(int number, Map<Integer, Long> assigned, Set<Integer> onTheWay) {
    Long done = assigned.get(number);
    if (done != null) {
      return done;
    }
    Bounds mine = bounds.get(number);
    if (mine == null || !onTheWay.add(number)) {
      // A circle has no order; whatever is assigned will be found wrong.
      return 0;
    }
    for (int before : mine.after) {
      mine.atLeast(place(before, assigned, onTheWay) + 1);
    }
    onTheWay.remove(number);
    // Between two timestamps of the product there is room for many.
    long free = mine.lowest;
    while (!taken.add(free)) {
      free++;
    }
    assigned.put(number, free);
    return free;
  }

  /** Whether a transaction may have committed, nobody knows when. */
  static boolean isOpen(HistoryTransaction transaction) {
    return transaction.outcome() == Outcome.UNKNOWN && transaction.commitTimestamp() == 0;
  }
}
