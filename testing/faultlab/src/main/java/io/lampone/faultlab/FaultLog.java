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
 * Writes the injected faults as one more part of a workload's history: checkers skip these lines,
 * and a reader sees the faults around an anomaly.
 */
final class FaultLog {

  private FaultLog() {}

  /**
   * Writes the part of one workload.
   *
   * @param faults all that were tried; one that failed carries the reason, because it may have
   *     begun
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
