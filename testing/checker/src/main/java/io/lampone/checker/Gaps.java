package io.lampone.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Timestamp ranges of the product in which no commit of a key can lie: between a known version and
 * the snapshot of a reader that saw it as the newest one, and between the start and the commit of a
 * known writer of the key.
 */
final class Gaps {

  /** Begins of closed ranges, each with its end; they do not overlap. */
  private final TreeMap<Long, Long> ends = new TreeMap<>();

  private Gaps() {}

  /** Puts ranges together that overlap. */
  static Gaps of(List<Range> closed) {
    List<Range> sorted = new ArrayList<>(closed);
    sorted.sort(Comparator.comparingLong(Range::from));
    Gaps gaps = new Gaps();
    Range open = null;
    for (Range next : sorted) {
      if (open != null && next.from() < open.end()) {
        open = new Range(open.from(), Math.max(open.end(), next.end()));
      } else {
        open = next;
      }
      gaps.ends.put(open.from(), open.end());
    }
    return gaps;
  }

  /** The first timestamp from {@code timestamp} on behind which a commit may lie. */
  long openFrom(long timestamp) {
    Map.Entry<Long, Long> below = ends.floorEntry(timestamp);
    return below == null ? timestamp : Math.max(timestamp, below.getValue());
  }

  /**
   * No commit lies behind a timestamp in this range.
   *
   * @param from the first
   * @param end the first one after it
   */
  record Range(long from, long end) {}
}
