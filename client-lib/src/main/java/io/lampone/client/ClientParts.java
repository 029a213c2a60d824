package io.lampone.client;

import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.hold.HoldKeeper;
import io.lampone.client.core.progress.ProgressReporter;
import io.lampone.client.core.status.StatusQuery;
import io.lampone.client.driver.Driver;
import io.lampone.client.driver.Timer;
import io.lampone.client.hbase.FastPathParts;
import io.lampone.client.hbase.HBaseTransaction;
import io.lampone.client.hbase.transport.StoreMetrics;
import io.lampone.protocol.time.Backoff;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TransactionManager;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Parts of a client; tests substitute fakes for the servers.
 *
 * @param config the client's settings
 * @param manager the transaction manager
 * @param services core services shared by all transactions
 * @param context HBase access shared by all transactions
 * @param fastPath parts of the fast path
 * @param postCommit runs post-commit tasks
 * @param status queries outcomes
 * @param progress reports to the transaction manager
 * @param admin administers tables
 * @param metrics counts requests
 * @param timer completes futures after a delay
 * @param clock source of time
 * @param random source of jitter
 * @param retryBackoff pauses between attempts of {@code run}
 * @param resources resources to close, in this order, with the client
 */
record ClientParts(
    LamponeClientConfig config,
    TransactionManager manager,
    OpenTransaction.Services services,
    HBaseTransaction.Context context,
    FastPathParts fastPath,
    PostCommit postCommit,
    StatusQuery status,
    ProgressReporter progress,
    LamponeAdmin admin,
    StoreMetrics metrics,
    Timer timer,
    Clock clock,
    RandomGenerator random,
    Backoff retryBackoff,
    List<AutoCloseable> resources) {

  /** Returns the driver, which runs steps. */
  Driver driver() {
    return context.access().driver();
  }

  /** Returns the keeper of holds, which keep old snapshots readable. */
  HoldKeeper holds() {
    return context.holds();
  }

  /** Returns the services of one transaction, with another validator. */
  OpenTransaction.Services servicesAsking(TransactionManagerPort validator) {
    return new OpenTransaction.Services(
        services.store(),
        services.resolver(),
        services.protocol().asking(validator),
        services.postCommit(),
        services.clock(),
        services.limits(),
        services.session(),
        services.oneRegion(),
        context.slow().begin(metrics.transactions()),
        services.reserver());
  }
}
