package io.lampone.coprocessor.server;

import io.lampone.coprocessor.OpenRegion;
import io.lampone.coprocessor.TransactionObserver;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.request.Refusal;
import java.util.List;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coprocessors of a region in the order in which HBase calls them: by priority, those of one
 * priority as they were loaded. This observer answers most requests itself, and HBase calls no
 * coprocessor behind the one that answers. An authorizer there would be bypassed, so ours has to be
 * the last.
 *
 * <p>HBase creates a new chain when a region opens, and for an open region when the server's
 * configuration changes. So each call compares the chain by reference and inspects a new one.
 */
public final class CoprocessorChain {

  private static final Logger LOG = LoggerFactory.getLogger(CoprocessorChain.class);

  private final OpenRegion open;

  /** The chain inspected last; replaced as a whole, by any thread. */
  private volatile @Nullable Seen seen;

  /**
   * An inspected chain.
   *
   * @param isOnlyUs whether there is no other coprocessor
   * @param behind class name of the coprocessor behind our observer; null if there is none
   */
  private record Seen(RegionCoprocessorHost host, boolean isOnlyUs, @Nullable String behind) {}

  public CoprocessorChain(OpenRegion open) {
    this.open = open;
  }

  /** Returns true if no coprocessor follows our observer. */
  public boolean endsWithUs() {
    return look().behind() == null;
  }

  /** Returns true if there is no other coprocessor. */
  public boolean isOnlyUs() {
    return look().isOnlyUs();
  }

  /** Returns HBase's dispatcher to all of them. */
  public RegionCoprocessorHost host() {
    return look().host();
  }

  /** Refuses a request on a transactional table if a coprocessor would be bypassed. */
  public void requireLast() {
    String behind = look().behind();
    if (behind != null && open.settings().isPresent()) {
      throw Refused.because(Refusal.Code.MISPLACED, told(behind));
    }
  }

  private Seen look() {
    RegionCoprocessorHost host = ((HRegion) open.region()).getCoprocessorHost();
    Seen known = seen;
    if (known == null || known.host() != host) {
      List<RegionCoprocessor> all = host.findCoprocessors(RegionCoprocessor.class);
      known = new Seen(host, all.size() == 1, behindUs(all));
      seen = known;
      if (known.behind() != null) {
        LOG.error("All requests are refused: {}", told(known.behind()));
      }
    }
    return known;
  }

  private static @Nullable String behindUs(List<RegionCoprocessor> chain) {
    for (int i = 0; i + 1 < chain.size(); i++) {
      if (chain.get(i) instanceof TransactionObserver) {
        return chain.get(i + 1).getClass().getName();
      }
    }
    return null;
  }

  private String told(String behind) {
    return "a coprocessor comes behind Lampone's, and would not be asked: 'lampone table upgrade'"
        + " puts ours at priority "
        + TableSettings.COPROCESSOR_PRIORITY
        + ", the other one needs a lower one, class="
        + behind
        + " region="
        + open.region().getRegionInfo().getEncodedName()
        + " table="
        + open.table();
  }
}
