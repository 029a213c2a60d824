package io.lampone.simulation.invariant;

import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.HashSet;
import java.util.Set;

/**
 * Invariant that a transaction with a check at its commit timestamp is committed only by its own
 * client, which has made the check.
 */
public final class OnlyItsOwnerCommits implements Invariant, Commits.Listener {

  private final World world;

  /** Start timestamps. */
  private final Set<Long> conditional = new HashSet<>();

  private final Set<Long> committing = new HashSet<>();

  public OnlyItsOwnerCommits(World world, Commits commits) {
    this.world = world;
    commits.listen(this);
  }

  @Override
  public void conditional(long start, boolean isConditional) {
    if (isConditional) {
      conditional.add(start);
    } else {
      conditional.remove(start);
    }
  }

  @Override
  public void commitsItself(long start) {
    committing.add(start);
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    if (conditional.contains(start) && !committing.contains(start)) {
      world.violated(
          "OnlyItsOwnerCommits",
          "committed before its client has checked what it read, start="
              + start
              + " commit="
              + commit);
    }
  }
}
