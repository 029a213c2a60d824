package io.lampone.tm.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What clients of a cluster have been told, and what must hold of it. Thread-safe. */
public final class ClusterHistory {

  private final String description;

  private final Set<Long> timestamps = new HashSet<>();
  private final Map<Long, Validation> decisions = new HashMap<>();
  private final Map<Long, TreeMap<Long, Long>> commitsByHash = new HashMap<>();
  private final Map<Long, Long> skippedBy = new HashMap<>();
  private long highest;

  public ClusterHistory(String description) {
    this.description = description;
  }

  /** The highest timestamp that anybody has been told. */
  public synchronized long highest() {
    return highest;
  }

  /** Counts answers, so that a simulation can show that it was not idle. */
  public synchronized int answers() {
    return timestamps.size();
  }

  /** No timestamp twice, and none from before the question where clocks keep their promises. */
  public synchronized void told(long timestamp, long highestWhenAsked) {
    assertThat(timestamps.add(timestamp))
        .as("issued once: timestamp=%d %s", timestamp, description)
        .isTrue();
    assertThat(timestamp).as("in real-time order: %s", description).isGreaterThan(highestWhenAsked);
    highest = Math.max(highest, timestamp);
  }

  /** Whether a decision was given to somebody before. */
  public synchronized boolean isDecided(long startTimestamp) {
    return decisions.containsKey(startTimestamp);
  }

  /**
   * A reader with this snapshot has been told that no commit has been requested, and skips the
   * intents: then the commit timestamp must end up above its snapshot (M14).
   */
  public synchronized void notRequested(long startTimestamp, long snapshot) {
    assertThat(decisions).as("M13: %s", description).doesNotContainKey(startTimestamp);
    skippedBy.merge(startTimestamp, snapshot, Math::max);
  }

  /** One decision for ever (M4), and none below the floor of the epoch that made it. */
  public synchronized void decided(
      Validator.Request request, Validation validation, long floor, long highestWhenAsked) {
    if (validation instanceof Validation.Refused) {
      return;
    }
    long start = request.startTimestamp();
    Validation before = decisions.putIfAbsent(start, validation);
    if (before != null) {
      assertThat(validation).as("decided once: start=%d %s", start, description).isEqualTo(before);
      return;
    }
    assertThat(start).as("not below the floor: %s", description).isGreaterThanOrEqualTo(floor);
    if (validation instanceof Validation.Passed passed) {
      // The answer to an earlier sending may have been lost: the decision is older than the
      // question.
      told(passed.commitTimestamp(), request.firstSending() ? highestWhenAsked : start);
      firstCommitterWins(request, passed.commitTimestamp());
      assertThat(passed.commitTimestamp())
          .as("above the snapshots of those who skipped it: start=%d %s", start, description)
          .isGreaterThan(skippedBy.getOrDefault(start, 0L));
    }
  }

  private void firstCommitterWins(Validator.Request request, long commitTimestamp) {
    for (long hash : request.check()) {
      TreeMap<Long, Long> commits = commitsByHash.computeIfAbsent(hash, h -> new TreeMap<>());
      Long previous = commits.lowerKey(commitTimestamp);
      if (previous != null) {
        assertThat(previous)
            .as("first committer wins: hash=%d %s", hash, description)
            .isLessThan(request.startTimestamp());
      }
      Map.Entry<Long, Long> next = commits.higherEntry(commitTimestamp);
      if (next != null) {
        assertThat(commitTimestamp)
            .as("first committer wins: hash=%d %s", hash, description)
            .isLessThan(next.getValue());
      }
      commits.put(commitTimestamp, request.startTimestamp());
    }
  }
}
