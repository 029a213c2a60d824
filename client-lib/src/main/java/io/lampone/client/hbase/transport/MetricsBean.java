package io.lampone.client.hbase.transport;

import io.lampone.client.ClientMetrics;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Registration of a client's metrics in JMX: {@code io.lampone:type=Client,number=0} etc. */
public final class MetricsBean implements ClientMXBean, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsBean.class);

  /** Maximum number of clients of a JVM that are shown. */
  private static final int MOST = 256;

  private final Supplier<ClientMetrics> metrics;
  private Optional<ObjectName> name = Optional.empty();

  private MetricsBean(Supplier<ClientMetrics> metrics) {
    this.metrics = metrics;
  }

  /** Creates a bean and registers it; a failure is only logged. */
  public static MetricsBean register(Supplier<ClientMetrics> metrics) {
    MetricsBean bean = new MetricsBean(metrics);
    for (int i = 0; i < MOST && bean.name.isEmpty(); i++) {
      try {
        ObjectName wanted = new ObjectName("io.lampone:type=Client,number=" + i);
        ManagementFactory.getPlatformMBeanServer().registerMBean(bean, wanted);
        bean.name = Optional.of(wanted);
      } catch (InstanceAlreadyExistsException e) {
        LOG.trace("Another client has this number, number={}", i, e);
      } catch (JMException e) {
        LOG.warn("The client does not show in JMX", e);
        break;
      }
    }
    return bean;
  }

  @Override
  public void close() throws JMException {
    if (name.isPresent()) {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name.get());
    }
  }

  @Override
  public Map<String, Long> getRequests() {
    return metrics.get().requests();
  }

  @Override
  public Map<String, Long> getTransactions() {
    return metrics.get().transactions();
  }

  @Override
  public Map<String, Long> getReplies() {
    return metrics.get().replies();
  }

  @Override
  public Map<String, Long> getLatencyNanos() {
    return latencies(ClientMetrics.Latency::sumNanos);
  }

  @Override
  public Map<String, Map<Long, Long>> getLatencyBuckets() {
    return latencies(ClientMetrics.Latency::buckets);
  }

  private <T> Map<String, T> latencies(Function<ClientMetrics.Latency, T> part) {
    Map<String, T> parts = new TreeMap<>();
    metrics.get().latencies().forEach((phase, latency) -> parts.put(phase, part.apply(latency)));
    return parts;
  }
}
