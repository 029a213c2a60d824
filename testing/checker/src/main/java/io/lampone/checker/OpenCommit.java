package io.lampone.checker;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Bounds of the commit of a transaction whose outcome is unknown and that was seen. */
final class OpenCommit {

  private final HistoryTransaction transaction;

  /** Open commits that lie before this one, certainly or in the current trial. */
  private final Set<OpenCommit> after = new HashSet<>();

  private final List<Gaps> gaps = new ArrayList<>();

  /** The commit lies behind this timestamp of the product. */
  private long lowest;

  /** The commit lies before this one. */
  private long limit = Long.MAX_VALUE;

  OpenCommit(HistoryTransaction transaction) {
    this.transaction = transaction;
  }

  HistoryTransaction transaction() {
    return transaction;
  }

  Set<OpenCommit> after() {
    return after;
  }

  long lowest() {
    return lowest;
  }

  void behind(long timestamp) {
    lowest = Math.max(lowest, timestamp);
  }

  /** Reverts a trial. */
  void resetLowest(long timestamp) {
    lowest = timestamp;
  }

  void below(long timestamp) {
    limit = Math.min(limit, timestamp);
  }

  boolean isBelowLimit(long timestamp) {
    return timestamp < limit;
  }

  /** Adds the gaps of a key that the transaction writes. */
  void keepOutOf(Gaps ofKey) {
    gaps.add(ofKey);
  }

  /** The first timestamp from {@code timestamp} on behind which it may lie, by all its keys. */
  long openFrom(long timestamp) {
    long found = timestamp;
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Gaps each : gaps) {
        long next = each.openFrom(found);
        moved |= next != found;
        found = next;
      }
    }
    return found;
  }
}
