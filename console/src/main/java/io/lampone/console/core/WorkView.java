package io.lampone.console.core;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.protocol.tm.ClientWork;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Rates, causes of aborts and latencies from what clients and region servers report to the primary.
 * Memory is bounded by the manager's limits. Not thread-safe.
 */
final class WorkView {

  /** Outcomes that are commits. */
  private static final String COMMITTED = "committed.";

  /** Outcomes without a commit that the application has not asked for. */
  private static final List<String> ABORTS =
      List.of("conflict.", "aborted.", "refused.", "timeout", "unknown");

  private static final List<String> FAST = List.of("fast-read", "fast-write");
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double MEDIAN = 0.5;
  private static final double HIGH = 0.99;

  private RateWindow work = new RateWindow();
  private String process = "";
  private final Map<String, RateWindow> servers = new HashMap<>();

  /**
   * Writes what clients have reported, as far as the primary discloses it; returns the commits per
   * second.
   *
   * @param holder process of the primary, whose counts begin at zero
   */
  Optional<Double> describeWork(String holder, JsonNode reported, long nanos, ObjectNode root) {
    ObjectNode aborts = root.putObject("abortsByCause");
    ArrayNode latencies = root.putArray("latencies");
    root.putNull("fastPathPerSecond");
    if (!reported.isObject()) {
      return Optional.empty();
    }
    Map<String, Long> counts = new HashMap<>();
    reported
        .path("transactions")
        .fields()
        .forEachRemaining(each -> counts.put(each.getKey(), each.getValue().asLong()));
    reported
        .path("phases")
        .fields()
        .forEachRemaining(
            phase -> {
              for (int i = 0; i < phase.getValue().size(); i++) {
                counts.put(bucket(phase.getKey(), i), phase.getValue().get(i).asLong());
              }
            });
    if (!process.equals(holder)) {
      work = new RateWindow();
      process = holder;
    }
    work.add(nanos, counts);
    Optional<SortedMap<String, Long>> growth = work.growth();
    if (growth.isEmpty()) {
      return Optional.empty();
    }
    SortedMap<String, Long> grown = growth.get();
    double seconds = work.seconds();
    long committed = 0;
    for (Map.Entry<String, Long> each : grown.entrySet()) {
      String name = each.getKey();
      if (name.startsWith(COMMITTED)) {
        committed += each.getValue();
      } else if (ABORTS.stream().anyMatch(name::startsWith) && counts.getOrDefault(name, 0L) > 0) {
        aborts.put(name, OverviewCore.round(each.getValue() / seconds));
      }
    }
    long fast = 0;
    for (String phase : ClientWork.PHASES) {
      long calls = latency(phase, grown, seconds, latencies);
      fast += FAST.contains(phase) ? calls : 0;
    }
    root.put("fastPathPerSecond", OverviewCore.round(fast / seconds));
    return Optional.of(OverviewCore.round(committed / seconds));
  }

  private static String bucket(String phase, int index) {
    return "phase " + phase + " " + index;
  }

  /** Writes the latencies of a phase, if it has occurred; returns the number of its calls. */
  private static long latency(
      String phase, Map<String, Long> grown, double seconds, ArrayNode latencies) {
    long[] buckets = new long[ClientWork.BOUNDS + 1];
    long calls = 0;
    for (int i = 0; i <= ClientWork.BOUNDS; i++) {
      buckets[i] = grown.getOrDefault(bucket(phase, i), 0L);
      calls += buckets[i];
    }
    if (calls > 0) {
      latencies
          .addObject()
          .put("phase", phase)
          .put("perSecond", OverviewCore.round(calls / seconds))
          .put("medianMillis", quantile(buckets, calls, MEDIAN))
          .put("p99Millis", quantile(buckets, calls, HIGH));
    }
    return calls;
  }

  /** Returns the bound of the bucket with a quantile, which is too high by half at most. */
  private static double quantile(long[] buckets, long calls, double quantile) {
    long rank = Math.max(1, (long) Math.ceil(calls * quantile));
    int bucket = 0;
    for (long seen = buckets[0]; seen < rank; seen += buckets[bucket]) {
      bucket++;
    }
    // Of the last bucket only the lower bound is known.
    long bound = ClientWork.boundOf(Math.min(bucket, ClientWork.BOUNDS - 1));
    return OverviewCore.round(bound / NANOS_PER_MILLI);
  }

  /** Writes the state of the region servers; null if the primary does not disclose it. */
  void describeServers(JsonNode reported, long nanos, ObjectNode root) {
    if (!reported.isArray()) {
      root.putNull("regionServers");
      return;
    }
    ArrayNode nodes = root.putArray("regionServers");
    Map<String, RateWindow> present = new HashMap<>();
    for (JsonNode server : reported) {
      String name = server.path("server").asText();
      RateWindow window = servers.getOrDefault(name, new RateWindow());
      present.put(name, window);
      JsonNode values = server.path("values");
      window.add(nanos, counters(values));
      ObjectNode node = nodes.addObject().put("server", name);
      node.put("reportAgeSeconds", server.path("reportAgeMillis").asLong() / 1e3);
      for (String gauge :
          List.of("epoch", "openRegions", "unsettled", "rememberedRows", "fencedOperations")) {
        node.set(gauge, values.path(gauge).isNumber() ? values.get(gauge) : node.nullNode());
      }
      node.put("clockLagSeconds", OverviewCore.seconds(values.path("clockLagMillis")));
      node.put("safePointLagSeconds", OverviewCore.seconds(values.path("safePointLagMillis")));
      Optional<SortedMap<String, Long>> growth = window.growth();
      for (String counter : List.of("requests", "refusals", "waits", "births", "intentsMet")) {
        node.put(
            counter + "PerSecond",
            growth
                .map(each -> OverviewCore.round(each.getOrDefault(counter, 0L) / window.seconds()))
                .orElse(null));
      }
      ObjectNode refusals = node.putObject("refusalsByCode");
      growth.ifPresent(
          each ->
              each.tailMap("refusals.")
                  .forEach(
                      (code, count) -> {
                        if (code.startsWith("refusals.") && count > 0) {
                          refusals.put(
                              code.substring("refusals.".length()),
                              OverviewCore.round(count / window.seconds()));
                        }
                      }));
    }
    servers.clear();
    servers.putAll(present);
  }

  /** Returns the counters of a region server, with the sum of each family. */
  private static Map<String, Long> counters(JsonNode values) {
    Map<String, Long> counters = new HashMap<>();
    values
        .fields()
        .forEachRemaining(
            each -> {
              String name = each.getKey();
              int dot = name.indexOf('.');
              if (dot >= 0) {
                counters.put(name, each.getValue().asLong());
                counters.merge(name.substring(0, dot), each.getValue().asLong(), Long::sum);
              }
            });
    for (String name : List.of("waits", "births", "intentsMet")) {
      counters.put(name, values.path(name).asLong());
    }
    return counters;
  }
}
