package io.lampone.simulation.client;

import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import io.lampone.simulation.hbase.RegionServer;
import io.lampone.simulation.hbase.ServedRegion;
import io.lampone.simulation.world.Schema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Transactions of others as a hostile reader of all cells knows them, by start timestamp. */
final class SeenTransactions {

  /** The leaders named by the intents seen. */
  private final Map<Long, RowFamily> leaders = new HashMap<>();

  /** Commit timestamps of transactions seen committed and not finished. */
  private final Map<Long, Long> committed = new TreeMap<>();

  /** Fates that servers have stated of leaders, the reader's own and others'. */
  private final Map<Long, SortedMap<RowFamily, Fate>> fates = new HashMap<>();

  /** The newest timestamp in any transaction cell. */
  private long newest;

  /** Reads all transaction cells, and returns the places of undecided intents. */
  SortedMap<Long, List<RowFamily>> look(List<RegionServer> servers) {
    SortedMap<Long, List<RowFamily>> found = new TreeMap<>();
    for (RegionServer server : servers) {
      for (ServedRegion region : server.regions()) {
        region.eachTransactionCell(
            (place, start, cell) -> {
              newest = Math.max(newest, Math.max(start, cell.commitTimestamp()));
              if (Stranger.owns(Schema.name(place))) {
                return;
              }
              if (cell.isLeader() && cell.state() == TransactionState.COMMITTED) {
                leaders.put(start, place);
                committed.put(start, cell.commitTimestamp());
              }
              if (cell.state() == TransactionState.PENDING) {
                leaders.put(start, cell.leader().orElse(place));
                found.computeIfAbsent(start, s -> new ArrayList<>()).add(place);
              }
            });
      }
    }
    return found;
  }

  /** Keeps the fate of a leader, if the server has stated one. */
  void stated(long start, RowFamily leader, RegionReply.Outcome outcome) {
    if (!outcome.tag().matches(Tag.NONE)) {
      fates.computeIfAbsent(start, s -> new TreeMap<>()).put(leader, outcome.fate());
    }
  }

  long newest() {
    return newest;
  }

  @Nullable RowFamily leader(long start) {
    return leaders.get(start);
  }

  RowFamily leader(long start, RowFamily otherwise) {
    return leaders.getOrDefault(start, otherwise);
  }

  /** Returns the stated fates of a transaction, by leader. */
  SortedMap<RowFamily, Fate> fates(long start) {
    return fates.getOrDefault(start, new TreeMap<>());
  }

  /** Returns the transactions that are committed and not finished. */
  List<Long> committed() {
    return List.copyOf(committed.keySet());
  }

  /** Returns the commit timestamp of a transaction, which counts as finished from now on. */
  long takeCommit(long start) {
    return Objects.requireNonNull(committed.remove(start));
  }
}
