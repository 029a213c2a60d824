package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Searches places in the order of commits for those transactions of unknown outcome of which a
 * write has been seen, so that all observations are explained.
 *
 * <p>The solver only proposes. Proposals are checked like every other timestamp, so that a mistake
 * here may raise a false alarm but never hides an anomaly. An unseen transaction needs no place: it
 * is explained as not committed.
 *
 * <p>Why it finds places if there are any. There are four kinds of constraints on an unknown
 * commit. It lies before a timestamp (a reader saw it). It lies behind a timestamp, or behind
 * another unknown commit (a reader missed it; a list shows the order). It lies in no {@link Gaps
 * gap} of its keys: if it lies behind the beginning of a gap, it lies behind its end. And of
 * registers: if it lies behind a version that is unknown too, it lies behind all readers of that
 * version. The second and the third kind have a least solution, which is the lowest place for each
 * commit; so if that breaks a limit, all others do. Only the fourth kind leaves a choice, which of
 * the two is moved up; both are tried, {@link #MAX_TRIALS} times in all.
 */
final class UnknownOutcomeSolver {

  /** Maximum number of places tried; then the last ones found are checked. */
  static final int MAX_TRIALS = 20_000;

  private final boolean isList;
  private final WriterIndex writers;
  private final Map<Integer, KnownCommits> told;
  private final Sessions sessions;
  private final Map<Integer, OpenCommit> open = new TreeMap<>();
  private final Map<String, List<OpenCommit>> openByKey = new TreeMap<>();
  private final Map<String, List<Gaps.Range>> closed = new HashMap<>();
  private final List<Span> spans = new ArrayList<>();
  private int trials;

  /**
   * No other version of the key lies behind this one up to {@code end}.
   *
   * @param end the newest snapshot that shows it, commit of a serializable transaction that read
   *     it, or mark of a session that did
   */
  private record Span(String key, OpenCommit version, long end) {}

  /** A version that is in the way of readers of another one. */
  private record Conflict(Span span, OpenCommit intruder) {}

  UnknownOutcomeSolver(
      History history,
      WriterIndex writers,
      List<Observation> observations,
      Map<Integer, KnownCommits> told,
      Sessions sessions) {
    this.isList = history.header().workload().equals(History.Header.LIST_APPEND);
    this.writers = writers;
    this.told = told;
    this.sessions = sessions;
    findSeen(observations);
    if (open.isEmpty()) {
      return;
    }
    Map<String, List<Observation>> byKey = new HashMap<>();
    for (Observation observation : observations) {
      if (openByKey.containsKey(observation.key())) {
        byKey.computeIfAbsent(observation.key(), key -> new ArrayList<>()).add(observation);
      }
    }
    Map<String, TreeSet<Long>> commits = closeAroundKnown(history);
    byKey.forEach(
        (key, seen) -> {
          if (isList) {
            boundByLists(key, seen);
          } else {
            boundByValues(key, seen, commits.getOrDefault(key, new TreeSet<>()));
          }
        });
    openByKey.forEach(
        (key, here) -> {
          Gaps gaps = Gaps.of(closed.getOrDefault(key, List.of()));
          here.forEach(each -> each.keepOutOf(gaps));
        });
    if (history.header().claimsOrder()) {
      boundByRealTime(history);
    }
  }

  private void findSeen(List<Observation> observations) {
    for (Observation observation : observations) {
      for (long element : observation.elements()) {
        writers
            .writer(observation.key(), element)
            .filter(UnknownOutcomeSolver::isOpen)
            .ifPresent(seen -> open.computeIfAbsent(seen.number(), n -> new OpenCommit(seen)));
      }
    }
    for (OpenCommit each : open.values()) {
      for (String key : WriterIndex.writtenKeys(each.transaction())) {
        openByKey.computeIfAbsent(key, k -> new ArrayList<>()).add(each);
      }
    }
  }

  /**
   * Closes each key between the start and the commit of a regular transaction that writes it: no
   * other commit of the key lies there.
   *
   * @return the known commits of each key
   */
  private Map<String, TreeSet<Long>> closeAroundKnown(History history) {
    Map<String, TreeSet<Long>> commits = new HashMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      long commit = transaction.commitTimestamp();
      if (commit == 0 || transaction.outcome() == Outcome.FAILED) {
        continue;
      }
      for (String key : WriterIndex.writtenKeys(transaction)) {
        commits.computeIfAbsent(key, k -> new TreeSet<>()).add(commit);
        if (!transaction.fastPath() && transaction.startTimestamp() != 0) {
          close(key, transaction.startTimestamp(), commit);
        }
      }
    }
    return commits;
  }

  private void close(String key, long from, long end) {
    if (from < end) {
      closed.computeIfAbsent(key, k -> new ArrayList<>()).add(new Gaps.Range(from, end));
    }
  }

  /** Adds the bounds of a list: the writers that its reader sees and misses, and their order. */
  private void boundByLists(String key, List<Observation> observations) {
    for (Observation observation : observations) {
      List<HistoryTransaction> seen = new ArrayList<>();
      Set<Integer> numbers = new HashSet<>();
      for (long element : observation.elements()) {
        writers
            .writer(key, element)
            .filter(writer -> numbers.add(writer.number()))
            .ifPresent(seen::add);
      }
      for (int i = 1; i < seen.size(); i++) {
        order(seen.get(i - 1), seen.get(i));
      }
      boolean isSnapshot = observation.snapshot() != Observation.NO_SNAPSHOT;
      for (OpenCommit each : openByKey.getOrDefault(key, List.of())) {
        if (!numbers.contains(each.transaction().number())) {
          each.behind(horizon(observation));
          if (!isSnapshot) {
            behindShown(each, observation.reader());
          }
          if (!seen.isEmpty()) {
            order(seen.get(seen.size() - 1), each.transaction());
          }
        } else if (isSnapshot) {
          each.below(observation.snapshot());
        }
      }
    }
  }

  /** Returns the timestamp up to which the reader would have seen every commit. */
  private long horizon(Observation observation) {
    HistoryTransaction reader = observation.reader();
    return observation.isWithoutSnapshot()
        ? Math.max(sessions.mark(reader), told(reader).mark())
        : observation.standsUntil();
  }

  private KnownCommits told(HistoryTransaction reader) {
    return Objects.requireNonNull(told.get(reader.number()));
  }

  /** Places a missed commit behind all commits shown to the reader, or earlier to its process. */
  private void behindShown(OpenCommit missed, HistoryTransaction reader) {
    told(reader).open().forEach(writer -> behindShown(missed, writer.number()));
    sessions
        .before(reader)
        .ifPresent(known -> known.open().keySet().forEach(n -> behindShown(missed, n)));
  }

  private void behindShown(OpenCommit missed, int writer) {
    OpenCommit shown = open.get(writer);
    if (shown != null && shown != missed) {
      missed.after().add(shown);
    }
  }

  private void order(HistoryTransaction first, HistoryTransaction second) {
    OpenCommit one = open.get(first.number());
    OpenCommit other = open.get(second.number());
    if (one != null && other != null) {
      other.after().add(one);
    } else if (one != null && second.commitTimestamp() != 0) {
      one.below(second.commitTimestamp());
    } else if (other != null) {
      other.behind(first.commitTimestamp());
    }
  }

  /** A register shows the newest version: between that and its reader there is no other one. */
  private void boundByValues(String key, List<Observation> observations, TreeSet<Long> commits) {
    Map<OpenCommit, Long> ends = new HashMap<>();
    for (Observation observation : observations) {
      long horizon = horizon(observation);
      Optional<HistoryTransaction> writer =
          observation.isEmpty() ? Optional.empty() : writers.writer(key, observation.newest());
      Optional<OpenCommit> seen = writer.map(known -> open.get(known.number()));
      if (seen.isEmpty()) {
        close(key, writer.map(HistoryTransaction::commitTimestamp).orElse(0L), horizon);
        continue;
      }
      boolean isSnapshot = observation.snapshot() != Observation.NO_SNAPSHOT;
      if (isSnapshot) {
        seen.get().below(observation.snapshot());
      }
      Long known = isSnapshot ? commits.lower(observation.snapshot()) : commits.floor(horizon);
      if (known != null) {
        seen.get().behind(known);
      }
      ends.merge(seen.get(), horizon, Math::max);
    }
    ends.forEach((version, end) -> spans.add(new Span(key, version, end)));
  }

  /**
   * Bounds by real time: a transaction begins behind every commit that an ended client knew; and
   * versions shown by a plain read lie below all snapshots that were taken later.
   */
  private void boundByRealTime(History history) {
    long slack = 2 * history.header().clockSlackNanos();
    List<KnownCommits> ended = new ArrayList<>(told.values());
    ended.sort(Comparator.comparingLong(each -> each.client().completeNanos()));
    List<OpenCommit> regular = new ArrayList<>(open.values());
    // The fast path follows its own process only, and that is not known to have continued.
    regular.removeIf(each -> each.transaction().fastPath());
    regular.sort(Comparator.comparingLong(each -> each.transaction().freshNanos()));
    long newest = 0;
    int next = 0;
    for (OpenCommit each : regular) {
      while (next < ended.size()
          && ended.get(next).client().completeNanos() + slack < each.transaction().freshNanos()) {
        newest = Math.max(newest, ended.get(next++).mark());
      }
      each.behind(newest);
    }
    NavigableMap<Long, Long> lowestLater = lowestLater(history);
    for (KnownCommits each : ended) {
      Map.Entry<Long, Long> later = lowestLater.higherEntry(each.client().completeNanos() + slack);
      if (later != null) {
        each.open().forEach(shown -> openOf(shown).ifPresent(it -> it.below(later.getValue())));
      }
    }
  }

  private Optional<OpenCommit> openOf(HistoryTransaction transaction) {
    return Optional.ofNullable(open.get(transaction.number()));
  }

  /** By begin: the lowest snapshot of a transaction that began then or later. */
  private static NavigableMap<Long, Long> lowestLater(History history) {
    NavigableMap<Long, Long> lowest = new TreeMap<>();
    for (HistoryTransaction transaction : history.transactions()) {
      long start = transaction.startTimestamp();
      if (transaction.outcome() == Outcome.OK && !transaction.fastPath() && start != 0) {
        lowest.merge(transaction.freshNanos(), start, Math::min);
      }
    }
    long least = Long.MAX_VALUE;
    for (Map.Entry<Long, Long> each : lowest.descendingMap().entrySet()) {
      least = Math.min(least, each.getValue());
      each.setValue(least);
    }
    return lowest;
  }

  /** Returns the places of the commits that were seen, by transaction number. */
  Map<Integer, Moment> find() {
    Places places = Places.lowest(open.values());
    if (open.isEmpty() || !places.areAllowed()) {
      return places.byNumber();
    }
    return search(places).orElse(places).byNumber();
  }

  /** Empty if there are no places, or too many have been tried. */
  private Optional<Places> search(Places places) {
    Optional<Conflict> conflict = conflict(places);
    if (conflict.isEmpty()) {
      return Optional.of(places);
    }
    OpenCommit seen = conflict.get().span().version();
    OpenCommit intruder = conflict.get().intruder();
    if (seen.after().add(intruder)) {
      Optional<Places> found = tried();
      if (found.isPresent()) {
        return found;
      }
      seen.after().remove(intruder);
    }
    long lowest = intruder.lowest();
    intruder.behind(conflict.get().span().end());
    Optional<Places> found = tried();
    if (found.isEmpty()) {
      intruder.resetLowest(lowest);
    }
    return found;
  }

  private Optional<Places> tried() {
    if (++trials > MAX_TRIALS) {
      return Optional.empty();
    }
    Places places = Places.lowest(open.values());
    return places.areAllowed() ? search(places) : Optional.empty();
  }

  /** Returns the conflict that ends first, so that the last choice is the most relevant to it. */
  private Optional<Conflict> conflict(Places places) {
    Conflict first = null;
    for (Span span : spans) {
      Moment version = places.of(span.version());
      for (OpenCommit other : openByKey.getOrDefault(span.key(), List.of())) {
        Moment moment = places.of(other);
        if (moment.compareTo(version) > 0
            && moment.isBelow(span.end())
            && (first == null || span.end() < first.span().end())) {
          first = new Conflict(span, other);
        }
      }
    }
    return Optional.ofNullable(first);
  }

  /** Returns true if a transaction may have committed, at an unknown timestamp. */
  static boolean isOpen(HistoryTransaction transaction) {
    return transaction.outcome() == Outcome.UNKNOWN && transaction.commitTimestamp() == 0;
  }
}
