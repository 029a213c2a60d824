package io.lampone.tmclient.discovery;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.tm.Member;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.BackgroundPathable;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * Reads the address of the primary from its record in ZooKeeper. The address may be outdated; then
 * the connection fails or is refused, and the client asks again.
 */
public final class ZooKeeperAddressSource implements AddressSource, AutoCloseable {

  private static final int SESSION_TIMEOUT_MILLIS = 10_000;
  private static final int CONNECTION_TIMEOUT_MILLIS = 2_000;
  private static final int RETRY_MILLIS = 50;

  private final CuratorFramework curator;
  private final boolean owned;
  private final String path;
  private final String membersPath;
  private final String description;

  private ZooKeeperAddressSource(
      CuratorFramework curator, boolean owned, String parent, String description) {
    this.curator = curator;
    this.owned = owned;
    this.path = parent + "/" + ManagerRecord.ZNODE;
    this.membersPath = parent + "/" + Member.ZNODE;
    this.description = description + " znode=" + path;
  }

  /**
   * Connects to ZooKeeper; returns immediately, whether ZooKeeper answers or not.
   *
   * @param quorum {@code host:port} separated by commas
   * @param parent the parent znode of the record
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

  /** Creates a source on a connection to ZooKeeper that remains the caller's. */
  public static ZooKeeperAddressSource over(CuratorFramework curator, String parent) {
    return new ZooKeeperAddressSource(curator, false, parent, "zookeeper=shared");
  }

  @Override
  public CompletableFuture<Optional<PrimaryAddress>> find() {
    return record().thenApply(read -> read.flatMap(PrimaryAddress::of));
  }

  /**
   * Reads the record; empty if no transaction manager has ever run here. Fails with a {@link
   * MalformedException} if it cannot be decoded, otherwise with an {@link IOException}, whose cause
   * is a {@link KeeperException} if ZooKeeper has answered or cannot be reached.
   */
  public CompletableFuture<Optional<ManagerRecord>> record() {
    return read(curator.getData(), path)
        .thenApply(event -> event.map(found -> ManagerRecord.decode(found.getData())));
  }

  /**
   * Lists the live transaction managers, by address, without those of versions that do not
   * register.
   */
  public CompletableFuture<List<Member>> members() {
    return read(curator.getChildren(), membersPath)
        .thenCompose(
            listed -> {
              List<CompletableFuture<Optional<Member>>> reading = new ArrayList<>();
              for (String name : listed.map(CuratorEvent::getChildren).orElse(List.of())) {
                reading.add(
                    read(curator.getData(), membersPath + "/" + name)
                        .thenApply(event -> event.flatMap(ZooKeeperAddressSource::member)));
              }
              return CompletableFuture.allOf(reading.toArray(CompletableFuture[]::new))
                  .thenApply(
                      done ->
                          reading.stream()
                              .flatMap(member -> member.join().stream())
                              .sorted(Comparator.comparing(Member::address))
                              .toList());
            });
  }

  /**
   * {@inheritDoc}
   *
   * <p>The record changes with each renewal of the lease, so this costs ZooKeeper a read per
   * renewal. Clients use it only while they wait in vain for an answer.
   */
  @Override
  public CompletableFuture<Void> whenMoved(Optional<PrimaryAddress> from) {
    CompletableFuture<Void> moved = new CompletableFuture<>();
    look(from, moved);
    return moved;
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

  /** The watch is set before the record is read, so that no change is missed. */
  private void look(Optional<PrimaryAddress> from, CompletableFuture<Void> moved) {
    if (moved.isDone()) {
      return;
    }
    try {
      // Unlike a read, this sets a watch even if the znode does not exist.
      curator
          .checkExists()
          .usingWatcher((CuratorWatcher) event -> onEvent(event, from, moved))
          .inBackground(
              (client, watched) -> compare(Code.get(watched.getResultCode()), from, moved))
          .forPath(path);
    } catch (Exception e) { // Curator declares Exception
      moved.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
  }

  /**
   * Checks again after a change or the end of the session. After the loss or return of a connection
   * ZooKeeper's client keeps the watch, and another call would add a second one.
   */
  private void onEvent(
      WatchedEvent event, Optional<PrimaryAddress> from, CompletableFuture<Void> moved) {
    if (event.getType() != EventType.None || event.getState() == KeeperState.Expired) {
      look(from, moved);
    }
  }

  private void compare(Code code, Optional<PrimaryAddress> from, CompletableFuture<Void> moved) {
    if (code != Code.OK && code != Code.NONODE) {
      moved.completeExceptionally(failed(path, code));
      return;
    }
    find()
        .whenComplete(
            (found, failure) -> {
              if (failure != null) {
                // What cannot be read changes before it moves: the watch is set.
                if (!(failure.getCause() instanceof MalformedException)) {
                  moved.completeExceptionally(failure);
                }
              } else if (found.isPresent()
                  && from.map(old -> found.get().succeeds(old)).orElse(true)) {
                moved.complete(null);
              }
            });
  }

  /** Reads a znode; empty if it does not exist. */
  private static CompletableFuture<Optional<CuratorEvent>> read(
      BackgroundPathable<?> question, String path) {
    CompletableFuture<Optional<CuratorEvent>> found = new CompletableFuture<>();
    try {
      question
          .inBackground(
              (client, event) -> {
                Code code = Code.get(event.getResultCode());
                if (code == Code.OK) {
                  found.complete(Optional.of(event));
                } else if (code == Code.NONODE) {
                  found.complete(Optional.empty());
                } else {
                  found.completeExceptionally(failed(path, code));
                }
              })
          .forPath(path);
    } catch (Exception e) { // Curator declares Exception
      found.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
    return found;
  }

  /** Returns an exception whose cause has the code, so that callers can distinguish failures. */
  private static IOException failed(String path, Code code) {
    String message = "ZooKeeper failed, path=" + path + " code=" + code;
    try {
      return new IOException(message, KeeperException.create(code, path));
    } catch (IllegalArgumentException e) { // there are codes without an exception
      return new IOException(message, e);
    }
  }

  private static Optional<Member> member(CuratorEvent event) {
    try {
      return Optional.of(Member.decode(event.getData()));
    } catch (MalformedException e) {
      return Optional.empty(); // of another version, or of another program
    }
  }
}
