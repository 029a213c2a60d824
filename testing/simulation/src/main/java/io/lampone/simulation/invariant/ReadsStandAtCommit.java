package io.lampone.simulation.invariant;

import io.lampone.protocol.Bytes;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Invariant that committed serializable transactions have read the state left by the commits below
 * their commit timestamps, except their own: at their commit, and for ever.
 */
public final class ReadsStandAtCommit implements Invariant, Commits.Listener {

  private final World world;
  private final Commits commits;

  /** Start timestamps of serializable transactions. */
  private final Set<Long> serializable = new HashSet<>();

  /** Reads of each transaction, by start timestamp. */
  private final Map<Long, List<Seen>> reads = new HashMap<>();

  /** Reads of committed serializable transactions, by place. */
  private final Map<Place, List<Standing>> standing = new HashMap<>();

  private record Seen(Place place, Optional<Bytes> value) {}

  private record Standing(long start, long commit, Optional<Bytes> value) {}

  public ReadsStandAtCommit(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
    commits.listen(this);
  }

  @Override
  public void serializable(long start) {
    serializable.add(start);
  }

  @Override
  public void read(long snapshot, Place place, Optional<Bytes> value) {
    if (serializable.contains(snapshot)) {
      reads.computeIfAbsent(snapshot, s -> new ArrayList<>()).add(new Seen(place, value));
    }
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    for (Seen seen : reads.getOrDefault(start, List.of())) {
      Standing stands = new Standing(start, commit, seen.value());
      require(seen.place(), stands);
      standing.computeIfAbsent(seen.place(), p -> new ArrayList<>()).add(stands);
    }
    for (Place place : places) {
      for (Standing stands : standing.getOrDefault(place, List.of())) {
        if (commit < stands.commit()) {
          require(place, stands);
        }
      }
    }
  }

  private void require(Place place, Standing stands) {
    Optional<Map.Entry<Long, Optional<Bytes>>> newest = commits.below(place, stands.commit());
    if (!newest.flatMap(Map.Entry::getValue).equals(stands.value())) {
      world.violated(
          "ReadsStandAtCommit",
          "a serializable transaction has read what does not hold at its commit, place="
              + place
              + " start="
              + stands.start()
              + " commit="
              + stands.commit()
              + " read="
              + stands.value()
              + " holds="
              + newest);
    }
  }
}
