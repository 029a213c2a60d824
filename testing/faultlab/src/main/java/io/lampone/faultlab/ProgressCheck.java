package io.lampone.faultlab;

import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientStatus;
import java.util.ArrayList;
import java.util.List;

/** Check for clients without progress. A stalled workload must not hide behind the others. */
final class ProgressCheck {

  private ProgressCheck() {}

  /**
   * Returns each workload of a client without an acknowledgment between two readings.
   *
   * @param before earlier status of each client
   * @param now current status of each client
   */
  static List<String> of(
      List<ClientStatus> before, List<ClientStatus> now, List<WorkloadKind> workloads) {
    List<String> stuck = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      for (WorkloadKind kind : workloads) {
        if (now.get(i).ok(kind) <= before.get(i).ok(kind)) {
          stuck.add(LabSize.clientHost(i) + " " + kind.label());
        }
      }
    }
    return stuck;
  }
}
