package io.lampone.faultlab;

import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientStatus;
import java.util.ArrayList;
import java.util.List;

/** Check for clients without progress. A stalled workload must not hide behind the others. */
final class ProgressCheck {

  private ProgressCheck() {}

  /**
   * Each workload of a client of which nothing was acknowledged between two looks.
   *
   * @param before what each client had said
   * @param now what it says now
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
