package io.lampone.client.hbase.transport;

import java.util.Map;

/** Metrics of one client in JMX; see {@link io.lampone.client.ClientMetrics}. */
public interface ClientMXBean {

  Map<String, Long> getRequests();

  Map<String, Long> getTransactions();

  Map<String, Long> getReplies();

  /** Returns the sums of the durations by phase. */
  Map<String, Long> getLatencyNanos();

  /** Returns the numbers of durations by phase and largest duration of the bucket. */
  Map<String, Map<Long, Long>> getLatencyBuckets();
}
