package io.lampone.tm.core;

import java.util.List;

/**
 * Verdict of other clocks on this node's clock. Their median decides; of an even number, the one of
 * the two middle clocks that is nearer to this node's, which has a vote too. So a single witness
 * decides, and among three clocks the two that agree.
 *
 * @param finding the verdict
 * @param aheadMillis lead of this node's clock over the median; negative if it is behind
 * @param witnesses the number of clocks compared
 */
public record ClockJudgment(Finding finding, long aheadMillis, int witnesses) {

  /** Maximum number of clocks to compare. */
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
   * Compares clocks.
   *
   * @param aheadMillis lead of the own clock over each of the others
   * @param limitMillis maximum deviation of a correct clock
   */
  static ClockJudgment of(List<Long> aheadMillis, long limitMillis) {
    if (aheadMillis.isEmpty()) {
      return UNKNOWN;
    }
    List<Long> sorted = aheadMillis.stream().sorted().toList();
    long lower = sorted.get((sorted.size() - 1) / 2);
    long upper = sorted.get(sorted.size() / 2);
    // 0 between them: the own clock is the median.
    long median = lower > 0 ? lower : Math.min(upper, 0);
    Finding finding =
        median > limitMillis
            ? Finding.AHEAD
            : median < -limitMillis ? Finding.BEHIND : Finding.RIGHT;
    return new ClockJudgment(finding, median, sorted.size());
  }
}
