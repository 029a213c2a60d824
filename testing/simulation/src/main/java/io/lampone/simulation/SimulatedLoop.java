package io.lampone.simulation;

import io.lampone.tmclient.Loop;

/** The event loop of a machine, until that dies: tasks are events there. */
final class SimulatedLoop implements Loop {

  private final Machine owner;
  private final int incarnation;

  SimulatedLoop(Machine owner) {
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
