package io.lampone.client;

import io.lampone.client.core.OpenTransaction;
import io.lampone.client.core.PostCommit;
import io.lampone.client.core.TransactionManagerPort;
import io.lampone.client.core.hold.HoldKeeper;
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
 * Parts of a client, so that a test can put fakes in place of servers.
 *
 * @param config the client's settings
 * @param manager the transaction manager
 * @param services what transactions share in the core
 * @param context what transactions share towards HBase
 * @param fastPath what the fast path is made of
 * @param postCommit the work after commits
 * @param status asks for outcomes
 * @param admin changes tables
 * @param metrics counts requests
 * @param timer waits
 * @param clock measures
 * @param random jitters
 * @param retryBackoff pauses of {@code run}
 * @param resources closed in this order when the client is
 */
record ClientParts(
    LamponeClientConfig config,
    TransactionManager manager,
    OpenTransaction.Services services,
    HBaseTransaction.Context context,
    FastPathParts fastPath,
    PostCommit postCommit,
    StatusQuery status,
    LamponeAdmin admin,
    StoreMetrics metrics,
    Timer timer,
    Clock clock,
    RandomGenerator random,
    Backoff retryBackoff,
    List<AutoCloseable> resources) {

  /** Runs machines. */
  Driver driver() {
    return context.access().driver();
  }

  /** Keeps old snapshots readable. */
  HoldKeeper holds() {
    return context.holds();
  }

  /** Returns the shared services with another validator. */
  OpenTransaction.Services servicesAsking(TransactionManagerPort validator) {
    return new OpenTransaction.Services(
        services.store(),
        services.resolver(),
        services.protocol().asking(validator),
        services.postCommit(),
        services.clock(),
        services.limits(),
        services.session(),
        services.oneRegion());
  }
}
