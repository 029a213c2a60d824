package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.slow.TransactionMetrics.Event;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Metrics in JMX, and in Prometheus' text format. */
class MetricsBeanTest {

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
  private final StoreMetrics metrics = new StoreMetrics();

  @Test
  void countsAreAttributes_untilTheClientIsClosed() throws Exception {
    metrics.flushRequests.increment();
    metrics.transactions().count(Event.BEGIN);
    metrics.transactions().took(Phase.READ, 20_000);
    Set<ObjectName> before = names();
    MetricsBean first = register();
    MetricsBean second = register();
    Set<ObjectName> now = names();
    now.removeAll(before);
    assertThat(now).as("one for each client").hasSize(2);
    ObjectName name = now.iterator().next();
    ClientMXBean bean = JMX.newMXBeanProxy(server, name, ClientMXBean.class);
    assertThat(bean.getRequests()).containsEntry("flushRequests", 1L).containsEntry("gets", 0L);
    assertThat(bean.getTransactions()).containsOnly(Map.entry("begin", 1L));
    assertThat(bean.getReplies()).isEmpty();
    assertThat(bean.getLatencyNanos()).containsOnly(Map.entry("read", 20_000L));
    assertThat(bean.getLatencyBuckets().get("read"))
        .containsEntry(16_384L, 0L)
        .containsEntry(24_576L, 1L)
        .containsKey(Long.MAX_VALUE);
    first.close();
    second.close();
    assertThat(names()).isEqualTo(before);
  }

  @Test
  void prometheus_hasCumulativeBuckets() {
    metrics.transactions().count(Event.BEGIN_SESSION);
    metrics.transactions().took(Phase.FAST_WRITE, 20_000);
    metrics.transactions().took(Phase.FAST_WRITE, 30_000);
    String bucket = "lampone_client_phase_seconds_bucket{phase=\"fast-write\",le=";
    assertThat(metrics.snapshot(3, 0).prometheus().lines())
        .contains(
            "# TYPE lampone_client_post_commit_dropped_total counter",
            "lampone_client_post_commit_dropped_total 3",
            "lampone_client_transactions_total{event=\"begin-session\"} 1",
            "# TYPE lampone_client_phase_seconds histogram",
            bucket + "\"1.6384E-5\"} 0",
            bucket + "\"2.4576E-5\"} 1",
            bucket + "\"3.2768E-5\"} 2",
            bucket + "\"+Inf\"} 2",
            "lampone_client_phase_seconds_sum{phase=\"fast-write\"} 5.0E-5",
            "lampone_client_phase_seconds_count{phase=\"fast-write\"} 2")
        .doesNotHaveDuplicates();
  }

  private MetricsBean register() {
    return MetricsBean.register(() -> metrics.snapshot(0, 0));
  }

  private Set<ObjectName> names() throws Exception {
    return server.queryNames(new ObjectName("io.lampone:type=Client,*"), null);
  }
}
