package io.lampone.faultlab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A run, second by second.
 *
 * @param seconds one for each second, from the start to the end
 */
record RunTimeline(List<Second> seconds) {

  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final double HALF = 0.5;
  private static final double NEARLY_ALL = 0.99;
  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * One second.
   *
   * @param ok transactions acknowledged in it
   * @param p50Millis median of their durations
   * @param p99Millis likewise
   * @param others without effect or unknown, by cause
   */
  record Second(int ok, double p50Millis, double p99Millis, Map<String, Integer> others) {}

  /** Counts. */
  static RunTimeline of(List<TransactionEnd> endings, long startNanos, long endNanos) {
    int length = (int) Math.max(1, (endNanos - startNanos + SECOND_NANOS - 1) / SECOND_NANOS);
    List<List<Long>> took = new ArrayList<>();
    List<Map<String, Integer>> others = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      took.add(new ArrayList<>());
      others.add(new TreeMap<>());
    }
    for (TransactionEnd ending : endings) {
      long second = Math.floorDiv(ending.endedNanos() - startNanos, SECOND_NANOS);
      if (second < 0 || second >= length) {
        continue;
      }
      if (ending.type().equals(TransactionEnd.OK)) {
        took.get((int) second).add(ending.endedNanos() - ending.beganNanos());
      } else {
        others.get((int) second).merge(cause(ending), 1, Integer::sum);
      }
    }
    List<Second> seconds = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      List<Long> nanos = took.get(i);
      seconds.add(
          new Second(
              nanos.size(),
              Recovery.percentile(nanos, HALF) / NANOS_PER_MILLI,
              Recovery.percentile(nanos, NEARLY_ALL) / NANOS_PER_MILLI,
              others.get(i)));
    }
    return new RunTimeline(seconds);
  }

  /** Returns the description of an unsuccessful end. */
  static String cause(TransactionEnd ending) {
    return ending.type().equals(TransactionEnd.UNKNOWN)
        ? "unknown: " + ending.cause()
        : ending.cause();
  }

  /** All causes, the most frequent first. */
  List<String> causes() {
    Map<String, Integer> sums = new TreeMap<>();
    seconds.forEach(
        second ->
            second.others().forEach((cause, count) -> sums.merge(cause, count, Integer::sum)));
    return sums.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }
}
