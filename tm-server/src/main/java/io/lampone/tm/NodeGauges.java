package io.lampone.tm;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.tm.command.ConnectedClients;
import io.lampone.tm.command.OpenTransactionReport;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.net.TmServerChannel;
import io.lampone.tm.security.Security;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Gauges of a node; each reads the last snapshot that the event loop has stored. */
final class NodeGauges {

  private static final String PREFIX = "lampone.tm.";

  private final MetricRegistry registry;
  private final NodeSnapshot watch;
  private final Clock clock;

  NodeGauges(MetricRegistry registry, NodeSnapshot watch, Clock clock) {
    this.registry = registry;
    this.watch = watch;
    this.clock = clock;
  }

  /** Registers all gauges. */
  void register(TransactionManagerConfig config, TmServerChannel listener, FileWatcher files) {
    gauge("connections", listener::connections);
    gauge("connections.half-open", () -> watch.last().pendingHandshakes());
    gauge("connections.unproved", () -> listener.clients().securityProgress().unproved());
    gauge("connections.plain", () -> listener.clients().securityProgress().plain());
    gauge("transactions.open", () -> open(listener).reported());
    gauge("transactions.oldest.millis", () -> oldestMillis(open(listener).oldest()));
    gauge("primary", () -> watch.isAlive() && watch.vitals().leads() ? 1 : 0);
    gauge("ready", () -> watch.isReady() ? 1 : 0);
    gauge("epoch", () -> watch.vitals().epoch());
    gauge("lease.remaining.millis", () -> millis(watch.vitals().leaseRemainingNanos()));
    gauge("store.silent.millis", () -> millis(watch.vitals().storeSilentNanos()));
    gauge("loop.silent.millis", () -> watch.age().toMillis());
    gauge("loop.delay.nanos", () -> watch.last().delayNanos());
    gauge("bound.remaining.millis", () -> behind(NodeMetrics::bound, -1));
    gauge("timestamp.lag.millis", () -> behind(NodeMetrics::lastTimestamp, 1));
    gauge("safe-point.lag.millis", () -> safePointLag(watch.vitals()));
    gauge("holds.oldest.lag.millis", () -> behind(NodeMetrics::oldestHeld, 1));
    gauge("conflict-table.low-watermark.lag.millis", () -> behind(NodeMetrics::lowWatermark, 1));
    gauge("conflict-table.entries", () -> watch.vitals().conflictEntries());
    gauge("conflict-table.capacity", config::conflictTableCapacity);
    gauge("decisions.horizon.lag.millis", () -> behind(NodeMetrics::horizon, 1));
    gauge("decisions.entries", () -> watch.vitals().decisionEntries());
    gauge("decisions.capacity", config::decisionMemoryCapacity);
    gauge("reservations.entries", () -> watch.vitals().reservations());
    gauge("files.failures", files::failures);
    gauge("files.unusable", files::unusable);
    if (files.security().tls().isPresent()) {
      gauge("tls.certificate.remaining.days", () -> certificateDays(files.security()));
    }
  }

  private static ConnectedClients.OpenTransactions open(TmServerChannel listener) {
    return listener.clients().openTransactions(1, principal -> true);
  }

  private static long oldestMillis(List<OpenTransactionReport> open) {
    return open.stream().mapToLong(OpenTransactionReport::ageMillis).max().orElse(0);
  }

  private long certificateDays(Security security) {
    return security
        .tls()
        .map(tls -> TimeUnit.MILLISECONDS.toDays(tls.expiresAtMillis() - clock.wallMillis()))
        .orElse(0L);
  }

  /** Returns how far the wall clock is past a timestamp (with -1: before it), in ms; 0 for none. */
  private long behind(ToLongFunction<NodeMetrics> timestamp, int sign) {
    long value = timestamp.applyAsLong(watch.vitals());
    return value == 0 ? 0 : sign * (clock.wallMillis() - millis(value));
  }

  /** Returns the lag behind the last timestamp, not the clock: without begins there is no lag. */
  static long safePointLag(NodeMetrics vitals) {
    long safePoint = vitals.safePoint();
    return safePoint == 0 ? 0 : Math.max(0, millis(vitals.lastTimestamp() - safePoint));
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private void gauge(String name, Supplier<Number> value) {
    registry.gauge(PREFIX + name, () -> (Gauge<Number>) value::get);
  }
}
