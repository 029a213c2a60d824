package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.faultlab.work.client.ClientStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgressCheckTest {

  private static final List<WorkloadKind> BOTH = List.of(WorkloadKind.BANK, WorkloadKind.MIX);

  private final ClientStatus before = status(3, 4);

  @Test
  void whoGetsOnWithEverythingDoesNotStandStill() {
    assertThat(stuck(status(4, 5))).isEmpty();
  }

  @Test
  void aWorkloadThatGetsNothingDoneDoesNotHideBehindAnother() {
    assertThat(stuck(status(3, 900))).containsExactly("client1 bank");
    assertThat(stuck(before)).containsExactly("client1 bank", "client1 mix");
  }

  @Test
  void aWorkloadThatHasNeverDoneAnythingStandsStill() {
    ClientStatus mixOnly = new ClientStatus(Map.of(WorkloadKind.MIX, 9L), 0, 0, 0, 0, 0);
    assertThat(ProgressCheck.of(List.of(ClientStatus.NONE), List.of(mixOnly), BOTH))
        .containsExactly("client1 bank");
  }

  @Test
  void aClientThatGetsOnDoesNotHideOneThatDoesNot() {
    assertThat(ProgressCheck.of(List.of(before, before), List.of(status(4, 5), status(4, 4)), BOTH))
        .containsExactly("client2 mix");
  }

  @Test
  void whatAClientSaysIsReadAgainAndAddedUp() {
    ClientStatus said = new ClientStatus(Map.of(WorkloadKind.BANK, 3L), 1, 2, 70, 80, 6);
    assertThat(ClientStatus.parse(said.toString())).isEqualTo(said);
    assertThat(ClientStatus.parse(ClientStatus.NONE.toString())).isEqualTo(ClientStatus.NONE);
    ClientStatus sum = said.plus(before);
    assertThat(sum.ok()).isEqualTo(10);
    assertThat(sum.ok(WorkloadKind.BANK)).isEqualTo(6);
    assertThat(sum.failed()).isEqualTo(1);
    assertThat(sum.unknown()).isEqualTo(2);
  }

  private List<String> stuck(ClientStatus now) {
    return ProgressCheck.of(List.of(before), List.of(now), BOTH);
  }

  private static ClientStatus status(long bank, long mix) {
    return new ClientStatus(Map.of(WorkloadKind.BANK, bank, WorkloadKind.MIX, mix), 0, 0, 0, 0, 0);
  }
}
