package io.lampone.embedded;

import java.io.IOException;

/** The transaction manager of an embedded cluster, on the cluster's own ZooKeeper. */
final class EmbeddedManager implements AutoCloseable {

  private EmbeddedManager() {}

  /** Starts a transaction manager on any free port and waits until it is the primary. */
  static EmbeddedManager start(EmbeddedHBase hbase) throws IOException {
    throw new UnsupportedOperationException(
        "under construction, zookeeper=" + hbase.zooKeeperConnectString());
  }

  /** Where it answers, as {@code host:port}. */
  String address() {
    throw new UnsupportedOperationException("under construction");
  }

  @Override
  public void close() {}
}
