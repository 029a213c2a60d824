package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.format.HistoryReader;
import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.fault.InjectedFault;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.time.SystemClock;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultLogTest {

  @TempDir private Path folder;

  @Test
  void whatWasDoneToTheClusterStandsInTheHistoryAtItsTime() throws Exception {
    LabPlan plan =
        new LabPlan(
            LabPlan.SHORTEST,
            7,
            List.of(WorkloadKind.BANK),
            List.of(FaultKind.KILL),
            folder,
            LabSize.SMALL,
            RunTarget.ANYTHING);
    Files.createDirectories(plan.parts());
    FaultLog.write(
        plan,
        WorkloadKind.BANK,
        List.of(
            new InjectedFault(FaultKind.KILL, "rs1", 20, 40, ""),
            new InjectedFault(FaultKind.PAUSE, "tm1", 30, 30, "has gone")));
    new PostRun(WorkloadKind.BANK, plan, Path.of("none"), SystemClock.INSTANCE).putTogether();
    Path file = PostRun.history(folder, WorkloadKind.BANK);
    assertThat(Files.readAllLines(file))
        .hasSize(5)
        .satisfies(
            lines ->
                assertThat(lines.get(0))
                    .contains("\"workload\":\"rw-register\"", "torture-bank", "row=sprintf"))
        .containsSubsequence(
            line(20, "kill", "rs1"),
            line(30, "pause", "tm1 not done: has gone"),
            line(30, "heal-pause", "tm1"),
            line(40, "heal-kill", "rs1"));
    try (Reader reader = Files.newBufferedReader(file)) {
      History history = HistoryReader.read(reader);
      assertThat(history.faults()).isEqualTo(4);
      assertThat(history.transactions()).isEmpty();
    }
  }

  private static String line(long time, String name, String value) {
    return "{\"type\":\"info\",\"process\":\"nemesis\",\"time\":%d,\"f\":\"%s\",\"value\":\"%s\"}"
        .formatted(time, name, value);
  }
}
