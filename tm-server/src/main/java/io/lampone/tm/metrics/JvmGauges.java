package io.lampone.tm.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.Supplier;

/** Gauges of the Java process. */
public final class JvmGauges {

  private static final String PREFIX = "lampone.jvm.";

  private JvmGauges() {}

  /** Adds the gauges to a registry. */
  public static void register(MetricRegistry registry) {
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    var memory = ManagementFactory.getMemoryMXBean();
    gauge(
        registry,
        "collections",
        () -> collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum());
    gauge(
        registry,
        "collections.millis",
        () -> collectors.stream().mapToLong(GarbageCollectorMXBean::getCollectionTime).sum());
    gauge(registry, "heap.used.bytes", () -> memory.getHeapMemoryUsage().getUsed());
    gauge(registry, "heap.max.bytes", () -> memory.getHeapMemoryUsage().getMax());
    gauge(registry, "threads", () -> ManagementFactory.getThreadMXBean().getThreadCount());
    gauge(registry, "uptime.millis", () -> ManagementFactory.getRuntimeMXBean().getUptime());
  }

  private static void gauge(MetricRegistry registry, String name, Supplier<Number> value) {
    registry.gauge(PREFIX + name, () -> (Gauge<Number>) value::get);
  }
}
