package io.lampone.cluster;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/**
 * Waits until a cluster can be used: all region servers there, meta assigned, a primary elected.
 */
final class Readiness {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final int SESSION_MILLIS = 10_000;

  private final ClusterPlan plan;
  private final MemberFiles files;
  private final Clock clock;
  private final Consumer<String> progress;

  Readiness(ClusterPlan plan, MemberFiles files, Clock clock, Consumer<String> progress) {
    this.plan = plan;
    this.files = files;
    this.clock = clock;
    this.progress = progress;
  }

  /**
   * Waits for {@code regionServers} region servers, and for a primary if the plan has managers.
   *
   * @throws ClusterException if it takes longer than {@code bound}
   */
  void await(int regionServers, boolean manager, Duration bound) throws InterruptedException {
    long deadline = clock.monotonicNanos() + bound.toNanos();
    until(deadline, "ZooKeeper answers", this::zooKeeperAnswers);
    try (Connection connection = connect(deadline);
        Admin admin = connection.getAdmin()) {
      until(
          deadline,
          regionServers + " region servers are there",
          () -> liveServers(admin) >= regionServers);
      until(deadline, "tables can be used", () -> isMetaThere(admin));
    } catch (IOException e) {
      throw new ClusterException("HBase cannot be reached, site=" + files.clientSite(), e);
    }
    if (manager && plan.managers() > 0) {
      until(deadline, "a transaction manager is the primary", this::primaryIsThere);
    }
  }

  private void until(long deadline, String what, BooleanSupplier condition)
      throws InterruptedException {
    while (!condition.getAsBoolean()) {
      if (clock.monotonicNanos() - deadline >= 0) {
        throw new ClusterException(
            "the cluster does not come up; the logs say more, waitedFor='"
                + what
                + "' logs="
                + plan.folder().resolve("logs"));
      }
      TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
    }
    progress.accept(what);
  }

  private boolean zooKeeperAnswers() {
    try (ZooKeeper probe = new ZooKeeper(files.quorum(), SESSION_MILLIS, event -> {})) {
      probe.exists("/", false);
      return true;
    } catch (IOException | KeeperException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean primaryIsThere() {
    String path = ManagerRecord.DEFAULT_PARENT + "/" + ManagerRecord.ZNODE;
    try (ZooKeeper probe = new ZooKeeper(files.quorum(), SESSION_MILLIS, event -> {})) {
      return !ManagerRecord.decode(probe.getData(path, false, null)).address().isEmpty();
    } catch (IOException | KeeperException | MalformedException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** A master that is still starting has not published its address. */
  private Connection connect(long deadline) throws IOException, InterruptedException {
    while (true) {
      try {
        return connect();
      } catch (IOException e) {
        if (clock.monotonicNanos() - deadline >= 0) {
          throw e;
        }
        TimeUnit.NANOSECONDS.sleep(POLL.toNanos());
      }
    }
  }

  private Connection connect() throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new Path(files.clientSite().toUri()));
    configuration.setInt("hbase.client.retries.number", 1);
    configuration.setInt("hbase.rpc.timeout", 5_000);
    configuration.setInt("hbase.client.operation.timeout", 5_000);
    configuration.setInt("hbase.client.meta.operation.timeout", 5_000);
    return ConnectionFactory.createConnection(configuration);
  }

  private static int liveServers(Admin admin) {
    try {
      return admin.getRegionServers().size();
    } catch (IOException e) {
      return 0;
    }
  }

  private static boolean isMetaThere(Admin admin) {
    try {
      return admin.isTableAvailable(TableName.META_TABLE_NAME)
          && !admin.listNamespaceDescriptors()[0].getName().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }
}
