package io.lampone.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the stress tests of this module in a JVM of their own, in the mode and for the tests that
 * the properties {@code stress.mode} and {@code stress.tests} of the build name.
 */
final class InterleavingsTest {

  private static final long LONGEST_RUN_MINUTES = 60;

  /** Where the annotation processor of jcstress lists what it has found. */
  private static final String LIST = "/META-INF/TestList";

  @TempDir Path reports;

  @Test
  void noForbiddenOutcomeIsSeen() throws IOException, InterruptedException {
    Path log = reports.resolve("log.txt");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-m",
                System.getProperty("lampone.stress.mode", "quick"),
                "-f",
                System.getProperty("lampone.stress.forks", "1"),
                "-iters",
                System.getProperty("lampone.stress.iterations", "1"),
                "-time",
                System.getProperty("lampone.stress.millis", "50"),
                "-sc",
                "false",
                "-t",
                System.getProperty("lampone.stress.tests", ".*"),
                "-r",
                reports.toString()));
    String jvm = System.getProperty("lampone.stress.jvm", "");
    if (!jvm.isEmpty()) {
      command.addAll(List.of("-jvmArgs", jvm));
    }
    Process process =
        new ProcessBuilder(command)
            .directory(reports.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(LONGEST_RUN_MINUTES, TimeUnit.MINUTES)).as("in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(log, StandardCharsets.UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output)
        .contains("Failed tests: No matches", "Error tests: No matches")
        .containsPattern("All remaining tests: [1-9]");
  }

  @Test
  void theStressTestsAreFound() throws IOException {
    try (var list = getClass().getResourceAsStream(LIST)) {
      assertThat(new String(list.readAllBytes(), StandardCharsets.UTF_8))
          .contains("SubmissionStackStress", "LocalVersionClockStress", "InFlightWritesStress")
          .contains("FencesStress", "SessionProofStress")
          .contains("InFlightEndsStress", "RegionReadinessStress", "RecentVersionsStress");
    }
  }
}
