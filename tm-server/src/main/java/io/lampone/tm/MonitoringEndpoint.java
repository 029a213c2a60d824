package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.jmx.JmxReporter;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.http.HttpEndpoint;
import io.lampone.tm.http.HttpPage;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.metrics.JvmGauges;
import io.lampone.tm.metrics.PrometheusText;
import io.lampone.tm.security.Security;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Monitoring of a process: JMX, and an HTTP port. Owned by the launcher of the process, which has
 * one even with several servers, as in tests.
 */
final class MonitoringEndpoint implements AutoCloseable {

  private static final String JMX_DOMAIN = "io.lampone.tm";

  private final JmxReporter jmx;
  private final Optional<HttpEndpoint> http;

  /**
   * Starts publishing the metrics and health of a server.
   *
   * @throws IOException if the port cannot be bound
   */
  MonitoringEndpoint(
      HttpSettings settings, Security security, MetricRegistry registry, NodeSnapshot watch)
      throws IOException {
    JvmGauges.register(registry);
    http =
        settings.port() == HttpSettings.OFF
            ? Optional.empty()
            : Optional.of(HttpEndpoint.open(settings, security, pages(registry, watch)));
    jmx = JmxReporter.forRegistry(registry).inDomain(JMX_DOMAIN).build();
    jmx.start();
  }

  /** Returns the HTTP port, if there is one. */
  Optional<Integer> port() {
    return http.map(HttpEndpoint::port);
  }

  @Override
  public void close() {
    jmx.close();
    http.ifPresent(HttpEndpoint::close);
  }

  private static Map<String, Supplier<HttpPage>> pages(
      MetricRegistry registry, NodeSnapshot watch) {
    PrometheusText prometheus = new PrometheusText();
    return Map.of(
        "/",
        () ->
            HttpPage.text(
                "Lampone transaction manager\n\n"
                    + "/metrics  for Prometheus\n"
                    + "/health   200 while the process responds, else 503\n"
                    + "/ready    200 while it is a primary with its lease, or a backup that could"
                    + " take over, else 503; 503 too while the record or, of a"
                    + " backup, the clock is not to be trusted\n"),
        "/metrics",
        () -> new HttpPage(200, PrometheusText.CONTENT_TYPE, prometheus.write(registry)),
        "/health",
        () -> HttpPage.json(watch.isAlive(), describe(watch, watch.isAlive())),
        "/ready",
        () -> HttpPage.json(watch.isReady(), describe(watch, watch.isReady())));
  }

  private static String describe(NodeSnapshot watch, boolean good) {
    NodeMetrics vitals = watch.vitals();
    return "{\"status\":\""
        + (good ? "up" : "down")
        + "\",\"role\":\""
        + vitals.role().name().toLowerCase(Locale.ROOT)
        + "\",\"epoch\":"
        + vitals.epoch()
        + ",\"leaseRemainingMillis\":"
        + Math.max(0, vitals.leaseRemainingNanos() / 1_000_000)
        + ",\"draining\":"
        + vitals.draining()
        + ",\"recordTrusted\":"
        + vitals.recordTrusted()
        + ",\"clockComplaint\":\""
        + vitals.clockComplaint()
        + "\""
        + ",\"storeSilentMillis\":"
        + vitals.storeSilentNanos() / 1_000_000
        + ",\"loopSilentMillis\":"
        + watch.age().toMillis()
        + "}\n";
  }
}
