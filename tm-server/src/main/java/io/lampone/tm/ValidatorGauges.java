package io.lampone.tm;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.core.Validators;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.core.status.ValidatorMetrics;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Metrics of the buckets of this process, and of the validators as a primary sees them. */
final class ValidatorGauges {

  private static final String PREFIX = "lampone.tm.";

  private final MetricRegistry registry;
  private final Counter changes;
  private final Counter lost;

  /** Registers all. */
  ValidatorGauges(MetricRegistry registry, NodeSnapshot watch) {
    this.registry = registry;
    this.changes = registry.counter(PREFIX + "buckets.changes");
    this.lost = registry.counter(PREFIX + "validators.lost");
    gauge("validator", () -> watch.vitals().role() == NodeMetrics.Name.VALIDATOR ? 1 : 0);
    gauge("buckets", () -> watch.vitals().buckets());
  }

  /** Registers what only a transaction manager knows. */
  void register(Validators validators) {
    gauge("validators", () -> validators.metrics().validators());
    gauge(
        "validators.silent.millis",
        () -> TimeUnit.NANOSECONDS.toMillis(validators.metrics().silentNanos()));
    gauge("buckets.eras.earlier", () -> validators.metrics().earlierEras());
    gauge("buckets.eras.lost", () -> validators.metrics().lostBuckets());
  }

  /** Updates the counters; the event loop calls it. */
  void update(ValidatorMetrics metrics) {
    changes.inc(metrics.changes() - changes.getCount());
    lost.inc(metrics.lost() - lost.getCount());
  }

  private void gauge(String name, Supplier<Number> value) {
    registry.gauge(PREFIX + name, () -> (Gauge<Number>) value::get);
  }
}
