package io.lampone.client;

import java.lang.reflect.RecordComponent;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Counts of a client's requests to the servers since it connected. A batch may go to several
 * servers: HBase sends it as one call per server.
 *
 * @param flushRequests requests that write intents, each for one region
 * @param flushBatches batches of these requests
 * @param leaderWrites compare-and-sets on leaders
 * @param leaderReads batches that read leaders
 * @param healRequests requests that write fates onto followers, and other post-commit requests,
 *     each for one region
 * @param gets single gets
 * @param multiGets batches of several gets
 * @param scannersOpened scanners
 * @param fastReads batches of fast-path reads, of one get or several
 * @param fastWrites requests for fast-path writes, each for one region, retries included
 * @param oneRegionCommits commits of regular transactions in one region, retries included
 * @param operationLookups look-ups of operations whose reply was lost
 * @param lineCalls single-row calls that were answered on the client's dedicated connections
 *     ({@code lampone.client.server.lines})
 * @param managerRequests requests to the transaction manager
 * @param postCommitDropped post-commit tasks left to readers because too many were in progress
 *     ({@code lampone.client.housekeeping.limit})
 * @param postCommitFailed post-commit tasks that failed and are left to readers
 * @param replies replies received from region servers, by kind of request and result: the state of
 *     the transaction in a row ({@code commit-leader.committed}; {@code
 *     commit-leader.aborted.unchanged} if the request changed nothing), the outcome of an operation
 *     ({@code fast-write.busy}) or the code of a refusal ({@code refused.below-floor})
 * @param transactions transactions by begin ({@code begin}; of these {@code begin-session} and
 *     {@code begin-latest}), LATEST ones by the local check ({@code local-check} passed, {@code
 *     local-check-failed}: a snapshot was taken), way of commit ({@code committed.one-region},
 *     {@code committed.by-intents}, {@code committed.without-writes}) and other outcomes ({@code
 *     conflict.write-write}, {@code aborted.by-others}, {@code rolled-back}, of these {@code
 *     timeout}, {@code unknown}), repetitions by {@code run} ({@code retry}), and scans ({@code
 *     scan})
 * @param latencies durations of the calls of each phase: {@code begin}, {@code read}, {@code
 *     early-flush}, {@code flush}, {@code validate}, {@code certify}, {@code leader}, {@code
 *     one-region}, {@code commit}, {@code resolve}, {@code operations}, {@code fast-read}, {@code
 *     fast-write}
 */
public record ClientMetrics(
    long flushRequests,
    long flushBatches,
    long leaderWrites,
    long leaderReads,
    long healRequests,
    long gets,
    long multiGets,
    long scannersOpened,
    long fastReads,
    long fastWrites,
    long oneRegionCommits,
    long operationLookups,
    long lineCalls,
    long managerRequests,
    long postCommitDropped,
    long postCommitFailed,
    SortedMap<String, Long> replies,
    SortedMap<String, Long> transactions,
    SortedMap<String, Latency> latencies) {

  private static final String PREFIX = "lampone_client_";
  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * Durations of one phase.
   *
   * @param buckets number of durations in each bucket, by its largest duration in nanoseconds; the
   *     bounds are the same for all clients and phases, and the last is {@link Long#MAX_VALUE}
   */
  public record Latency(long count, long sumNanos, SortedMap<Long, Long> buckets) {

    public Latency {
      buckets = Collections.unmodifiableSortedMap(new TreeMap<>(buckets));
    }
  }

  public ClientMetrics {
    replies = Collections.unmodifiableSortedMap(new TreeMap<>(replies));
    transactions = Collections.unmodifiableSortedMap(new TreeMap<>(transactions));
    latencies = Collections.unmodifiableSortedMap(new TreeMap<>(latencies));
  }

  /** Returns the counts of requests by the names of the components. */
  public SortedMap<String, Long> requests() {
    SortedMap<String, Long> requests = new TreeMap<>();
    for (RecordComponent component : ClientMetrics.class.getRecordComponents()) {
      if (component.getType() == long.class) {
        try {
          requests.put(component.getName(), (Long) component.getAccessor().invoke(this));
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException("component=" + component, e);
        }
      }
    }
    return requests;
  }

  /** Returns all of it in Prometheus' text format 0.0.4, for a page of the application. */
  public String prometheus() {
    StringBuilder text = new StringBuilder();
    requests()
        .forEach(
            (name, count) -> {
              String snake = name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
              counter(text, snake + "_total");
              text.append(PREFIX + snake + "_total " + count + "\n");
            });
    labelled(text, "transactions_total", "event", transactions);
    labelled(text, "replies_total", "reply", replies);
    String phase = PREFIX + "phase_seconds";
    text.append("# TYPE " + phase + " histogram\n");
    latencies.forEach(
        (name, latency) -> {
          String label = "{phase=\"" + name + "\"";
          long below = 0;
          for (Map.Entry<Long, Long> bucket : latency.buckets().entrySet()) {
            below += bucket.getValue();
            long bound = bucket.getKey();
            String le = bound == Long.MAX_VALUE ? "+Inf" : String.valueOf(seconds(bound));
            text.append(phase + "_bucket" + label + ",le=\"" + le + "\"} " + below + "\n");
          }
          text.append(phase + "_sum" + label + "} " + seconds(latency.sumNanos()) + "\n");
          text.append(phase + "_count" + label + "} " + latency.count() + "\n");
        });
    return text.toString();
  }

  private static void labelled(
      StringBuilder text, String family, String label, Map<String, Long> counts) {
    counter(text, family);
    counts.forEach(
        (name, count) ->
            text.append(PREFIX + family + "{" + label + "=\"" + name + "\"} " + count + "\n"));
  }

  private static void counter(StringBuilder text, String family) {
    text.append("# TYPE " + PREFIX + family + " counter\n");
  }

  private static double seconds(long nanos) {
    return nanos / NANOS_PER_SECOND;
  }
}
