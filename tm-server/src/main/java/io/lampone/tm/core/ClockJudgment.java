package io.lampone.tm.core;

import java.util.List;

/**
 * Verdict of other clocks on this node's. The median of them decides; of an even number, the one of
 * the two in the middle that is nearer to this node's, which has a vote, too. So a single witness
 * decides, and of three clocks the two that agree.
 *
 * @param finding the verdict
 * @param aheadMillis how far this node's clock is ahead of the median; below zero if it is behind
 * @param witnesses the number of clocks compared
 */
public record ClockJudgment(Finding finding, long aheadMillis, int witnesses) {

  /** More clocks are not asked. */
  public static final int MAX_WITNESSES = 64;

  /** Verdict before the first comparison. */
  static final ClockJudgment UNKNOWN = new ClockJudgment(Finding.UNKNOWN, 0, 0);

  /** Possible verdicts. */
  public enum Finding {
    /** There is no other clock. */
    UNKNOWN,
    /** Within the limit. */
    RIGHT,
    /** Ahead by more than the limit. */
    AHEAD,
    /** Behind by more than the limit. */
    BEHIND
  }

  /**
   * Judges.
   *
   * @param aheadMillis how far one's own clock is ahead of each of the others
   * @param limitMillis what is within this is right
   */
  static ClockJudgment of(List<Long> aheadMillis, long limitMillis) {
    if (aheadMillis.isEmpty()) {
      return UNKNOWN;
    }
    List<Long> sorted = aheadMillis.stream().sorted().toList();
    long lower = sorted.get((sorted.size() - 1) / 2);
    long upper = sorted.get(sorted.size() / 2);
    // 0 lies between them: then each side has as many, and one's own is the median.
    long median = lower > 0 ? lower : Math.min(upper, 0);
    Finding finding =
        median > limitMillis
            ? Finding.AHEAD
            : median < -limitMillis ? Finding.BEHIND : Finding.RIGHT;
    return new ClockJudgment(finding, median, sorted.size());
  }
}
