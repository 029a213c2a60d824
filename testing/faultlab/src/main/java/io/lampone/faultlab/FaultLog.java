package io.lampone.faultlab;

import io.lampone.checker.format.HistoryWriter;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.faultlab.work.client.ClientPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes what was done to the cluster as one more part of a workload's history: checkers pass over
 * these lines, and a person sees what happened around an anomaly.
 */
final class FaultLog {

  private FaultLog() {}

  /**
   * Writes the part of one workload.
   *
   * @param faults all that were tried; what was not done says why, because it may have been begun
   */
  static void write(LabPlan plan, WorkloadKind kind, List<InjectedFault> faults)
      throws IOException {
    Path file = ClientPlan.faultPart(plan.parts(), kind);
    try (HistoryWriter writer =
        new HistoryWriter(
            Files.newBufferedWriter(file),
            ClientMain.header(kind, plan.tables(kind), plan.seed()),
            "lampone",
            () -> 0)) {
      for (InjectedFault fault : faults) {
        String name = fault.kind().label();
        String value =
            fault.isDone()
                ? fault.target()
                : (fault.target() + " not done: " + fault.problem()).strip();
        writer.fault(name, value, fault.injectedNanos());
        writer.fault(HistoryWriter.HEALED + name, fault.target(), fault.healedNanos());
      }
    }
  }
}
