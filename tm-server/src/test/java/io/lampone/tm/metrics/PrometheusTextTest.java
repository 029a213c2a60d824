package io.lampone.tm.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.ClientWork;
import io.lampone.protocol.tm.ServerReport;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What clients and region servers report, in Prometheus' format. */
final class PrometheusTextTest {

  private final MetricRegistry registry = new MetricRegistry();

  @Test
  void workOfClients_isACounterByEventAndAHistogramByPhase() {
    ClientWorkTotals totals = new ClientWorkTotals(registry);
    totals.add(ClientWork.event("conflict.write-write"), 3);
    totals.add(ClientWork.bucket("commit", 0), 2);
    totals.add(ClientWork.bucket("commit", ClientWork.BOUNDS), 1);
    totals.add(ClientWork.SIZE, 1);
    totals.add(ClientWork.EVENTS.size(), 1);
    assertThat(new PrometheusText().write(registry).lines())
        .contains(
            "# TYPE lampone_tm_clients_transactions_total counter",
            "lampone_tm_clients_transactions_total{event=\"conflict.write-write\"} 3",
            "lampone_tm_clients_transactions_total{event=\"refused.other\"} 0",
            "# TYPE lampone_tm_clients_phase_seconds histogram",
            "lampone_tm_clients_phase_seconds_bucket{phase=\"commit\",le=\"1.6384E-5\"} 2",
            "lampone_tm_clients_phase_seconds_bucket{phase=\"commit\",le=\"+Inf\"} 3",
            "lampone_tm_clients_phase_seconds_count{phase=\"commit\"} 3");
  }

  @Test
  void valuesOfRegionServers_haveTheServerAndTheKindAsLabels() {
    List<ServerReport> reports =
        List.of(
            new ServerReport("a:1", new TreeMap<>(Map.of("requests.Flush", 7L, "epoch", 2L))),
            new ServerReport("b:1", new TreeMap<>(Map.of("clockLagMillis", -3L, "epoch", 2L))));
    registry.gauge("servers", () -> (Gauge<?>) () -> new RegionServerValues(reports));
    assertThat(new PrometheusText().write(registry).lines())
        .filteredOn(line -> !line.startsWith("# HELP"))
        .containsExactly(
            "# TYPE lampone_region_server_clock_lag_millis untyped",
            "lampone_region_server_clock_lag_millis{server=\"b:1\"} -3",
            "# TYPE lampone_region_server_epoch untyped",
            "lampone_region_server_epoch{server=\"a:1\"} 2",
            "lampone_region_server_epoch{server=\"b:1\"} 2",
            "# TYPE lampone_region_server_requests untyped",
            "lampone_region_server_requests{server=\"a:1\",kind=\"Flush\"} 7");
  }
}
