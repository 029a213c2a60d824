package io.lampone.tm.metrics;

import com.codahale.metrics.Counting;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.Metric;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Snapshot;
import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.ServerReport;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes a registry in Prometheus' text format, version 0.0.4. Meters become counters, histograms
 * summaries; a reason, tenant, event or phase at the end of a name becomes a label.
 */
public final class PrometheusText {

  /** The content type of the result of {@link #write}. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final String REGION_SERVER = "lampone_region_server_";
  private static final double[] QUANTILES = {0.5, 0.9, 0.99, 0.999, 1};
  private static final Pattern REASON = Pattern.compile("(.+\\.(?:refused|rejected))\\.([^.]+)");
  private static final Pattern EVENT = Pattern.compile("(.+\\.clients\\.transactions)\\.(.+)");
  private static final Pattern PHASE =
      Pattern.compile("(.+\\.clients\\.phase\\.seconds)\\.([^.]+)");
  private static final Pattern TENANT = Pattern.compile("(.+\\.tenants)\\.(.+)\\.(refused)");

  private final MetricHelp help = new MetricHelp();

  /** A sample's name and its labels. */
  private record Name(String family, String label) {}

  /** Returns the current content of the registry. */
  public String write(MetricRegistry registry) {
    // By family, because all samples of a family must be adjacent.
    Map<String, StringBuilder> families = new TreeMap<>();
    new TreeMap<>(registry.getMetrics()).forEach((name, metric) -> add(families, name, metric));
    StringBuilder text = new StringBuilder();
    families.values().forEach(text::append);
    return text.toString();
  }

  private void add(Map<String, StringBuilder> families, String metricName, Metric metric) {
    Name name = nameOf(metricName);
    if (metric instanceof ClientWorkTotals.Durations durations) {
      add(family(families, name.family(), "histogram"), name, durations);
    } else if (metric instanceof Gauge<?> gauge) {
      if (gauge.getValue() instanceof RegionServerValues servers) {
        servers.reports().forEach(report -> add(families, report));
      } else if (gauge.getValue() instanceof Number value) {
        family(families, name.family(), "gauge")
            .append(sample(name.family(), name.label(), String.valueOf(value)));
      }
    } else if (metric instanceof Histogram histogram) {
      StringBuilder text = family(families, name.family(), "summary");
      Snapshot snapshot = histogram.getSnapshot();
      for (double quantile : QUANTILES) {
        text.append(
            sample(
                name.family(),
                "quantile=\"" + quantile + "\"",
                String.valueOf(snapshot.getValue(quantile))));
      }
      text.append(
          sample(name.family() + "_count", name.label(), String.valueOf(histogram.getCount())));
    } else if (metric instanceof Counting counting) {
      String family = name.family() + "_total";
      family(families, family, "counter")
          .append(sample(family, name.label(), String.valueOf(counting.getCount())));
    }
  }

  private void add(Map<String, StringBuilder> families, ServerReport report) {
    report
        .values()
        .forEach(
            (name, value) -> {
              int dot = name.indexOf('.');
              String first = dot < 0 ? name : name.substring(0, dot);
              String snake = first.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
              String kind = dot < 0 ? "" : ",kind=\"" + name.substring(dot + 1) + "\"";
              family(families, REGION_SERVER + snake, "untyped")
                  .append(
                      sample(
                          REGION_SERVER + snake,
                          "server=\"" + report.server() + "\"" + kind,
                          String.valueOf(value)));
            });
  }

  private static void add(StringBuilder text, Name name, ClientWorkTotals.Durations durations) {
    long below = 0;
    for (int i = 0; i <= ClientWork.BOUNDS; i++) {
      below += durations.bucket(i);
      String bound = i == ClientWork.BOUNDS ? "+Inf" : String.valueOf(ClientWork.boundOf(i) / 1e9);
      String label = name.label() + ",le=\"" + bound + "\"";
      text.append(sample(name.family() + "_bucket", label, String.valueOf(below)));
    }
    text.append(sample(name.family() + "_count", name.label(), String.valueOf(below)));
  }

  private StringBuilder family(Map<String, StringBuilder> families, String family, String type) {
    return families.computeIfAbsent(
        family,
        added ->
            new StringBuilder(
                help.of(added).map(text -> "# HELP " + added + " " + text + "\n").orElse("")
                    + "# TYPE "
                    + added
                    + " "
                    + type
                    + "\n"));
  }

  private static String sample(String name, String label, String value) {
    return name + (label.isEmpty() ? "" : "{" + label + "}") + " " + value + "\n";
  }

  private static Name nameOf(String name) {
    Matcher event = EVENT.matcher(name);
    if (event.matches()) {
      return new Name(family(event.group(1)), "event=\"" + event.group(2) + "\"");
    }
    Matcher phase = PHASE.matcher(name);
    if (phase.matches()) {
      return new Name(family(phase.group(1)), "phase=\"" + phase.group(2) + "\"");
    }
    Matcher tenant = TENANT.matcher(name);
    if (tenant.matches()) {
      return new Name(
          family(tenant.group(1) + "." + tenant.group(3)),
          "tenant=\"" + escaped(tenant.group(2)) + "\"");
    }
    Matcher reason = REASON.matcher(name);
    if (reason.matches()) {
      return new Name(family(reason.group(1)), "reason=\"" + escaped(reason.group(2)) + "\"");
    }
    return new Name(family(name), "");
  }

  private static String family(String name) {
    return name.replaceAll("[^A-Za-z0-9_]", "_");
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
