package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterPlanTest {

  @TempDir Path folder;

  @Test
  void aPlanThatCannotBeIsRefused() {
    assertThatThrownBy(() -> plan(2, 1, 1, Duration.ofSeconds(5)))
        .hasMessageContaining("zookeepers=2");
    assertThatThrownBy(() -> plan(1, 1, 0, Duration.ofSeconds(5)))
        .hasMessageContaining("region servers");
    assertThatThrownBy(() -> plan(1, 17, 1, Duration.ofSeconds(5)))
        .hasMessageContaining("value=17");
    assertThatThrownBy(() -> plan(1, 1, 1, Duration.ofMillis(10))).hasMessageContaining("PT2S");
  }

  @Test
  void whatIsCreatedCanBeOpened() {
    LocalCluster created = create(folder.resolve("new"));
    LocalCluster opened = LocalCluster.open(folder.resolve("new"), SystemClock.INSTANCE);
    assertThat(opened.plan()).isEqualTo(created.plan());
    assertThat(opened.members()).isEqualTo(created.members()).hasSize(10);
    assertThat(opened.members()).allMatch(member -> member.state() == Member.State.DEAD);
    assertThat(opened.members().stream().map(Member::port).distinct()).hasSize(10);
    assertThatThrownBy(opened::requireAllAlive)
        .hasMessageContaining("name=zk1 log=" + folder.resolve("new/logs/zk1.log"));
    assertThat(opened.quorum().split(",", -1)).hasSize(3);
  }

  @Test
  void aFolderThatHoldsSomethingElseIsLeftAlone() throws IOException {
    Files.writeString(folder.resolve("letter"), "to my aunt");
    assertThatThrownBy(() -> create(folder)).hasMessageContaining("not empty");
    assertThat(folder.resolve("letter")).hasContent("to my aunt");
  }

  @Test
  void whatIsNoClusterIsSaidToBeNone() {
    assertThatThrownBy(() -> LocalCluster.open(folder, SystemClock.INSTANCE))
        .hasMessageContaining("no cluster in this folder");
    LocalCluster cluster = create(folder.resolve("new"));
    assertThatThrownBy(() -> cluster.member("rs9"))
        .hasMessageContaining("rs9")
        .hasMessageContaining("rs1");
  }

  @Test
  void aProcessThatHasGotTheIdOfAMemberIsNotTakenForIt() {
    long mine = ProcessHandle.current().pid();
    Member stranger = new Member("rs1", Role.REGION_SERVER, Hosts.LOOPBACK, 1, mine, 12_345);
    assertThat(stranger.state()).isEqualTo(Member.State.DEAD);
    Member myself =
        new Member("rs1", Role.REGION_SERVER, Hosts.LOOPBACK, 1, 0, 0)
            .running(ProcessHandle.current());
    assertThat(myself.state()).isEqualTo(Member.State.RUNNING);
    assertThat(ProcStat.cpuTime(mine).orElseThrow()).isPositive();
  }

  private static LocalCluster create(Path folder) {
    return LocalCluster.create(ClusterPlan.redundant(folder), SystemClock.INSTANCE, new Random());
  }

  private ClusterPlan plan(int zooKeepers, int masters, int regionServers, Duration session) {
    return new ClusterPlan(folder, zooKeepers, masters, regionServers, 1, session, Map.of());
  }
}
