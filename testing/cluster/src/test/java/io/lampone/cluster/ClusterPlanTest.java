package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
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
    assertThat(opened.members()).allMatch(member -> member.state() == ClusterMember.State.DEAD);
    assertThat(opened.members().stream().map(ClusterMember::port).distinct()).hasSize(10);
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
    ClusterMember myself =
        new ClusterMember("rs1", MemberRole.REGION_SERVER, Hosts.LOOPBACK, 1)
            .running(ProcessHandle.current());
    ProcessStart began = myself.began();
    assertThat(began.boot()).isNotEmpty();
    for (ProcessStart other :
        List.of(
            new ProcessStart("", 0, 12_345),
            new ProcessStart(began.boot(), began.ticks() + 1, began.millis()),
            new ProcessStart("another", began.ticks(), began.millis()))) {
      assertThat(started(mine, other).state()).as("%s", other).isEqualTo(ClusterMember.State.DEAD);
    }
    assertThat(started(mine, new ProcessStart(began.boot(), began.ticks(), 12_345)).state())
        .as("the clock was set")
        .isEqualTo(ClusterMember.State.RUNNING);
    assertThat(started(mine, new ProcessStart("", 0, began.millis())).state())
        .as("written by an older one")
        .isEqualTo(ClusterMember.State.RUNNING);
    assertThat(myself.state()).isEqualTo(ClusterMember.State.RUNNING);
    assertThat(ProcStat.cpuTime(mine).orElseThrow()).isPositive();
  }

  @Test
  void aFolderThatWasMovedOrCopiedIsRefused() throws IOException {
    Path made = folder.resolve("made");
    Path other = folder.resolve("other");
    create(made);
    Files.createDirectories(other);
    Files.copy(made.resolve("cluster.json"), other.resolve("cluster.json"));
    for (boolean moved : List.of(false, true)) {
      if (moved) {
        Files.move(made, folder.resolve("away"));
      }
      assertThatThrownBy(() -> LocalCluster.open(other, SystemClock.INSTANCE))
          .hasMessageContaining("move it back, or make a new cluster")
          .hasMessageContaining("folder=" + other + " made=" + made);
    }
    Files.createSymbolicLink(made, folder.resolve("away"));
    assertThat(LocalCluster.open(folder.resolve("away"), SystemClock.INSTANCE).members())
        .as("it is the same by another name")
        .hasSize(10);
  }

  private static ClusterMember started(long pid, ProcessStart began) {
    return new ClusterMember("rs1", MemberRole.REGION_SERVER, Hosts.LOOPBACK, 1, pid, began);
  }

  @Test
  void whatIsRunningIsFoundAgain() {
    Path made = folder.resolve("new");
    LocalCluster cluster = create(made);
    Map<String, ClusterMember> members = new LinkedHashMap<>();
    for (ClusterMember member : cluster.members()) {
      members.put(member.name(), member.running(ProcessHandle.current()));
    }
    new ClusterFile(made).write(cluster.plan(), members);
    assertThat(LocalCluster.open(made, SystemClock.INSTANCE).members())
        .containsExactlyElementsOf(members.values())
        .allMatch(member -> member.state() == ClusterMember.State.RUNNING);
  }

  @Test
  void oneAtATimeStartsOrStops() {
    Path made = folder.resolve("new");
    try (ClusterLock lock = ClusterLock.take(made)) {
      assertThatThrownBy(() -> ClusterLock.take(made))
          .hasMessageContaining("another command is starting or stopping")
          .hasMessageContaining("folder=" + made);
      create(made);
    }
    ClusterLock.take(made).close();
  }

  @Test
  void aProcessThatCannotBeWrittenDownIsEnded() throws IOException {
    Path made = folder.resolve("new");
    LocalCluster cluster =
        LocalCluster.create(
            ClusterPlan.small(made), sleeping(), SystemClock.INSTANCE, new Random());
    Files.createDirectories(made.resolve("cluster.json.next"));
    Set<ProcessHandle> before = ProcessHandle.current().children().collect(Collectors.toSet());
    assertThatThrownBy(() -> cluster.start("zk1", "")).hasMessageContaining("cannot write");
    assertThat(cluster.member("zk1").state()).isEqualTo(ClusterMember.State.DEAD);
    ProcessHandle.current()
        .children()
        .filter(child -> !before.contains(child))
        .forEach(child -> assertThat(child.onExit()).succeedsWithin(Duration.ofSeconds(30)));
  }

  /** Members that sleep, whatever their arguments. */
  private static Hosts sleeping() {
    return new Hosts() {
      @Override
      public String address(String member) {
        return LOOPBACK;
      }

      @Override
      public List<String> prefix(String member) {
        return List.of("sh", "-c", "exec sleep 600");
      }
    };
  }

  private static LocalCluster create(Path folder) {
    return LocalCluster.create(ClusterPlan.redundant(folder), SystemClock.INSTANCE, new Random());
  }

  private ClusterPlan plan(int zooKeepers, int masters, int regionServers, Duration session) {
    return new ClusterPlan(folder, zooKeepers, masters, regionServers, 1, session, Map.of());
  }
}
