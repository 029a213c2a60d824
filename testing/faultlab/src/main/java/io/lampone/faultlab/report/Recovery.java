package io.lampone.faultlab.report;

import io.lampone.faultlab.fault.InjectedFault;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Time that clients needed to recover after a fault: from its injection to the end of the last
 * second in which they got less than half of their previous throughput, if there was such a second
 * before the next fault of the same track; else 0.
 *
 * @param fault the fault
 * @param millis how long; 0 if throughput never fell so far
 */
public record Recovery(InjectedFault fault, long millis) {

  /** Throughput is counted in steps of this. */
  static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Steps in the window, which is one second. */
  private static final int STEPS_OF_WINDOW = 5;

  /** Number of windows whose median is the throughput before the fault. */
  private static final int WINDOWS_BEFORE = 20;

  /** Longest time that is searched. */
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** Of all faults that were done. */
  public static List<Recovery> of(
      List<InjectedFault> faults, List<TransactionEnd> endings, long endNanos) {
    TreeMap<Long, Integer> steps = new TreeMap<>();
    for (TransactionEnd ending : endings) {
      if (ending.type().equals(TransactionEnd.OK)) {
        steps.merge(ending.endedNanos() / STEP_NANOS, 1, Integer::sum);
      }
    }
    List<Recovery> all = new ArrayList<>();
    for (InjectedFault fault : faults) {
      if (fault.isDone()) {
        long limit = Math.min(endNanos, fault.injectedNanos() + LONGEST_NANOS);
        for (InjectedFault other : faults) {
          if (other.kind().track() == fault.kind().track()
              && other.injectedNanos() > fault.injectedNanos()) {
            limit = Math.min(limit, other.injectedNanos());
          }
        }
        all.add(new Recovery(fault, millis(steps, fault.injectedNanos(), limit)));
      }
    }
    return all;
  }

  private static long millis(TreeMap<Long, Integer> steps, long injected, long limit) {
    long first = injected / STEP_NANOS;
    List<Integer> before = new ArrayList<>();
    for (int i = 1; i <= WINDOWS_BEFORE; i++) {
      before.add(window(steps, first - i));
    }
    before.sort(Integer::compare);
    int half = before.get(before.size() / 2) / 2;
    long lastLow = -1;
    for (long end = first + 1; end * STEP_NANOS < limit; end++) {
      if (window(steps, end) < half) {
        lastLow = end;
      }
    }
    if (lastLow < 0) {
      return 0;
    }
    return TimeUnit.NANOSECONDS.toMillis((lastLow + 1) * STEP_NANOS - injected);
  }

  /** Acknowledged in the window that ends with this step. */
  private static int window(TreeMap<Long, Integer> steps, long last) {
    return steps.subMap(last - STEPS_OF_WINDOW + 1, true, last, true).values().stream()
        .mapToInt(Integer::intValue)
        .sum();
  }

  /** The smallest of the values that is not below {@code part} of them; 0 of none. */
  public static long percentile(List<Long> values, double part) {
    if (values.isEmpty()) {
      return 0;
    }
    List<Long> sorted = values.stream().sorted().toList();
    int rank = (int) Math.ceil(part * sorted.size());
    return sorted.get(Math.max(1, rank) - 1);
  }
}
