package io.lampone.cli.check;

import io.lampone.cli.check.ClocksCheck.Skew;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/** Asks ZooKeeper: whether it answers, what the record says, and what its clock shows. */
final class ZooKeeperProbe implements AutoCloseable {

  private static final int SESSION_MILLIS = 10_000;
  private static final int CONNECT_SECONDS = 5;
  private static final byte[] NOTHING = {};

  private final ZooKeeper client;
  private final Clock clock;

  private ZooKeeperProbe(ZooKeeper client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  /** Connects; nothing if nobody answers in time. */
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
   * The record below {@code parent}; nothing if there is none.
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

  /** The clock of ZooKeeper's leader: that of a znode which is made and goes with this session. */
  Skew skew(String parent) throws KeeperException, InterruptedException {
    long asked = clock.wallMillis();
    Stat stat = new Stat();
    String path =
        client.create(
            parent + "/check-",
            NOTHING,
            Ids.OPEN_ACL_UNSAFE,
            CreateMode.EPHEMERAL_SEQUENTIAL,
            stat);
    long came = clock.wallMillis();
    client.delete(path, -1);
    return Skew.between("ZooKeeper", asked, stat.getCtime(), came);
  }

  @Override
  public void close() throws InterruptedException {
    client.close();
  }
}
