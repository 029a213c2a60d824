package io.lampone.simulation.invariant;

import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.simulation.hbase.Compaction;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.hbase.RowView;
import io.lampone.simulation.hbase.StoredCells;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Invariant that collection keeps what readable snapshots show: after each flush and compaction
 * every changed row shows to each snapshot from the safe point on what has been committed below it.
 * The view of a row changes only at commits to it: so it is checked at the snapshots right below
 * each of these commits, at the one at the safe point, and at the newest.
 *
 * <p>A server that has just opened a region may have an older safe point than the one by which the
 * region was collected on its previous server. Older snapshots are not readable any more: so a row
 * is checked from the highest safe point by which it was ever collected.
 */
public final class CollectionKeepsReadable implements Invariant {

  private static final long NEWEST = Long.MAX_VALUE / 2 / Timestamps.TICK * Timestamps.TICK;

  private final World world;
  private final Commits commits;

  /** Highest safe point by which a row was collected, by row. */
  private final Map<Bytes, Long> collectedBelow = new HashMap<>();

  /** Highest safe point of the record. */
  private long recorded;

  public CollectionKeepsReadable(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
  }

  @Override
  public void recorded(ManagerRecord record) {
    recorded = Math.max(recorded, record.safePoint());
  }

  @Override
  public void collected(RegionLog log, Compaction.Result result) {
    if (result.safePoint() > recorded) {
      world.violated(
          "CollectionKeepsReadable",
          "collected above the record's safe point, safePoint="
              + result.safePoint()
              + " recorded="
              + recorded);
    }
    TreeSet<Bytes> rows = new TreeSet<>();
    result.changes().forEach(change -> rows.add(change.row()));
    for (Bytes row : rows) {
      long readable = collectedBelow.merge(row, result.safePoint(), Math::max);
      for (long snapshot : snapshots(row, readable)) {
        check(row, new StoredCells(row, log.row(row)), snapshot);
      }
    }
  }

  /** Returns the snapshots from {@code readable} on at which the view of the row may change. */
  private Set<Long> snapshots(Bytes row, long readable) {
    Set<Long> all = new TreeSet<>(List.of(readable, NEWEST));
    for (Schema.Column column : Schema.COLUMNS) {
      Place place = new Place(row, column);
      Optional<Long> commit = commits.below(place, NEWEST).map(Map.Entry::getKey);
      while (commit.isPresent() && Timestamps.tick(commit.get()) > readable) {
        long before = Timestamps.tick(commit.get());
        all.add(before);
        commit = commits.below(place, before).map(Map.Entry::getKey);
      }
    }
    return all;
  }

  private void check(Bytes name, StoredCells row, long snapshot) {
    ReadRequest request = new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of());
    RowView view = RowView.read(name, row, new SnapshotView(request, (id, fate) -> false));
    if (!view.pointers().isEmpty()) {
      return;
    }
    for (Schema.Column column : Schema.COLUMNS) {
      Place place = new Place(name, column);
      Optional<Bytes> expected = commits.below(place, snapshot).flatMap(Map.Entry::getValue);
      Optional<Bytes> shown = Optional.ofNullable(view.values().get(column));
      if (!expected.equals(shown)) {
        world.violated(
            "CollectionKeepsReadable",
            "place="
                + place
                + " snapshot="
                + snapshot
                + " shown="
                + shown
                + " expected="
                + expected);
      }
    }
  }
}
