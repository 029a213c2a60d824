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
 * Invariant that a read at a snapshot shows, of each column, the state left by the newest commit
 * below the snapshot: at the time of the read, and for ever. So no commit is added below a snapshot
 * after a read at it.
 *
 * <p>The same holds for what a transaction without a snapshot was shown, at both ends of its
 * interval: {@code IntervalIsASnapshot}.
 */
public final class StableSnapshots implements Invariant, Commits.Listener {

  private final World world;
  private final Commits commits;
  private final Map<Place, List<Seen>> reads = new HashMap<>();

  /** A read, and its result. */
  private record Seen(long snapshot, Optional<Bytes> value) {}

  /** The same for the ends of intervals, which are inclusive. */
  private final Map<Place, List<Seen>> ends = new HashMap<>();

  public StableSnapshots(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
    commits.listen(this);
  }

  @Override
  public void read(long snapshot, Place place, Optional<Bytes> value) {
    Optional<Map.Entry<Long, Optional<Bytes>>> newest = commits.below(place, snapshot);
    Optional<Bytes> expected = newest.flatMap(Map.Entry::getValue);
    if (!expected.equals(value)) {
      world.violated(
          "StableSnapshots",
          "read shows what the snapshot does not contain, place="
              + place
              + " snapshot="
              + snapshot
              + " read="
              + value
              + " expected="
              + expected
              + " ofCommit="
              + newest.map(Map.Entry::getKey).orElse(0L));
    }
    reads.computeIfAbsent(place, p -> new ArrayList<>()).add(new Seen(snapshot, value));
  }

  @Override
  public void interval(long lowest, long highest, Place place, Optional<Bytes> value) {
    for (long snapshot : List.of(lowest, highest)) {
      Seen seen = new Seen(snapshot + 1, value);
      ends.computeIfAbsent(place, p -> new ArrayList<>()).add(seen);
      requireShown(place, seen);
    }
  }

  private void requireShown(Place place, Seen seen) {
    Optional<Map.Entry<Long, Optional<Bytes>>> newest = commits.below(place, seen.snapshot());
    if (!newest.flatMap(Map.Entry::getValue).equals(seen.value())) {
      world.violated(
          "IntervalIsASnapshot",
          "an end of an interval shows something else, place="
              + place
              + " read="
              + seen
              + " newest="
              + newest);
    }
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    for (Place place : places) {
      for (Seen seen : ends.getOrDefault(place, List.of())) {
        requireShown(place, seen);
      }
      for (Seen seen : reads.getOrDefault(place, List.of())) {
        // A delete of an absent value changes nothing: readers need not see it.
        if (commit < seen.snapshot()
            && !commits
                .below(place, seen.snapshot())
                .flatMap(Map.Entry::getValue)
                .equals(seen.value())) {
          world.violated(
              "StableSnapshots",
              "committed below a snapshot that was read at, place="
                  + place
                  + " start="
                  + start
                  + " commit="
                  + commit
                  + " snapshot="
                  + seen.snapshot());
        }
      }
    }
  }
}
