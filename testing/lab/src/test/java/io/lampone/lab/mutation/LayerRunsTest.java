package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a run of a layer says about a planted bug. */
class LayerRunsTest {

  @TempDir private Path folder;

  @Test
  void oneFailureOfTheLabItselfFindsNothing() throws Exception {
    // Fails at its first start only.
    assertThat(lab("test -e begun || { touch begun; echo no cluster; exit 1; }").found()).isFalse();
  }

  @Test
  void aLabWithoutTimeForASecondRoundHasNoResult() {
    assertThatThrownBy(() -> lab("sleep 2; echo no cluster; exit 1"))
        .isInstanceOf(PatchFailedException.class)
        .hasMessageContaining("no cluster");
  }

  @Test
  void aLabThatFailsTwiceFindsTheBug() throws Exception {
    Workbench.Finding finding = lab("echo no cluster; exit 1");
    assertThat(finding.found()).isTrue();
    assertThat(finding.by()).isEqualTo("the lab failed twice: no cluster, seed 1");
  }

  @Test
  void anAnomalyFindsTheBugIfARoundFailsAgain() throws Exception {
    String anomaly = "echo '1 ANOMALIES:'; echo '  lost update'; exit 1";
    Workbench.Finding finding = lab(anomaly);
    assertThat(finding.found()).isTrue();
    assertThat(finding.by()).isEqualTo("lost update, seed 1");
    assertThat(lab("test -e once || { touch once; " + anomaly + "; }").found()).isFalse();
  }

  @Test
  void aTestThatFailsOnceFindsNothing() throws Exception {
    String died = "echo forked VM terminated; exit 1";
    assertThat(tests("test -e begun || { touch begun; " + died + "; }").found()).isFalse();
    assertThat(tests(died).by()).isEqualTo("forked VM terminated");
  }

  @Test
  void failuresOfDifferentTestsFindNothing() throws Exception {
    String died = "case $n in 1|2) echo forked VM terminated, test $n; exit 1;; esac";
    assertThat(tests(counted(died)).found()).isFalse();
  }

  @Test
  void failuresOfDifferentRoundsOfTheLabFindNothing() throws Exception {
    assertThat(lab(counted("case $n in 1|3) exit 1;; 2) exit 0;; esac")).found()).isFalse();
  }

  /** Sets n to the number of the start. */
  private static String counted(String script) {
    return "echo >> starts; n=$(($(wc -l < starts))); " + script;
  }

  @Test
  void aSimulatorThatFailsWithoutAViolationFindsNothingAtOnce() throws Exception {
    String loads = "touch \"${LAMPONE_JAVA_OPTS#*file=}\"; ";
    assertThat(simulator(loads + "test -e begun || { touch begun; exit 1; }").found()).isFalse();
    assertThat(simulator("echo no memory; exit 1").by())
        .isEqualTo("the simulator failed twice: no memory");
    assertThat(simulator("echo '{\"violated\":[{\"invariant\":\"I\",\"seed\":7}]}'; exit 1").by())
        .isEqualTo("I, seed 7");
  }

  /** Runs the lab's layer with a script in its place. */
  private Workbench.Finding lab(String script) throws IOException, InterruptedException {
    return run(MutationLayer.LAB, "bin/lampone", script + "\nsleep 2");
  }

  private Workbench.Finding simulator(String script) throws IOException, InterruptedException {
    return run(MutationLayer.SIMULATOR, "bin/lampone", script);
  }

  private Workbench.Finding tests(String script) throws IOException, InterruptedException {
    return run(MutationLayer.MODELS, "mvnw", script);
  }

  private Workbench.Finding run(MutationLayer layer, String name, String script)
      throws IOException, InterruptedException {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    WorkingCopy copy = new WorkingCopy(folder.resolve("copy"), logs, "");
    Path command = copy.root().resolve(name);
    Files.createDirectories(command.getParent());
    Files.writeString(command, "#!/bin/sh\n" + script + "\n");
    assertThat(command.toFile().setExecutable(true)).isTrue();
    LayerRuns runs =
        new LayerRuns(copy, new SourceTree("c", "p", "t"), folder, 16, SystemClock.INSTANCE);
    return runs.run(layer, Bugs.bug("a"), Duration.ofMinutes(1));
  }
}
