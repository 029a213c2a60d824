package io.lampone.tm.zookeeper;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The record as one persistent znode; its version is the znode's.
 *
 * <p>Curator may send a write again by itself after a lost connection, and then report the version
 * that its own first attempt has changed. That comes out as {@link Swap.Lost}, which its callers
 * treat as what it is: a reason to read.
 */
public final class CuratorRecordStore implements RecordStore {

  private final CuratorFramework curator;
  private final String path;

  /** Keeps the record in the child {@link ManagerRecord#ZNODE} of {@code parent}. */
  public CuratorRecordStore(CuratorFramework curator, String parent) {
    this.curator = curator;
    this.path = parent + "/" + ManagerRecord.ZNODE;
  }

  @Override
  public CompletableFuture<Reading> read() {
    // A ZooKeeper server may answer reads from the past; after a sync it answers at least from
    // then.
    CompletableFuture<Reading> reading = new CompletableFuture<>();
    run(
        reading,
        callback -> curator.sync().inBackground(callback).forPath(path),
        synced -> {
          if (code(synced) != Code.OK && code(synced) != Code.NONODE) {
            reading.completeExceptionally(failure("sync", synced));
            return;
          }
          readSynced(reading);
        });
    return reading;
  }

  @Override
  public CompletableFuture<Swap> create(ManagerRecord record) {
    CompletableFuture<Swap> swap = new CompletableFuture<>();
    run(
        swap,
        callback ->
            curator
                .create()
                .creatingParentsIfNeeded()
                .inBackground(callback)
                .forPath(path, record.encode()),
        event -> {
          switch (code(event)) {
            case OK -> swap.complete(new Swap.Applied(0));
            case NODEEXISTS -> swap.complete(new Swap.Lost());
            default -> swap.completeExceptionally(failure("create", event));
          }
        });
    return swap;
  }

  @Override
  public CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record) {
    if (expectedVersion < 0) {
      // To ZooKeeper a negative version means any.
      throw new IllegalArgumentException("negative version, version=" + expectedVersion);
    }
    CompletableFuture<Swap> swap = new CompletableFuture<>();
    run(
        swap,
        callback ->
            curator
                .setData()
                .withVersion(Math.toIntExact(expectedVersion))
                .inBackground(callback)
                .forPath(path, record.encode()),
        event -> {
          switch (code(event)) {
            case OK -> swap.complete(new Swap.Applied(event.getStat().getVersion()));
            case BADVERSION, NONODE -> swap.complete(new Swap.Lost());
            default -> swap.completeExceptionally(failure("setData", event));
          }
        });
    return swap;
  }

  private void readSynced(CompletableFuture<Reading> reading) {
    run(
        reading,
        callback -> curator.getData().inBackground(callback).forPath(path),
        event -> {
          switch (code(event)) {
            case OK -> reading.complete(present(event));
            case NONODE -> reading.complete(new Reading.Absent());
            default -> reading.completeExceptionally(failure("getData", event));
          }
        });
  }

  private Reading present(CuratorEvent event) {
    byte[] data = event.getData();
    int version = event.getStat().getVersion();
    try {
      return data == null
          ? new Reading.Unreadable(version)
          : new Reading.Present(version, ManagerRecord.decode(data));
    } catch (MalformedException e) {
      if (ManagerRecord.isOfOtherFormat(data)) {
        throw e; // of a later version, perhaps: this process must not write over it
      }
      return new Reading.Unreadable(version);
    }
  }

  /** Starts an operation; whatever goes wrong on the way ends in {@code result}. */
  private void run(CompletableFuture<?> result, Operation operation, Answer answer) {
    BackgroundCallback callback =
        (client, event) -> {
          try {
            answer.accept(event);
          } catch (RuntimeException e) {
            result.completeExceptionally(e);
          }
        };
    try {
      operation.start(callback);
    } catch (Exception e) { // Curator declares no less
      result.completeExceptionally(new IOException("ZooKeeper refused, path=" + path, e));
    }
  }

  private IOException failure(String operation, CuratorEvent event) {
    return new IOException(
        "ZooKeeper failed, operation=" + operation + " path=" + path + " code=" + code(event));
  }

  private static Code code(CuratorEvent event) {
    return Code.get(event.getResultCode());
  }

  @FunctionalInterface
  private interface Operation {
    void start(BackgroundCallback callback) throws Exception;
  }

  @FunctionalInterface
  private interface Answer {
    void accept(CuratorEvent event);
  }
}
