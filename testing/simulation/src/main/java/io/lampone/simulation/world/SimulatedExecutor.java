package io.lampone.simulation.world;

import io.lampone.tmclient.SerialExecutor;

/** The event loop of a machine, until that dies: tasks are events there. */
public final class SimulatedExecutor implements SerialExecutor {

  private final SimulatedMachine owner;
  private final int incarnation;

  public SimulatedExecutor(SimulatedMachine owner) {
    this.owner = owner;
    this.incarnation = owner.incarnation();
  }

  @Override
  public void execute(Runnable task) {
    schedule(task, 0);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    if (owner.incarnation() == incarnation) {
      owner.after(delayNanos, task);
    }
  }
}
