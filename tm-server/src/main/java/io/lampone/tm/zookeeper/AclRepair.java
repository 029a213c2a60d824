package io.lampone.tm.zookeeper;

import io.lampone.protocol.tm.ManagerRecord;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets the ACL of znodes that were created without it. Later znodes have it from the beginning. */
public final class AclRepair {

  private static final Logger LOG = LoggerFactory.getLogger(AclRepair.class);

  private final CuratorFramework curator;
  private final RecordAcl acl;
  private final String parent;
  private final List<String> paths;

  /** Znodes that have the ACL. */
  private final Set<String> done = ConcurrentHashMap.newKeySet();

  /** Znodes whose failure has been logged. */
  private final Set<String> refused = ConcurrentHashMap.newKeySet();

  public AclRepair(CuratorFramework curator, RecordAcl acl, String parent) {
    this.curator = curator;
    this.acl = acl;
    this.parent = parent;
    this.paths = ManagerRecord.znodes(parent);
  }

  /** Retries what has not succeeded yet; returns immediately. */
  public void attempt() {
    for (String path : paths) {
      if (!done.contains(path)) {
        attempt(path);
      }
    }
  }

  /** Returns 1 if all znodes have the ACL, else 0. */
  public int isDone() {
    return done.containsAll(paths) ? 1 : 0;
  }

  private void attempt(String path) {
    try {
      curator
          .setACL()
          .withACL(acl.getDefaultAcl())
          .inBackground((client, event) -> ended(path, event))
          .forPath(path);
    } catch (Exception e) { // Curator declares Exception
      LOG.warn("could not set the ACL, path={}", path, e);
    }
  }

  private void ended(String path, CuratorEvent event) {
    switch (Code.get(event.getResultCode())) {
      case OK -> done.add(path);
      case NONODE -> {
        // Once the parent has its ACL, only these processes create a znode, with its ACL.
        if (done.contains(parent)) {
          done.add(path);
        }
      }
      case NOAUTH, INVALIDACL -> {
        if (refused.add(path)) {
          LOG.error(
              "the znode cannot be given its ACL: another user owns it, or this process has not"
                  + " proved itself to ZooKeeper, path={} code={}",
              path,
              Code.get(event.getResultCode()));
        }
      }
      default -> LOG.debug("ACL not set yet, path={} event={}", path, event);
    }
  }
}
