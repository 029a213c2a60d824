package io.lampone.simulation.invariant;

import io.lampone.simulation.world.Place;
import io.lampone.simulation.world.World;
import java.util.HashSet;
import java.util.Set;

/** Invariant that a transaction reported as ended without effect never commits. */
public final class AbortedStaysAborted implements Invariant, Commits.Listener {

  private final World world;
  private final Commits commits;
  private final Set<Long> denied = new HashSet<>();

  public AbortedStaysAborted(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
    commits.listen(this);
  }

  @Override
  public void denied(long start) {
    denied.add(start);
    commits
        .commitOf(start)
        .ifPresent(commit -> violated("said to have left no trace", start, commit));
  }

  @Override
  public void committed(long start, long commit, Set<Place> places) {
    if (denied.contains(start)) {
      violated("commits after it was said to have left no trace", start, commit);
    }
  }

  private void violated(String what, long start, long commit) {
    world.violated("AbortedStaysAborted", what + ", start=" + start + " commit=" + commit);
  }
}
