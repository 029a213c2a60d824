package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Invariant that what a transaction without a snapshot was shown is what every snapshot in its
 * interval shows: at the time of the read, and for ever.
 */
public final class IntervalIsASnapshot implements Invariant, Commits.Listener {

  private final World world;
  private final Commits commits;
  private final Map<Place, List<Seen>> reads = new HashMap<>();

  /** A column, and the snapshots that are said to show it, both inclusive. */
  private record Seen(long lowest, long highest, Optional<Bytes> value) {}

  public IntervalIsASnapshot(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
    commits.listen(this);
  }

  @Override
  public void interval(long lowest, long highest, Place place, Optional<Bytes> value) {
    Seen seen = new Seen(lowest, highest, value);
    reads.computeIfAbsent(place, p -> new ArrayList<>()).add(seen);
    requireHolds(place, seen);
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    for (Place place : places) {
      for (Seen seen : reads.getOrDefault(place, List.of())) {
        if (commit <= seen.highest()) {
          requireHolds(place, seen);
        }
      }
    }
  }

  private void requireHolds(Place place, Seen seen) {
    for (long snapshot : List.of(seen.lowest(), seen.highest())) {
      Optional<Map.Entry<Long, Optional<Bytes>>> newest = commits.below(place, snapshot + 1);
      if (!newest.flatMap(Map.Entry::getValue).equals(seen.value())) {
        world.violated(
            "IntervalIsASnapshot",
            "a snapshot in the interval shows something else, place="
                + place
                + " read="
                + seen
                + " snapshot="
                + snapshot
                + " newest="
                + newest);
      }
    }
  }
}
