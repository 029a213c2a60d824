package io.lampone.faultlab.work.client;

import io.lampone.faultlab.work.WorkloadKind;
import java.util.EnumMap;
import java.util.Map;

/**
 * Status that a client reports every second.
 *
 * @param okOfEach acknowledged since its start, by workload; those without any may be missing
 * @param failed certainly without effect
 * @param unknown outcome unknown
 * @param p50Micros of those acknowledged in the last second
 * @param p99Micros likewise
 * @param lostThreads ended without being asked to
 */
public record ClientStatus(
    Map<WorkloadKind, Long> okOfEach,
    long failed,
    long unknown,
    long p50Micros,
    long p99Micros,
    long lostThreads) {

  private static final int NUMBERS = 5;

  /** Status of a client that has not reported yet. */
  public static final ClientStatus NONE = new ClientStatus(Map.of(), 0, 0, 0, 0, 0);

  public ClientStatus {
    okOfEach = Map.copyOf(okOfEach);
  }

  /** Acknowledged since its start. */
  public long ok() {
    return okOfEach.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The same of one workload. */
  public long ok(WorkloadKind kind) {
    return okOfEach.getOrDefault(kind, 0L);
  }

  /** Counts of both; the percentiles of this one. */
  public ClientStatus plus(ClientStatus other) {
    Map<WorkloadKind, Long> sum = new EnumMap<>(WorkloadKind.class);
    sum.putAll(okOfEach);
    other.okOfEach.forEach((kind, count) -> sum.merge(kind, count, Long::sum));
    return new ClientStatus(
        sum,
        failed + other.failed,
        unknown + other.unknown,
        p50Micros,
        p99Micros,
        lostThreads + other.lostThreads);
  }

  /** The same with other percentiles. */
  public ClientStatus with(long p50, long p99) {
    return new ClientStatus(okOfEach, failed, unknown, p50, p99, lostThreads);
  }

  /** Text that {@link #parse} reads. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(failed).append(' ').append(unknown);
    text.append(' ').append(p50Micros).append(' ').append(p99Micros);
    text.append(' ').append(lostThreads);
    okOfEach.forEach(
        (kind, count) -> text.append(' ').append(kind.label()).append('=').append(count));
    return text.toString();
  }

  /** Reads the format of {@link #toString}. */
  public static ClientStatus parse(String text) {
    String[] parts = text.strip().split(" ", -1);
    if (parts.length < NUMBERS) {
      throw new IllegalArgumentException("not the status of a client, text='" + text + "'");
    }
    long[] numbers = new long[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = Long.parseLong(parts[i]);
    }
    Map<WorkloadKind, Long> each = new EnumMap<>(WorkloadKind.class);
    for (int i = NUMBERS; i < parts.length; i++) {
      int equals = parts[i].indexOf('=');
      each.put(
          WorkloadKind.of(parts[i].substring(0, equals)).orElseThrow(),
          Long.parseLong(parts[i].substring(equals + 1)));
    }
    return new ClientStatus(each, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
  }
}
