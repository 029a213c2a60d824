package io.lampone.tmclient;

import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Reads the address of the primary from its record in ZooKeeper. What it reads may be out of date;
 * then the connection fails, or is refused, and the client asks again.
 */
public final class ZooKeeperAddressSource implements AddressSource, AutoCloseable {

  private static final int SESSION_TIMEOUT_MILLIS = 10_000;
  private static final int CONNECTION_TIMEOUT_MILLIS = 2_000;
  private static final int RETRY_MILLIS = 50;

  private final CuratorFramework curator;
  private final boolean owned;
  private final String path;
  private final String description;

  private ZooKeeperAddressSource(
      CuratorFramework curator, boolean owned, String parent, String description) {
    this.curator = curator;
    this.owned = owned;
    this.path = parent + "/" + ManagerRecord.ZNODE;
    this.description = description + " znode=" + path;
  }

  /**
   * Connects to ZooKeeper; returns at once, whether ZooKeeper answers or not.
   *
   * @param quorum {@code host:port} separated by commas
   * @param parent the znode under which the record is kept
   */
  public static ZooKeeperAddressSource connect(String quorum, String parent) {
    CuratorFramework curator =
        CuratorFrameworkFactory.builder()
            .connectString(quorum)
            .sessionTimeoutMs(SESSION_TIMEOUT_MILLIS)
            .connectionTimeoutMs(CONNECTION_TIMEOUT_MILLIS)
            .retryPolicy(new RetryOneTime(RETRY_MILLIS))
            .build();
    curator.start();
    return new ZooKeeperAddressSource(curator, true, parent, "zookeeper=" + quorum);
  }

  /** Uses a connection to ZooKeeper that remains the caller's. */
  public static ZooKeeperAddressSource over(CuratorFramework curator, String parent) {
    return new ZooKeeperAddressSource(curator, false, parent, "zookeeper=shared");
  }

  @Override
  public CompletableFuture<Optional<InetSocketAddress>> find() {
    CompletableFuture<Optional<InetSocketAddress>> found = new CompletableFuture<>();
    try {
      curator.getData().inBackground((client, event) -> onData(event, found)).forPath(path);
    } catch (Exception e) { // Curator declares no less
      found.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
    return found;
  }

  @Override
  public void close() {
    if (owned) {
      curator.close();
    }
  }

  @Override
  public String toString() {
    return description;
  }

  private void onData(CuratorEvent event, CompletableFuture<Optional<InetSocketAddress>> found) {
    Code code = Code.get(event.getResultCode());
    if (code == Code.NONODE) {
      found.complete(Optional.empty());
      return;
    }
    byte[] data = event.getData();
    if (code != Code.OK || data == null) {
      found.completeExceptionally(
          new IOException("ZooKeeper failed, path=" + path + " code=" + code));
      return;
    }
    try {
      found.complete(parse(ManagerRecord.decode(data).address()));
    } catch (RuntimeException e) {
      found.completeExceptionally(e);
    }
  }

  private static Optional<InetSocketAddress> parse(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      return Optional.empty();
    }
    int port = Integer.parseInt(address.substring(colon + 1));
    return Optional.of(new InetSocketAddress(address.substring(0, colon), port));
  }
}
