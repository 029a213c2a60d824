package io.lampone.tm;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once when the store of the record falls silent, and once when it answers again. */
final class ZooKeeperHealth {

  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperHealth.class);

  private final Duration patience;

  /** For people to read. */
  private final String where;

  /** True if the silence of the store has been logged; event loop only. */
  private boolean told;

  /**
   * A store that has answered.
   *
   * @param patience how long it may be silent
   * @param where the store is, for people to read
   */
  ZooKeeperHealth(Duration patience, String where) {
    this.patience = patience;
    this.where = where;
  }

  /** The store answered so long ago. Says whether that was news. */
  boolean observe(long silentNanos) {
    boolean silent = silentNanos > patience.toNanos();
    if (silent == told) {
      return false;
    }
    told = silent;
    if (silent) {
      LOG.warn(
          "ZooKeeper does not answer: without it nobody is primary, and clients get no answer; this"
              + " goes on by itself when it does. Is it there, and is its address right?"
              + " zookeeper={} silentMillis={}",
          where,
          Duration.ofNanos(silentNanos).toMillis());
    } else {
      LOG.info("ZooKeeper answers again, zookeeper={}", where);
    }
    return true;
  }
}
