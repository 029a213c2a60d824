package io.lampone.benchmarks.scale;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Parameter that is varied while all others are fixed. */
public enum Sweep {
  THREADS("threads of the client", List.of(1, 2, 4, 8, 16)),
  ROWS("rows of the table", List.of(10_000, 100_000, 1_000_000)),
  WRITES("rows that a transaction writes", List.of(1, 10, 100, 1_000, 10_000)),
  SERVERS("region servers that hold the table", List.of(1, 2, 3, 4)),
  MANAGER("load of the transaction manager, % of its capacity", List.of(0, 25, 50, 75, 90));

  private final String title;
  private final List<Integer> steps;

  Sweep(String title, List<Integer> steps) {
    this.title = title;
    this.steps = steps;
  }

  /** Returns the key for command lines and programs. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the title for tables and pictures. */
  String title() {
    return title;
  }

  /** Returns its default steps, in rising order. */
  public List<Integer> steps() {
    return steps;
  }

  /** Returns true if its picture shows throughput, and not latency. */
  boolean showsThroughput() {
    return this == THREADS || this == SERVERS;
  }

  /** Returns the sweep with this key, or empty. */
  public static Optional<Sweep> of(String key) {
    return Arrays.stream(values()).filter(one -> one.key().equals(key)).findFirst();
  }
}
