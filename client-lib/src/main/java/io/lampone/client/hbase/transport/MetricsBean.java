package io.lampone.client.hbase.transport;

import io.lampone.client.ClientMetrics;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of one client in JMX: {@code io.lampone:type=Client,number=0} and so on. Its attributes
 * are the counts so far: {@code flushRequests}, {@code transactions.begin}, {@code
 * replies.heal.committed}, {@code latencies.read.count}, {@code .sumNanos}, and {@code .buckets}
 * for the bounds {@code latencies.boundsNanos}.
 */
public final class MetricsBean implements DynamicMBean, AutoCloseable {

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
    try {
      for (int i = 0; i < MOST && bean.name.isEmpty(); i++) {
        bean.name = register(bean, new ObjectName("io.lampone:type=Client,number=" + i));
      }
    } catch (JMException e) {
      LOG.warn("The client does not show in JMX", e);
    }
    return bean;
  }

  private static Optional<ObjectName> register(MetricsBean bean, ObjectName wanted)
      throws JMException {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(bean, wanted);
      return Optional.of(wanted);
    } catch (InstanceAlreadyExistsException e) {
      LOG.trace("Another client has this name, name={}", wanted, e);
      return Optional.empty();
    }
  }

  @Override
  public void close() throws JMException {
    if (name.isPresent()) {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name.get());
    }
  }

  private SortedMap<String, Object> values() {
    ClientMetrics now = metrics.get();
    SortedMap<String, Object> values = new TreeMap<>(now.requests());
    now.transactions().forEach((key, count) -> values.put("transactions." + key, count));
    now.replies().forEach((key, count) -> values.put("replies." + key, count));
    now.latencies()
        .forEach(
            (key, latency) -> {
              String prefix = "latencies." + key;
              values.put(prefix + ".count", latency.count());
              values.put(prefix + ".sumNanos", latency.sumNanos());
              values.put(prefix + ".buckets", latency.buckets().values().toArray(Long[]::new));
              values.put("latencies.boundsNanos", latency.buckets().keySet().toArray(Long[]::new));
            });
    return values;
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Object value = values().get(attribute);
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value;
  }

  @Override
  public AttributeList getAttributes(String[] attributes) {
    SortedMap<String, Object> values = values();
    AttributeList list = new AttributeList();
    for (String attribute : attributes) {
      if (values.containsKey(attribute)) {
        list.add(new Attribute(attribute, values.get(attribute)));
      }
    }
    return list;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        values().entrySet().stream()
            .map(
                each ->
                    new MBeanAttributeInfo(
                        each.getKey(),
                        each.getValue().getClass().getName(),
                        "see ClientMetrics",
                        true,
                        false,
                        false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        MetricsBean.class.getName(), "counts of a Lampone client", attributes, null, null, null);
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException("read only, name=" + attribute.getName());
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] arguments, String[] types) {
    throw new UnsupportedOperationException("no operations, action=" + action);
  }
}
