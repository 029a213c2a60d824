package io.lampone.client.hbase.admin;

import io.lampone.client.ChangeListener;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.transport.StoreAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** Reports the number of finished regions of a table: reopened, or passed by a scan. */
final class RegionProgress {

  /** Pause between two polls of the open regions. */
  private static final Duration LOOK = Duration.ofMillis(500);

  private final StoreAccess access;
  private final Waiting waiting;
  private final ChangeListener listener;

  RegionProgress(StoreAccess access, Waiting waiting, ChangeListener listener) {
    this.access = access;
    this.waiting = waiting;
    this.listener = listener;
  }

  /** Returns the number of each region's last opening. */
  private Map<String, Long> openings(TableName table) throws IOException {
    Map<String, Long> openings = new HashMap<>();
    for (HRegionLocation location : locations(table)) {
      openings.put(location.getRegion().getEncodedName(), location.getSeqNum());
    }
    return openings;
  }

  private List<HRegionLocation> locations(TableName table) throws IOException {
    return waiting.await(access.connection().getRegionLocator(table).getAllRegionLocations());
  }

  /** Step that reopens the regions of a table. */
  interface Reopening {
    CompletableFuture<Void> start();
  }

  /**
   * Starts a step, reports the reopened regions, and returns when it is done; fails if no further
   * region reopens for an hour.
   */
  void reopening(String step, TableName table, Reopening change) throws IOException {
    Map<String, Long> before = openings(table);
    listener.progress(step, 0, before.size());
    // HBase's client waits for its master without a limit.
    long deadlineNanos = access.clock().monotonicNanos() + SchemaSteps.TIMEOUT.toNanos();
    long last = 0;
    CompletableFuture<Void> changing = change.start();
    while (!changing.isDone()) {
      if (access.isOver(deadlineNanos)) {
        throw new LamponeException(
            Code.STORE_UNAVAILABLE,
            0,
            "HBase has not reopened all regions in time: see its master, and do it again, table="
                + table);
      }
      waiting.await(
          CompletableFuture.anyOf(
              changing.exceptionally(failure -> null), access.timer().after(LOOK)));
      if (!changing.isDone()) {
        Map<String, Long> now = openings(table);
        long reopened =
            before.entrySet().stream()
                .filter(
                    region -> now.getOrDefault(region.getKey(), Long.MAX_VALUE) > region.getValue())
                .count();
        if (reopened > last) {
          last = reopened;
          deadlineNanos = access.clock().monotonicNanos() + SchemaSteps.TIMEOUT.toNanos();
        }
        listener.progress(step, Math.min(reopened, before.size() - 1L), before.size());
      }
    }
    waiting.await(changing);
    listener.progress(step, before.size(), before.size());
  }

  /** Returns a pass over a table from its first row to its last. */
  Pass pass(String step, TableName table) throws IOException {
    List<byte[]> ends =
        locations(table).stream().map(location -> location.getRegion().getEndKey()).toList();
    listener.progress(step, 0, ends.size());
    return new Pass(step, ends);
  }

  /** See {@link #pass}. */
  final class Pass {
    private final String step;
    private final List<byte[]> ends;

    private Pass(String step, List<byte[]> ends) {
      this.step = step;
      this.ends = ends;
    }

    /** Returns the ends of the regions in order; that of the last one is empty. */
    List<byte[]> ends() {
      return ends;
    }

    /** Reports that all rows up to this one are done. */
    void at(byte[] row) {
      long passed =
          ends.stream().filter(end -> end.length > 0 && Bytes.compareTo(end, row) <= 0).count();
      listener.progress(step, passed, ends.size());
    }

    void done() {
      listener.progress(step, ends.size(), ends.size());
    }
  }
}
