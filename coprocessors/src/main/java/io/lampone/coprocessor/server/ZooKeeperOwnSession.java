package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.fence.OwnSession;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * The region server's session, and the znode by which the master detects that the server is alive.
 * A probe begins with a sync(), which only the ZooKeeper leader answers: a follower that is
 * partitioned from the others would not know that the session has ended.
 */
final class ZooKeeperOwnSession implements OwnSession {

  private final ZKWatcher zooKeeper;
  private final String path;

  ZooKeeperOwnSession(ZKWatcher zooKeeper, ServerName server) {
    this.zooKeeper = zooKeeper;
    this.path = zooKeeper.getZNodePaths().getRsPath(server);
  }

  @Override
  public long timeoutNanos() {
    ZooKeeper client = zooKeeper.getRecoverableZooKeeper().getZooKeeper();
    return client == null ? 0 : TimeUnit.MILLISECONDS.toNanos(client.getSessionTimeout());
  }

  @Override
  public void probe(Runnable alive) {
    ZooKeeper client = zooKeeper.getRecoverableZooKeeper().getZooKeeper();
    if (client == null) {
      return;
    }
    client.sync(
        path,
        (code, syncPath, context) -> {
          if (Code.get(code) == Code.OK) {
            probeZnode(client, alive);
          }
        },
        this);
  }

  private void probeZnode(ZooKeeper client, Runnable alive) {
    client.exists(
        path,
        false,
        (code, existsPath, context, stat) -> {
          if (Code.get(code) == Code.OK && stat.getEphemeralOwner() == client.getSessionId()) {
            alive.run();
          }
        },
        this);
  }
}
