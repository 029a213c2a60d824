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

/** What a run of the fault lab says about a planted bug. */
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
  void anAnomalyFindsTheBugAtOnce() throws Exception {
    Workbench.Finding finding =
        lab("touch again; echo '1 ANOMALIES:'; echo '  lost update'; exit 1");
    assertThat(finding.found()).isTrue();
    assertThat(finding.by()).isEqualTo("lost update, seed 1");
  }

  /** Runs the lab's layer with a script in its place. */
  private Workbench.Finding lab(String script) throws IOException, InterruptedException {
    Path logs = Files.createDirectories(folder.resolve("logs"));
    WorkingCopy copy = new WorkingCopy(folder.resolve("copy"), logs, "");
    Path command = copy.root().resolve("bin/lampone");
    Files.createDirectories(command.getParent());
    Files.writeString(command, "#!/bin/sh\n" + script + "\nsleep 2\n");
    assertThat(command.toFile().setExecutable(true)).isTrue();
    LayerRuns runs =
        new LayerRuns(copy, new SourceTree("c", "p", "t"), folder, 16, SystemClock.INSTANCE);
    return runs.run(MutationLayer.LAB, Bugs.bug("a"), Duration.ofMinutes(1));
  }
}
