package io.lampone.simulation.invariant;

import io.lampone.protocol.wire.WireReply;
import io.lampone.simulation.world.World;

/**
 * Invariant that a primary sends no replies once another one has acquired a later epoch; needs
 * honest clocks.
 */
public final class OneAnsweringPrimary implements Invariant {

  private final World world;
  private long newest;

  public OneAnsweringPrimary(World world) {
    this.world = world;
  }

  @Override
  public void becamePrimary(String manager, long epoch) {
    newest = Math.max(newest, epoch);
  }

  @Override
  public void answered(String manager, long epoch, WireReply reply) {
    if (epoch < newest) {
      world.violated(
          "OneAnsweringPrimary",
          "answered after its successor had begun, manager="
              + manager
              + " epoch="
              + epoch
              + " newest="
              + newest);
    }
  }
}
