package io.lampone.benchmarks.omid;

/**
 * Set-ups of Omid's timestamp oracle. Settings not listed have Omid's defaults.
 *
 * <p>All of them use the fastest storage of Omid: timestamps in memory, and a commit table that
 * stores nothing ({@code NullCommitTable}). A real commit table would add a write to HBase to each
 * commit, at the server or, with low latency, at the client.
 */
enum OmidSetup {
  /** Batches of 25, or of 10 ms, for each of two writers of the commit table. */
  DEFAULT("Omid default", 10, false, "LOW_CPU"),

  /** Batches of 1 ms. */
  ONE_MILLISECOND("Omid 1 ms", 1, false, "LOW_CPU"),

  /** The client writes the commit table, without batches at the server. */
  LOW_LATENCY("Omid lowLatency", 10, true, "LOW_CPU"),

  /** Low latency with threads that never sleep, which needs a core for each of them. */
  LOW_LATENCY_SPINNING("Omid lowLatency, spinning", 10, true, "HIGH_THROUGHPUT");

  private final String title;
  private final int batchTimeoutMillis;
  private final boolean lowLatency;
  private final String waitStrategy;

  OmidSetup(String title, int batchTimeoutMillis, boolean lowLatency, String waitStrategy) {
    this.title = title;
    this.batchTimeoutMillis = batchTimeoutMillis;
    this.lowLatency = lowLatency;
    this.waitStrategy = waitStrategy;
  }

  String title() {
    return title;
  }

  int batchTimeoutMillis() {
    return batchTimeoutMillis;
  }

  boolean lowLatency() {
    return lowLatency;
  }

  String waitStrategy() {
    return waitStrategy;
  }
}
