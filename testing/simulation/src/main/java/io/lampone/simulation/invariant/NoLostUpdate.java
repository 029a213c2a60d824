package io.lampone.simulation.invariant;

import io.lampone.protocol.ConflictLevel;
import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Of two regular transactions that wrote one place, or at level ROW one row, the later began after
 * the earlier's commit.
 */
public final class NoLostUpdate implements Commits.Listener {

  private final World world;

  private final ConflictLevel level;

  /**
   * By place, or name of a row, and commit timestamp the start timestamp; an operation of the fast
   * path has none.
   */
  private final Map<Object, TreeMap<Long, Long>> writers = new HashMap<>();

  public NoLostUpdate(World world, Commits commits, ConflictLevel level) {
    this.world = world;
    this.level = level;
    commits.listen(this);
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    for (Place place : places) {
      Object unit = level == ConflictLevel.ROW ? place.row() : place;
      TreeMap<Long, Long> others = writers.computeIfAbsent(unit, p -> new TreeMap<>());
      Map.Entry<Long, Long> earlier = others.lowerEntry(commit);
      if (start != 0 && earlier != null && earlier.getKey() > start) {
        violated(place, start, commit, earlier.getKey());
      }
      Map.Entry<Long, Long> later = others.higherEntry(commit);
      if (later != null && later.getValue() != 0 && later.getValue() < commit) {
        violated(place, later.getValue(), later.getKey(), commit);
      }
      Long same = others.put(commit, start);
      if (same != null && same != start) {
        violated(place, start, commit, commit);
      }
    }
  }

  private void violated(Place place, long start, long commit, long other) {
    world.violated(
        "NoLostUpdate",
        "overwrote what it cannot have seen, place="
            + place
            + " start="
            + start
            + " commit="
            + commit
            + " other="
            + other);
  }
}
