package io.lampone.tm;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.Member;
import io.lampone.tm.core.Members;
import io.lampone.tm.core.NoMembers;
import io.lampone.tm.core.RecordStore;
import io.lampone.tm.token.LoneTokenStore;
import io.lampone.tm.token.TokenStore;
import io.lampone.tm.zookeeper.AclRepair;
import io.lampone.tm.zookeeper.CuratorMembers;
import io.lampone.tm.zookeeper.CuratorRecordStore;
import io.lampone.tm.zookeeper.CuratorTokenStore;
import io.lampone.tm.zookeeper.RecordAcl;
import java.io.IOException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/**
 * Stores that a transaction manager shares with others, closed together with it.
 *
 * @param store the record
 * @param members the live processes
 * @param validators the live validator processes
 * @param tokens renewals and cancellations of delegation tokens
 * @param repair sets the ACLs of the znodes
 * @param comparesClock whether the process must compare its clock with others
 * @param owner the connection, closed last
 */
record ServerEnvironment(
    RecordStore store,
    Members members,
    Members validators,
    TokenStore tokens,
    Runnable repair,
    boolean comparesClock,
    AutoCloseable owner)
    implements AutoCloseable {

  private static final int ZOOKEEPER_RETRY_MILLIS = 50;

  /**
   * Connects to ZooKeeper; returns immediately.
   *
   * @throws IOException if a file in the configuration cannot be read
   */
  static ServerEnvironment zooKeeper(TransactionManagerConfig config, MetricRegistry metrics)
      throws IOException {
    RecordAcl acl = config.exposure().acl(config.bindHost(), config.security());
    CuratorFramework curator =
        acl.applyTo(CuratorFrameworkFactory.builder())
            .connectString(config.zookeeperQuorum())
            .sessionTimeoutMs(Math.toIntExact(config.zookeeperSessionTimeout().toMillis()))
            .connectionTimeoutMs(Math.toIntExact(config.leaseDuration().toMillis()))
            .retryPolicy(new RetryOneTime(ZOOKEEPER_RETRY_MILLIS))
            .build();
    curator.start();
    String parent = config.zookeeperParent();
    AclRepair repair = new AclRepair(curator, acl, parent);
    metrics.gauge("lampone.tm.record.acl", () -> (Gauge<Integer>) repair::isDone);
    return new ServerEnvironment(
        new CuratorRecordStore(curator, parent),
        new CuratorMembers(curator, parent, Member.ZNODE),
        new CuratorMembers(curator, parent, Member.VALIDATORS_ZNODE),
        new CuratorTokenStore(curator, parent),
        repair::attempt,
        true,
        curator);
  }

  /** Returns an environment with this store, which remains the caller's, and no other process. */
  static ServerEnvironment of(RecordStore store) {
    return new ServerEnvironment(
        store, new NoMembers(), new NoMembers(), new LoneTokenStore(), () -> {}, false, () -> {});
  }

  @Override
  public void close() {
    try {
      owner.close();
    } catch (Exception e) { // AutoCloseable declares Exception
      throw new IllegalStateException("the record store does not close", e);
    }
  }
}
