package io.lampone.faultlab.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.cluster.MemberRole;
import io.lampone.protocol.time.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which ends of servers count as their own, and as unexplained. */
class ExitsTest {

  private final Exits exits = new Exits();

  @Test
  void aServerThatEndsThoughNoFaultEndsOneIsUnexplained() {
    exits.found("rs1", MemberRole.REGION_SERVER, 5, false);
    assertThat(exits.unexplained(List.of(), 5)).containsExactly("rs1");
    for (FaultKind harmless :
        List.of(FaultKind.SPLIT, FaultKind.CLIENT_KILL, FaultKind.HOSTILE, FaultKind.BUCKET_MOVE)) {
      assertThat(unexplained(fault(harmless, "rs1"))).containsExactly("rs1");
    }
    assertThat(exits.since(5).counts()).containsOnly(Map.entry("lab.exit.rs", 1L));
  }

  @Test
  void aFaultExplainsTheEndsOfTheRolesThatItMet() {
    exits.found("rs1", MemberRole.REGION_SERVER, 5, false);
    assertThat(unexplained(fault(FaultKind.PAUSE, "rs1"))).isEmpty();
    assertThat(unexplained(fault(FaultKind.PARTITION, "tm1|rs"))).isEmpty();
    assertThat(unexplained(fault(FaultKind.PAUSE, "tm1"))).containsExactly("rs1");
    assertThat(unexplained(fault(FaultKind.PAUSE, "zk2"))).isEmpty();
    assertThat(unexplained(fault(FaultKind.KILL, "zk2"))).isEmpty();
    // A hand-over ends managers and nothing else.
    exits.found("tm1", MemberRole.MANAGER, 5, false);
    assertThat(unexplained(fault(FaultKind.HAND_OVER, "tm2"))).containsExactly("rs1");
  }

  @Test
  void theKillOfAServerExplainsNoEndOfAnother() {
    exits.found("rs2", MemberRole.REGION_SERVER, 5, false);
    assertThat(unexplained(fault(FaultKind.KILL, "rs1"))).containsExactly("rs2");
    assertThat(unexplained(fault(FaultKind.KILL_TWO, "rs1+tm2"))).containsExactly("rs2");
    assertThat(unexplained(fault(FaultKind.ROLLING, "all rs"))).containsExactly("rs2");
    assertThat(unexplained(fault(FaultKind.KILL_TWO, "rs1+zk2"))).isEmpty();
  }

  @Test
  void aFaultExplainsNothingBeforeItNorLongAfterIt() {
    long second = 1_000_000_000L;
    InjectedFault pause = new InjectedFault(FaultKind.PAUSE, "rs1", 100 * second, 110 * second, "");
    exits.found("rs1", MemberRole.REGION_SERVER, 99 * second, false);
    exits.found("rs2", MemberRole.REGION_SERVER, 101 * second, false);
    exits.found("rs3", MemberRole.REGION_SERVER, 169 * second, false);
    exits.found("rs4", MemberRole.REGION_SERVER, 171 * second, false);
    assertThat(exits.unexplained(List.of(pause), 0)).containsExactly("rs1", "rs4");
  }

  @Test
  void aFaultThatTheEndCutsShortIsNotDone() {
    assertThat(FaultKind.PAUSE.shortfall(3_999)).isNotEmpty();
    assertThat(FaultKind.PAUSE.shortfall(4_000)).isEmpty();
    assertThat(FaultKind.SPLIT.shortfall(0)).isEmpty();
  }

  private List<String> unexplained(InjectedFault fault) {
    return exits.unexplained(List.of(fault), 5);
  }

  private static InjectedFault fault(FaultKind kind, String target) {
    return new InjectedFault(kind, target, 1, 9, "");
  }

  @Test
  void neitherOneOfAnEarlierRoundNorOneOnAMachineThatStoodStillIsUnexplained() {
    exits.found("rs1", MemberRole.REGION_SERVER, 4, false);
    exits.found("tm1", MemberRole.MANAGER, 6, true);
    assertThat(exits.unexplained(List.of(), 5)).isEmpty();
    assertThat(exits.since(5).counts()).containsOnly(Map.entry("lab.exit.tm", 1L));
  }

  @Test
  void oneThatAFaultHasEndedIsNotCounted() {
    exits.expect("rs1");
    exits.found("rs1", MemberRole.REGION_SERVER, 5, false);
    assertThat(exits.since(5).counts()).isEmpty();
    exits.expectNoMore("rs1");
    exits.found("rs1", MemberRole.REGION_SERVER, 6, false);
    assertThat(exits.since(5).counts()).hasSize(1);
  }

  @Test
  void theKillOfAServerThatIsDeadIsNotDone(@TempDir Path folder) {
    ExecutorService thread = Machines.thread();
    LocalCluster neverStarted =
        LocalCluster.create(
            new ClusterPlan(folder.resolve("c"), 1, 1, 1, 1, 0, Duration.ofSeconds(5), Map.of()),
            SystemClock.INSTANCE,
            new Random(1));
    try (Machines machines = new Machines(neverStarted, thread)) {
      assertThatThrownBy(() -> machines.kill("rs1"))
          .isInstanceOf(FaultNotAppliedException.class)
          .hasMessageContaining("rs1");
    }
  }
}
