package io.lampone.coprocessor.server;

import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import org.apache.hadoop.hbase.zookeeper.ZKWatcher;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction manager's znode, through the region server's own session: asynchronous calls
 * only, answered on ZooKeeper's event thread. A session answers in order, so the read that follows
 * a sync() sees at least what was written before the sync() was sent.
 */
final class ZooKeeperRecordSource implements ManagerRecordSource, Watcher {

  /** Property that names the parent znode. */
  static final String PARENT_KEY = "lampone.zookeeper.parent";

  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperRecordSource.class);

  private final ZKWatcher zooKeeper;
  private final String path;
  private final RareLine failures = new RareLine(SystemClock.INSTANCE);

  /** Called when the znode may have changed; set once before the first read. */
  private volatile Runnable change = () -> {};

  ZooKeeperRecordSource(ZKWatcher zooKeeper) {
    this.zooKeeper = zooKeeper;
    String parent = zooKeeper.getConfiguration().get(PARENT_KEY, ManagerRecord.DEFAULT_PARENT);
    this.path = parent + "/" + ManagerRecord.ZNODE;
  }

  @Override
  public void onChange(Runnable newChange) {
    change = newChange;
  }

  @Override
  public void process(WatchedEvent event) {
    change.run();
  }

  @Override
  public void read(Answer answer) {
    ZooKeeper client = zooKeeper.getRecoverableZooKeeper().getZooKeeper();
    if (client == null) {
      answer.failed("not connected");
      return;
    }
    client.sync(
        path,
        (code, syncPath, context) -> {
          if (Code.get(code) == Code.OK) {
            readData(client, answer);
          } else {
            fail(answer, code);
          }
        },
        this);
  }

  private void readData(ZooKeeper client, Answer answer) {
    client.getData(
        path,
        this,
        (code, dataPath, context, data, stat) -> {
          switch (Code.get(code)) {
            case OK -> decode(data, stat.getMtime(), answer);
            case NONODE -> watchForCreation(client, answer);
            default -> fail(answer, code);
          }
        },
        this);
  }

  private void watchForCreation(ZooKeeper client, Answer answer) {
    client.exists(
        path,
        this,
        (code, existsPath, context, stat) -> {
          switch (Code.get(code)) {
            // Created in between: the watch has been set nevertheless, so no change is missed.
            case OK -> readData(client, answer);
            case NONODE -> answer.absent();
            default -> fail(answer, code);
          }
        },
        this);
  }

  private void decode(byte @Nullable [] data, long writtenMillis, Answer answer) {
    ManagerRecord decoded;
    try {
      decoded = ManagerRecord.decode(data);
    } catch (MalformedException e) {
      LOG.error("Unreadable znode of the transaction manager, path={}", path, e);
      answer.failed("unreadable znode, path=" + path);
      return;
    }
    answer.record(decoded, writtenMillis);
  }

  private void fail(Answer answer, int code) {
    failures
        .happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "Could not read the znode of the transaction manager, path={} code={} times={}",
                    path,
                    Code.get(code),
                    times));
    answer.failed("code=" + Code.get(code));
  }
}
