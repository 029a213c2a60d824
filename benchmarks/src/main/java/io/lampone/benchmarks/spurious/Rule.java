package io.lampone.benchmarks.spurious;

/** Rule by which the validators of the model find conflicts. */
public sealed interface Rule {

  /** Returns the rule as text. */
  String text();

  /**
   * Centiman without watermarks: each read is checked from the version that it has seen, and writes
   * are forgotten after some time.
   */
  record Truncation(int seconds) implements Rule {
    @Override
    public String text() {
      return "B" + seconds;
    }
  }

  /** Centiman: the same from the watermark on, which each processor updates by its completions. */
  record Watermark(int transactions) implements Rule {
    @Override
    public String text() {
      return "W" + transactions;
    }
  }

  /** Lampone: reads and writes are checked from the snapshot on. */
  record Snapshot() implements Rule {
    @Override
    public String text() {
      return "snapshot";
    }
  }
}
