package io.lampone.faultlab.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lampone.cluster.Hosts;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that each fault takes effect, in a Java process, while it runs. */
class LibcFaultsTest {

  private static final String MEMBER = "zk1";
  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  @TempDir private Path folder;

  private LibcFaults libcFaults;
  private Process process;
  private BufferedReader answers;
  private Path file;

  @BeforeEach
  void startsAProcess() throws Exception {
    assumeTrue(LibcFaults.problem().isEmpty(), "no compiler here");
    Path data = folder.toRealPath().resolve("data");
    file = Files.createDirectories(data.resolve(MEMBER)).resolve("file");
    libcFaults = LibcFaults.create(Hosts.loopback(), List.of(MEMBER), folder.resolve("lab"), data);
    List<String> command = new ArrayList<>(libcFaults.prefix(MEMBER));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx64m"));
    command.add("-XX:+UseSerialGC");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SpoiltProcess.class.getName());
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  @AfterEach
  void endsIt() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  @Test
  void theWallClockJumpsAndIsRightAgainAndTimedWaitsGoOnAsBefore() throws Exception {
    assertThat(Math.abs(difference())).isLessThan(HOUR_MILLIS / 2);
    libcFaults.clock(MEMBER, Duration.ofHours(10).toNanos(), 0, System.nanoTime());
    assertThat(difference()).isBetween(9 * HOUR_MILLIS, 11 * HOUR_MILLIS);
    assertThat(waited()).isLessThan(HOUR_MILLIS);
    libcFaults.clock(MEMBER, Duration.ofHours(-10).toNanos(), 0, System.nanoTime());
    assertThat(difference()).isBetween(-11 * HOUR_MILLIS, -9 * HOUR_MILLIS);
    assertThat(waited()).isLessThan(HOUR_MILLIS);
    libcFaults.clockRight(MEMBER);
    assertThat(Math.abs(difference())).isLessThan(HOUR_MILLIS / 2);
  }

  @Test
  void theWallClockDrifts() throws Exception {
    // As if it had begun ten hours ago: one of them too much by now.
    long longAgo = System.nanoTime() - Duration.ofHours(10).toNanos();
    libcFaults.clock(MEMBER, 0, 100_000, longAgo);
    assertThat(difference()).isBetween(HOUR_MILLIS / 2, 2 * HOUR_MILLIS);
    libcFaults.clock(MEMBER, 0, -100_000, longAgo);
    assertThat(difference()).isBetween(-2 * HOUR_MILLIS, -HOUR_MILLIS / 2);
  }

  @Test
  void aFullDiskTakesWhatFitsAndRefusesTheRestUntilThereIsRoom() throws Exception {
    libcFaults.fullDisk(MEMBER, 10);
    assertThat(ask("write " + file + " 0 0123456789abcdef")).contains("No space left on device");
    // The process may have written other data meanwhile.
    assertThat(Files.readString(file)).hasSizeLessThanOrEqualTo(10);
    assertThat("0123456789").startsWith(Files.readString(file));
    assertThat(ask("write " + file + " 0 x")).contains("No space left on device");
    assertThat(libcFaults.spoilt(MEMBER)).isPositive();
    libcFaults.emptyDisk(MEMBER);
    assertThat(ask("write " + file + " 0 0123456789abcdef")).isEqualTo("written");
    assertThat(file).hasContent("0123456789abcdef");
  }

  @Test
  void aSlowDiskHoldsSyncsAndWritesUp() throws Exception {
    libcFaults.slowDisk(MEMBER, 200_000, 0);
    assertThat(ask("write " + file + " 0 x")).isEqualTo("written");
    assertThat(libcFaults.spoilt(MEMBER)).isZero();
    assertThat(Long.parseLong(ask("sync " + file)))
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
    assertThat(libcFaults.spoilt(MEMBER)).isEqualTo(1);
    libcFaults.slowDisk(MEMBER, 0, 1_000);
    assertThat(ask("write " + file + " 0 y")).isEqualTo("written");
    assertThat(libcFaults.spoilt(MEMBER)).isEqualTo(2);
  }

  @Test
  void aPowerCutTakesWhatWasNotSyncedAndLeavesWhatWas() throws Exception {
    Path other = file.resolveSibling("other");
    Path elsewhere = folder.resolve("elsewhere");
    long began = System.nanoTime();
    ask("write " + file + " 0 synced");
    ask("sync " + file);
    // Over it, behind it, and over the data behind it.
    ask("write " + file + " 2 NOT");
    ask("write " + file + " 6 -longer");
    ask("write " + file + " 8 !!!!!!!!!!");
    ask("write " + file + " 40 behind-a-gap");
    ask("write " + other + " 0 never-synced");
    ask("write " + elsewhere + " 0 not-below-its-folder");
    assertThat(file).content().startsWith("syNOTd-l!!!!!!!!!!").endsWith("behind-a-gap");
    process.destroyForcibly().waitFor();
    // As if no time had passed, however slow this machine is.
    assertThat(libcFaults.cutPower(MEMBER, began)).isEqualTo(5);
    assertThat(file).hasContent("synced");
    assertThat(other).isEmptyFile();
    assertThat(elsewhere).hasContent("not-below-its-folder");
    assertThat(libcFaults.cutPower(MEMBER, began)).isZero();
  }

  @Test
  void whatLinuxHasWrittenByItselfMeanwhileSurvivesAPowerCut() throws Exception {
    ask("write " + file + " 0 long-ago");
    process.destroyForcibly().waitFor();
    long later = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    assertThat(libcFaults.cutPower(MEMBER, later)).isZero();
    assertThat(file).hasContent("long-ago");
  }

  /** ZooKeeper never syncs its very first snapshot, and does not start again without it. */
  @Test
  void whatWasWrittenBeforeTheClusterWasReadyStays() throws Exception {
    long began = System.nanoTime();
    ask("write " + file + " 0 first");
    libcFaults.everythingIsWritten();
    ask("write " + file + " 5 -later");
    process.destroyForcibly().waitFor();
    assertThat(libcFaults.cutPower(MEMBER, began)).as("what came later").isEqualTo(1);
    assertThat(file).hasContent("first");
  }

  /** Between its wall clock and ours, in milliseconds. */
  private long difference() throws IOException {
    return Long.parseLong(ask("clock")) - System.currentTimeMillis();
  }

  /** How long a short timed wait of the process lasts, in milliseconds. */
  private long waited() throws IOException {
    long nanos = Long.parseLong(ask("wait"));
    assertThat(nanos).isPositive();
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  private String ask(String question) throws IOException {
    process.getOutputStream().write((question + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    return String.valueOf(answers.readLine());
  }
}
