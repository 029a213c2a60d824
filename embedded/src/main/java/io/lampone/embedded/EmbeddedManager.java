package io.lampone.embedded;

import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.lampone.embedded.EmbeddedStartException.Reason;
import io.lampone.tm.Exposure;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import io.lampone.tm.zookeeper.AclSettings;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Transaction manager of an embedded cluster, on the cluster's own ZooKeeper. */
final class EmbeddedManager implements AutoCloseable {

  private static final String LOOPBACK = "127.0.0.1";
  private static final String EVERYWHERE = "0.0.0.0";

  /**
   * Shorter than for a server process: after {@code kill -9} the next start waits for the lease of
   * the last one to expire, and no other manager could take over meanwhile.
   */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private static final Duration RENEWAL = Duration.ofMillis(500);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);

  private static final String BEGINS = TransactionManagerConfig.PREFIX + "begins";
  private static final String VALIDATIONS = TransactionManagerConfig.PREFIX + "validations.";
  private static final String STATUSES = TransactionManagerConfig.PREFIX + "statuses";

  private final TransactionManagerServer server;
  private final MetricRegistry metrics;

  private EmbeddedManager(TransactionManagerServer server, MetricRegistry metrics) {
    this.server = server;
    this.metrics = metrics;
  }

  /** Starts a transaction manager and waits until it is the primary. */
  static EmbeddedManager start(EmbeddedHBase hbase) throws IOException {
    TransactionManagerConfig.Builder config =
        TransactionManagerConfig.builder()
            .bindHost(LOOPBACK)
            .bindPort(hbase.config().managerPort())
            .zookeeperQuorum(hbase.zooKeeperConnectString())
            .retention(new Retention(hbase.config().retention(), Retention.DEFAULT.longestHold()))
            .leaseDuration(LEASE)
            .leaseRenewInterval(RENEWAL);
    if (hbase.config().isPublished()) {
      config
          .bindHost(EVERYWHERE)
          .advertisedHost("localhost")
          .exposure(
              new Exposure(
                  true, new AclSettings(AclSettings.Mode.OPEN, Optional.empty(), List.of())));
    }
    MetricRegistry metrics = new MetricRegistry();
    TransactionManagerServer server = TransactionManagerServer.start(config.build(), metrics);
    try {
      server.whenPrimary().get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return new EmbeddedManager(server, metrics);
    } catch (InterruptedException e) {
      server.close();
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while the transaction manager started");
    } catch (ExecutionException | TimeoutException e) {
      server.close();
      throw new EmbeddedStartException(
          Reason.SERVER_FAILED, "The transaction manager did not become the primary", e);
    }
  }

  /** Returns its address, as {@code host:port}. */
  String address() {
    return server.address();
  }

  /** Raises the safe point; completes with the published one. */
  CompletableFuture<Long> advanceSafePoint(long timestamp) {
    return server.advanceSafePoint(timestamp);
  }

  /** Returns the counts of its replies so far. */
  ManagerAnswers answers() {
    return new ManagerAnswers(count(BEGINS), count(VALIDATIONS), count(STATUSES));
  }

  /** Returns the sum of all meters whose names begin with {@code prefix}. */
  private long count(String prefix) {
    return metrics.getMeters((name, metric) -> name.startsWith(prefix)).values().stream()
        .mapToLong(Meter::getCount)
        .sum();
  }

  @Override
  public void close() {
    server.close();
  }
}
