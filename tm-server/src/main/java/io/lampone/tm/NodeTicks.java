package io.lampone.tm;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.Validators;
import io.lampone.tm.core.status.NodeMetrics;
import io.lampone.tm.net.TmServerChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ticks of a node on its event loop: the due work of the node and of its validators, and then what
 * other threads see of them.
 */
final class NodeTicks {

  private static final Logger LOG = LoggerFactory.getLogger(NodeTicks.class);

  /** Number of ticks of the node in a renewal interval. */
  private static final int TICKS_PER_RENEWAL = 10;

  /** Maximum interval of ticks, which bound the pauses of clients during a hand-over. */
  private static final Duration LONGEST_TICK = Duration.ofMillis(10);

  private final ManagerNode node;
  private final TmServerChannel listener;
  private final Optional<Validators> validators;
  private final NodeSnapshot watch;
  private final ZooKeeperHealth storeSilence;
  private final ValidatorGauges validatorGauges;
  private final Counter failures;

  NodeTicks(
      TransactionManagerConfig config,
      MetricRegistry metrics,
      ManagerNode node,
      TmServerChannel listener,
      Optional<Validators> validators,
      NodeSnapshot watch) {
    this.node = node;
    this.listener = listener;
    this.validators = validators;
    this.watch = watch;
    this.storeSilence =
        new ZooKeeperHealth(config.leaseDuration().multipliedBy(2), config.zookeeperQuorum());
    this.validatorGauges = new ValidatorGauges(metrics, watch);
    validators.ifPresent(validatorGauges::register);
    this.failures = metrics.counter("lampone.tm.ticks.failed");
  }

  /** Starts the ticks. */
  void start(ScheduledExecutorService loop, Duration leaseRenewInterval) {
    long renewalNanos = leaseRenewInterval.toNanos();
    long nanos = Math.min(LONGEST_TICK.toNanos(), Math.max(1, renewalNanos / TICKS_PER_RENEWAL));
    loop.scheduleAtFixedRate(this::tick, 0, nanos, TimeUnit.NANOSECONDS);
  }

  /** Runs a tick; a failure retires the node, because it would end the ticks silently. */
  private void tick() {
    try {
      tickOnce();
    } catch (RuntimeException | Error e) {
      failures.inc();
      LOG.error("a tick has failed: this process ends", e);
      node.retire(NodeListener.Retirement.INVARIANT_VIOLATED);
    }
  }

  private void tickOnce() {
    node.tick();
    validators.ifPresent(Validators::tick);
    validators.map(Validators::metrics).ifPresent(validatorGauges::update);
    NodeMetrics vitals = node.vitals();
    watch.put(vitals, listener.delayNanos(), listener.pendingHandshakes());
    if (vitals.role() != NodeMetrics.Name.RETIRED) {
      storeSilence.observe(vitals.storeSilentNanos());
    }
  }
}
