package io.lampone.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessorQuotaTest {

  private static final int PERCENT = 25;

  @TempDir private Path folder;

  @Test
  void whereNoProcessorTimeIsControlledItIsRefusedWithAdviceAndNothingIsLeft() throws Exception {
    assertThatThrownBy(() -> ProcessorQuota.create(folder, PERCENT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("run as root")
        .hasMessageContaining("leave the quota out");
    assertThat(folder).isEmptyDirectory();
    assertThatThrownBy(() -> ProcessorQuota.create(folder.resolve("nowhere"), PERCENT))
        .hasMessageContaining("run as root");
  }

  @Test
  void aProcessIsUnderItUntilItIsClosed() throws Exception {
    assumeTrue(isPossible(), "control groups cannot be written here");
    Process child = new ProcessBuilder("sleep", "600").start();
    try (ProcessorQuota quota = ProcessorQuota.create(ProcessorQuota.ROOT, PERCENT)) {
      assertThat(quota.holds(child.pid())).isFalse();
      quota.admit(child.pid());
      assertThat(quota.holds(child.pid())).isTrue();
      assertThat(groupOf(child)).contains("lampone-");
    } finally {
      assertThat(child.isAlive()).isTrue();
      assertThat(groupOf(child)).doesNotContain("lampone-");
      child.destroyForcibly();
    }
  }

  /** Returns true if this machine permits it; otherwise the test checks the refusal. */
  static boolean isPossible() throws IOException {
    Process child = new ProcessBuilder("sleep", "600").start();
    try (ProcessorQuota quota = ProcessorQuota.create(ProcessorQuota.ROOT, PERCENT)) {
      quota.admit(child.pid());
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      child.destroyForcibly();
    }
  }

  private static String groupOf(Process child) throws IOException {
    return Files.readString(Path.of("/proc", Long.toString(child.pid()), "cgroup"));
  }
}
