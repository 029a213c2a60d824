package io.lampone.simulation.invariant;

import io.lampone.simulation.world.World;

/** Invariant that a reader's claim on a transaction, if believed, agrees with its leader. */
public final class JudgmentsAreTrue implements Invariant {

  private final World world;
  private final Commits commits;

  public JudgmentsAreTrue(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
  }

  @Override
  public void judged(long start, long commit) {
    if (commits.commitOf(start).filter(stored -> stored == commit).isEmpty()) {
      world.violated("JudgmentsAreTrue", "start=" + start + " claimed=" + commit);
    }
  }
}
