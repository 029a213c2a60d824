package io.lampone.tm.zookeeper;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.tm.core.RecordStore;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The record as a persistent znode, whose version is that of the record.
 *
 * <p>After a lost connection Curator may repeat a write, and then fail because of the version that
 * its own first attempt has changed. That appears as {@link Swap.Lost}, after which callers read.
 */
public final class CuratorRecordStore implements RecordStore {

  private final CuratorFramework curator;
  private final String path;

  /** Stores the record in the child {@link ManagerRecord#ZNODE} of {@code parent}. */
  public CuratorRecordStore(CuratorFramework curator, String parent) {
    this.curator = curator;
    this.path = parent + "/" + ManagerRecord.ZNODE;
  }

  @Override
  public CompletableFuture<Reading> read() {
    // A ZooKeeper server may return stale data; after a sync the data is at least as new as the
    // sync.
    CompletableFuture<Reading> reading = new CompletableFuture<>();
    CuratorCall.run(
        reading,
        path,
        callback -> curator.sync().inBackground(callback).forPath(path),
        synced -> {
          if (CuratorCall.code(synced) != Code.OK && CuratorCall.code(synced) != Code.NONODE) {
            reading.completeExceptionally(CuratorCall.failure("sync", path, synced));
            return;
          }
          readSynced(reading);
        });
    return reading;
  }

  @Override
  public CompletableFuture<Swap> create(ManagerRecord record) {
    CompletableFuture<Swap> swap = new CompletableFuture<>();
    CuratorCall.run(
        swap,
        path,
        callback ->
            curator
                .create()
                .creatingParentsIfNeeded()
                .inBackground(callback)
                .forPath(path, record.encode()),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK -> swap.complete(new Swap.Applied(0));
            case NODEEXISTS -> swap.complete(new Swap.Lost());
            default -> swap.completeExceptionally(CuratorCall.failure("create", path, event));
          }
        });
    return swap;
  }

  @Override
  public CompletableFuture<Swap> compareAndSet(long expectedVersion, ManagerRecord record) {
    if (expectedVersion < 0) {
      // ZooKeeper would take a negative version for any version.
      throw new IllegalArgumentException("negative version, version=" + expectedVersion);
    }
    CompletableFuture<Swap> swap = new CompletableFuture<>();
    CuratorCall.run(
        swap,
        path,
        callback ->
            curator
                .setData()
                .withVersion(Math.toIntExact(expectedVersion))
                .inBackground(callback)
                .forPath(path, record.encode()),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK -> swap.complete(new Swap.Applied(event.getStat().getVersion()));
            case BADVERSION, NONODE -> swap.complete(new Swap.Lost());
            default -> swap.completeExceptionally(CuratorCall.failure("setData", path, event));
          }
        });
    return swap;
  }

  private void readSynced(CompletableFuture<Reading> reading) {
    CuratorCall.run(
        reading,
        path,
        callback -> curator.getData().inBackground(callback).forPath(path),
        event -> {
          switch (CuratorCall.code(event)) {
            case OK -> reading.complete(present(event));
            case NONODE -> reading.complete(new Reading.Absent());
            default -> reading.completeExceptionally(CuratorCall.failure("getData", path, event));
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
      return ManagerRecord.isOfOtherFormat(data)
          ? new Reading.OtherFormat()
          : new Reading.Unreadable(version);
    }
  }
}
