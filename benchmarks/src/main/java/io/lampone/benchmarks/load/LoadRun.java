package io.lampone.benchmarks.load;

import io.lampone.benchmarks.load.LoadPlan.Phase;
import java.io.IOException;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Run of both phases of a load, each with a warm-up and a measurement. */
public final class LoadRun {

  private final LoadPlan plan;
  private final Load load;
  private final OptionalLong managerPid;
  private final Consumer<String> progress;

  /**
   * Measurements of a phase.
   *
   * @param figures by the load itself
   * @param managerCpuNanos CPU time of the transaction manager
   * @param clientCpuNanos CPU time of this process
   */
  record Measured(
      PhaseFigures figures, OptionalDouble managerCpuNanos, OptionalDouble clientCpuNanos) {}

  /**
   * @param managerPid process whose CPU time is measured, if accessible
   */
  public LoadRun(LoadPlan plan, Load load, OptionalLong managerPid, Consumer<String> progress) {
    this.plan = plan;
    this.load = load;
    this.managerPid = managerPid;
    this.progress = progress;
  }

  /** Runs the phases. */
  public LoadResult run() throws IOException, InterruptedException {
    Measured begins = measure(Phase.BEGIN);
    Measured pairs = measure(Phase.PAIR);
    return LoadResult.of(plan, begins, pairs, load.roundTripsWaited());
  }

  private Measured measure(Phase phase) throws IOException, InterruptedException {
    progress.accept(
        (phase == Phase.BEGIN ? "Begins alone" : "Begins and commits")
            + ": warming up "
            + plan.warmUp().toSeconds()
            + " s, measuring "
            + plan.measured().toSeconds()
            + " s");
    load.start(phase);
    TimeUnit.NANOSECONDS.sleep(plan.warmUp().toNanos());
    long self = ProcessHandle.current().pid();
    OptionalLong managerBefore = cpu(managerPid);
    OptionalLong clientBefore = ProcessCpu.nanos(self);
    load.reset();
    TimeUnit.NANOSECONDS.sleep(plan.measured().toNanos());
    OptionalLong managerAfter = cpu(managerPid);
    OptionalLong clientAfter = ProcessCpu.nanos(self);
    PhaseFigures figures = load.stop();
    return new Measured(
        figures, difference(managerBefore, managerAfter), difference(clientBefore, clientAfter));
  }

  private static OptionalLong cpu(OptionalLong pid) {
    return pid.isPresent() ? ProcessCpu.nanos(pid.getAsLong()) : OptionalLong.empty();
  }

  private static OptionalDouble difference(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent()
        ? OptionalDouble.of(after.getAsLong() - before.getAsLong())
        : OptionalDouble.empty();
  }
}
