package io.lampone.simulation.invariant;

import io.lampone.simulation.world.World;
import java.util.Optional;

/** Invariant that an acknowledged commit is durable, at the acknowledged timestamp. */
public final class AcknowledgedIsReadable implements Invariant {

  private final World world;
  private final Commits commits;

  public AcknowledgedIsReadable(World world, Commits commits) {
    this.world = world;
    this.commits = commits;
  }

  @Override
  public void acknowledged(long start, long commit) {
    Optional<Long> stored = commits.commitOf(start);
    if (!stored.equals(Optional.of(commit))) {
      world.violated(
          "AcknowledgedIsReadable",
          "acknowledged, start=" + start + " commit=" + commit + " stored=" + stored);
    }
  }
}
