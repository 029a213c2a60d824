package io.lampone.tm;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs when the store of the record becomes silent, and when it answers again. */
final class ZooKeeperHealth {

  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperHealth.class);

  private final Duration patience;

  /** Description of the store for people. */
  private final String where;

  /** True if the silence of the store has been logged; event loop only. */
  private boolean told;

  /**
   * Creates a monitor of a store that has answered.
   *
   * @param patience maximum silence
   * @param where description of the store for people
   */
  ZooKeeperHealth(Duration patience, String where) {
    this.patience = patience;
    this.where = where;
  }

  /** Processes the time since the store's last answer; returns true if its state has changed. */
  boolean observe(long silentNanos) {
    boolean silent = silentNanos > patience.toNanos();
    if (silent == told) {
      return false;
    }
    told = silent;
    if (silent) {
      LOG.warn(
          "ZooKeeper does not answer: without it no process is primary, and clients get no answer;"
              + " this goes on by itself when it does. Is it there, and is its address right?"
              + " zookeeper={} silentMillis={}",
          where,
          Duration.ofNanos(silentNanos).toMillis());
    } else {
      LOG.info("ZooKeeper answers again, zookeeper={}", where);
    }
    return true;
  }
}
