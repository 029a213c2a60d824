package io.lampone.cli.check;

import io.lampone.cli.check.ClocksCheck.Skew;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooDefs.Perms;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** Probes ZooKeeper: its availability, the record, and its clock. */
final class ZooKeeperProbe implements AutoCloseable {

  private static final int SESSION_MILLIS = 10_000;
  private static final int CONNECT_SECONDS = 5;
  private static final byte[] NOTHING = {};

  /** Usual maximum age of the record. */
  private static final int RENEWAL_MILLIS = 1_000;

  private final ZooKeeper client;
  private final Clock clock;

  private ZooKeeperProbe(ZooKeeper client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Connects; empty if no server responds in time. */
  static Optional<ZooKeeperProbe> connect(String quorum, Clock clock)
      throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            quorum,
            SESSION_MILLIS,
            event -> {
              if (event.getState() == KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    if (connected.await(CONNECT_SECONDS, TimeUnit.SECONDS)) {
      return Optional.of(new ZooKeeperProbe(client, clock));
    }
    client.close();
    return Optional.empty();
  }

  /**
   * Returns the record below {@code parent}; empty if there is none.
   *
   * @throws MalformedException if it is unreadable
   */
  Optional<ManagerRecord> record(String parent) throws KeeperException, InterruptedException {
    try {
      byte[] data = client.getData(parent + "/" + ManagerRecord.ZNODE, false, null);
      return Optional.of(ManagerRecord.decode(data));
    } catch (KeeperException.NoNodeException e) {
      return Optional.empty();
    }
  }

  /** Returns the existing znodes of the transaction managers that all users may change. */
  List<String> open(String parent) throws KeeperException, InterruptedException {
    List<String> open = new ArrayList<>();
    for (String path : ManagerRecord.znodes(parent)) {
      try {
        if (client.getACL(path, null).stream().anyMatch(ZooKeeperProbe::isOpen)) {
          open.add(path);
        }
      } catch (KeeperException.NoNodeException e) {
        // Not created yet.
      }
    }
    return open;
  }

  private static boolean isOpen(ACL entry) {
    return entry.getId().getScheme().equals(Ids.ANYONE_ID_UNSAFE.getScheme())
        && (entry.getPerms() & ~Perms.READ) != 0;
  }

  /**
   * Returns the skew of the clock of ZooKeeper's leader, read from an ephemeral znode or, without
   * the permission to create one, from the record, which a primary renews constantly.
   */
  Skew skew(String parent) throws KeeperException, InterruptedException {
    long asked = clock.wallMillis();
    Stat stat = new Stat();
    String path;
    try {
      path =
          client.create(
              parent + "/check-",
              NOTHING,
              Ids.OPEN_ACL_UNSAFE,
              CreateMode.EPHEMERAL_SEQUENTIAL,
              stat);
    } catch (KeeperException.NoAuthException e) {
      client.getData(parent + "/" + ManagerRecord.ZNODE, false, stat);
      return new Skew(
          "ZooKeeper", stat.getMtime() + RENEWAL_MILLIS / 2 - clock.wallMillis(), RENEWAL_MILLIS);
    }
    long came = clock.wallMillis();
    client.delete(path, -1);
    return Skew.between("ZooKeeper", asked, stat.getCtime(), came);
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
  }
}
