package io.lampone.simulation.world;

import io.lampone.checker.format.HistoryWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Faults of a run, with their ends, under their names in the fault lab; for histories. It changes
 * nothing and draws nothing.
 */
public final class FaultHistory {

  static final String KILL = "kill";
  static final String CLIENT_KILL = "client-kill";
  static final String PAUSE = "pause";
  static final String CLOCK = "clock";
  static final String PARTITION = "partition";
  static final String SLOW_DISK = "slow-disk";
  static final String HAND_OVER = "hand-over";
  public static final String MOVE = "move";
  public static final String SPLIT = "split";
  public static final String MERGE = "merge";
  public static final String COMPACT = "compact";

  private final World world;
  private final List<Line> lines = new ArrayList<>();

  /** A fault, or its end, at a moment of true time. */
  public record Line(long nanos, String name, String target) {}

  public FaultHistory(World world) {
    this.world = world;
  }

  /** It is over as soon as it is done. */
  public void done(String name, String target) {
    lasting(name, target, 0);
  }

  /** It is over after so long. */
  void lasting(String name, String target, long nanos) {
    lines.add(new Line(world.nowNanos(), name, target));
    lines.add(new Line(world.nowNanos() + nanos, HistoryWriter.HEALED + name, target));
  }

  /** It is over when the machine, which has just died, runs again. */
  void killed(String name, SimulatedMachine machine) {
    lines.add(new Line(world.nowNanos(), name, machine.name()));
    machine.whenUp(
        () -> lines.add(new Line(world.nowNanos(), HistoryWriter.HEALED + name, machine.name())));
  }

  public List<Line> lines() {
    return lines;
  }
}
