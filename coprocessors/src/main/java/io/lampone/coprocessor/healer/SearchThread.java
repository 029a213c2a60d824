package io.lampone.coprocessor.healer;

import io.lampone.coprocessor.core.healing.FollowerSearch;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs searches for followers on a separate thread: the healer's passes go on meanwhile. */
final class SearchThread {

  private static final Logger LOG = LoggerFactory.getLogger(SearchThread.class);

  private final FollowerSearch search;
  private final HealerCounts counts;

  /** Last search; used by the healer's thread only. */
  private @Nullable Thread last;

  SearchThread(FollowerSearch search, HealerCounts counts) {
    this.search = search;
    this.counts = counts;
  }

  /** Starts a search if one is due and none is running. */
  void startIfDue() {
    if ((last == null || !last.isAlive()) && search.isDue()) {
      last = new Thread(this::run, "lampone-healer-search");
      last.setDaemon(true);
      last.start();
    }
  }

  private void run() {
    try {
      counts.settled(search.run());
    } catch (IOException | RuntimeException e) {
      counts.failed("search for followers cause=" + e);
      LOG.debug("Followers not found, left for a later search", e);
    }
  }
}
