package io.lampone.simulation.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Outcome;
import io.lampone.protocol.OperationId;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which processes share what they know. */
final class HistoryRecorderTest {

  private final HistoryRecorder recorder =
      new HistoryRecorder(new World(new Chance(1), new Trace(false)));

  @Test
  void aClientRemembersAfterAnUnknownOutcomeAndForgetsWhenItDies() {
    int first = recorder.newSession();
    int second = recorder.sibling(first);
    int third = recorder.sibling(second);
    int reborn = recorder.newSession();
    assertThat(List.of(first, second, third, reborn)).doesNotHaveDuplicates();
    assertThat(session(third)).isEqualTo(session(first)).isEqualTo(session(second));
    assertThat(session(reborn)).isNotEqualTo(session(first));
    assertThat(session(recorder.newProcess())).isEqualTo(HistoryTransaction.NO_SESSION);
  }

  private int session(int process) {
    recorder.add(
        new HistoryRecorder.HistoryProcess(process, 0, true),
        Outcome.OK,
        List.of(),
        OperationId.NONE,
        0,
        0,
        "");
    List<HistoryRecorder.Entry> entries = recorder.entries();
    return entries.get(entries.size() - 1).seen().session();
  }
}
