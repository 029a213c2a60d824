package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.load.LoadPlan;
import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.benchmarks.load.RawLoad;
import io.lampone.benchmarks.load.WriteSizes;
import io.lampone.cli.Lampone;
import io.lampone.cli.ScratchFolder;
import io.lampone.embedded.EmbeddedZooKeeper;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The tools on transaction managers in processes of their own. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TmToolsIT {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource({"library,embedded", "raw,memory"})
  void loadEndsWithOneLineOfFigures(String client, String store) throws Exception {
    int exit =
        execute(
            "tm-load",
            "--local",
            "--store=" + store,
            "--client=" + client,
            "--seconds=3",
            "--warm-up=1",
            "--connections=2",
            "--outstanding=256",
            "--cells=1000",
            "--distribution=zipf",
            "--json");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString().strip().lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(out.toString());
    List<String> names = new ArrayList<>();
    json.fieldNames().forEachRemaining(names::add);
    assertThat(names)
        .containsExactly(
            "pairsPerSecond",
            "timestampsPerSecond",
            "tmCpuMicrosPerPair",
            "clientCpuMicrosPerPair",
            "beginP50Micros",
            "beginP99Micros",
            "commitP50Micros",
            "commitP99Micros",
            "aborts",
            "failures",
            "roundTripsWaited",
            "client");
    for (String name : names.subList(0, 8)) {
      assertThat(json.get(name).asDouble()).as(name).isPositive();
    }
    assertThat(json.get("timestampsPerSecond").asDouble()).isGreaterThan(1000);
    assertThat(json.get("beginP99Micros").asDouble())
        .isGreaterThanOrEqualTo(json.get("beginP50Micros").asDouble());
    // So few cells, chosen so unevenly, by so many at a time: some must meet.
    assertThat(json.get("aborts").asLong()).isPositive();
    assertThat(json.get("failures").asLong()).isZero();
    assertThat(json.get("client").asText()).isEqualTo(client);
    assertThat(err.toString()).contains("zipf 0.99", "10 % read-only", "timestamps/s");
  }

  /** Requests above the limit would fail at once and be repeated, without end. */
  @Test
  void moreThanTheLibraryKeepsUnderWayIsRefused() {
    assertThat(
            execute(
                "tm-load", "--local", "--store=memory", "--connections=2", "--outstanding=131073"))
        .isEqualTo(2);
    assertThat(err.toString()).contains("--outstanding must be in 1..131072, not 131073");
  }

  /** Otherwise the second half would wait for ever, and a lost warm-up count as no failure. */
  @Test
  void rawLoadOfAManagerThatGoesAwayFailsInBothHalves(@TempDir Path folder) throws Exception {
    LoadPlan plan =
        new LoadPlan(
            LoadPlan.Client.RAW,
            2,
            64,
            0,
            1000,
            0,
            WriteSizes.parse("fixed:2"),
            0,
            Duration.ZERO,
            Duration.ofSeconds(1),
            1);
    try (ManagerProcess manager =
            ManagerProcess.start(
                Map.of(), true, List.of(), LocalManager.JVM_OPTIONS, folder.resolve("log"));
        RawLoad load = startedLoad(plan, manager)) {
      manager.kill();
      assertThatThrownBy(load::stop).isInstanceOf(IOException.class).hasMessageContaining("ended");
      load.start(LoadPlan.Phase.PAIR);
      load.reset();
      assertThatThrownBy(load::stop).isInstanceOf(IOException.class).hasMessageContaining("ended");
    }
  }

  private static RawLoad startedLoad(LoadPlan plan, ManagerProcess manager) throws Exception {
    manager.awaitPrimary(Duration.ofMinutes(3));
    RawLoad load = new RawLoad(plan, manager.address(), SystemClock.INSTANCE);
    load.start(LoadPlan.Phase.BEGIN);
    return load;
  }

  /**
   * Load at a rate far below capacity: latency is that of one request and not of a queue. On a busy
   * machine one of five attempts must.
   */
  @Test
  void loadAtARateKeepsIt() throws Exception {
    double pairs = 0;
    double timestamps = 0;
    for (int attempt = 0; attempt < 5 && !isSteady(pairs, timestamps); attempt++) {
      out.getBuffer().setLength(0);
      int exit =
          execute(
              "tm-load",
              "--local",
              "--store=memory",
              "--seconds=4",
              "--warm-up=1",
              "--rate=1000",
              "--read-only=0",
              "--json");
      assertThat(exit).as(err.toString()).isZero();
      JsonNode json = new ObjectMapper().readTree(out.toString());
      pairs = json.get("pairsPerSecond").asDouble();
      timestamps = json.get("timestampsPerSecond").asDouble();
    }
    assertThat(isSteady(pairs, timestamps)).as(out.toString()).isTrue();
  }

  private static boolean isSteady(double pairs, double timestamps) {
    return Math.abs(pairs - 1000) <= 100 && Math.abs(timestamps - pairs) <= 0.1 * pairs;
  }

  @Test
  void aKilledPrimaryIsFollowedByTheOther() throws Exception {
    JsonNode json = failover("kill", 1, 10_000);
    // The lease of two seconds must expire, and waits are not much longer.
    assertThat(json.get("p50Millis").asDouble()).isBetween(1_000.0, 10_000.0);
    assertThat(json.get("p99Millis").asDouble()).isEqualTo(json.get("p50Millis").asDouble());
  }

  /** Pause of the primary; the trial fails if the resumed one replies on an old connection. */
  @Test
  void aStoppedPrimaryIsFollowedByTheOtherAndAnswersNobodyWhenWoken() throws Exception {
    JsonNode json = failover("pause", 1, 10_000);
    assertThat(json.get("p50Millis").asDouble()).isBetween(1_000.0, 10_000.0);
  }

  /** The median of three: on a busy machine one of them may be late. */
  @Test
  void aPlannedHandOverIsFollowedByTheClient() throws Exception {
    JsonNode json = failover("planned", 3, 1_500);
    // Far below the lease: no wait for its expiry.
    assertThat(json.get("p50Millis").asDouble()).isBetween(0.1, 1_500.0);
  }

  /** Repeats the command up to five times: on a busy machine several trials may be late. */
  private JsonNode failover(String kind, int trials, long longestMillis) throws Exception {
    JsonNode json = null;
    for (int attempt = 0; attempt < 5; attempt++) {
      out.getBuffer().setLength(0);
      int exit = execute("tm", "failover-test", "--trials=" + trials, "--kind=" + kind, "--json");
      assertThat(exit).as(err.toString()).isZero();
      json = new ObjectMapper().readTree(out.toString());
      assertThat(json.get("kind").asText()).isEqualTo(kind);
      assertThat(json.get("trials").asInt()).isEqualTo(trials);
      if (json.get("p50Millis").asDouble() <= longestMillis) {
        break;
      }
    }
    return json;
  }

  /** What was measured and what the managers have logged is the evidence. */
  @Test
  void aFailedTestOfTakeovers_keepsFiguresAndLog() throws Exception {
    StringWriter killing =
        new StringWriter() {
          @Override
          public void write(String text, int from, int length) {
            super.write(text, from, length);
            if (text.contains("kill 1 of 1")) {
              ProcessHandle.current()
                  .children()
                  .max(Comparator.comparing(child -> child.info().startInstant().orElseThrow()))
                  .ifPresent(ProcessHandle::destroyForcibly);
            }
          }
        };
    CommandLine line =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(killing, true));
    assertThat(line.execute("tm", "failover-test", "--trials=1", "--json")).isEqualTo(1);
    assertThat(new ObjectMapper().readTree(out.toString()).get("kind").asText()).isEqualTo("kill");
    assertThat(killing.toString()).contains("ERROR: ");
    Matcher log = Pattern.compile("The log stays: (\\S+)").matcher(killing.toString());
    assertThat(log.find()).as(killing.toString()).isTrue();
    Path kept = Path.of(log.group(1));
    assertThat(kept).isNotEmptyFile();
    new ScratchFolder(kept.getParent()).close();
  }

  @Test
  void statusInspectAndDrainSpeakToWhoeverIsRegistered(@TempDir Path folder) throws Exception {
    try (EmbeddedZooKeeper zooKeeper = LocalManager.startZooKeeper(folder)) {
      String where = "--zookeeper=" + zooKeeper.connectString();
      assertThat(execute("tm", "status", where)).isEqualTo(1);
      assertThat(out.toString()).contains("No transaction manager is registered");
      assertThat(execute("tm", "inspect", where)).isEqualTo(1);
      assertThat(err.toString()).contains("there is no primary", "'lampone tm run'");
      try (ManagerProcess manager =
          ManagerProcess.start(
              Map.of("lampone.tm.zookeeper.quorum", zooKeeper.connectString()),
              false,
              List.of(),
              LocalManager.JVM_OPTIONS,
              folder.resolve("manager.log"))) {
        manager.awaitPrimary(Duration.ofMinutes(3));
        await()
            .atMost(Duration.ofMinutes(3))
            .until(() -> execute("tm", "status", where, "--json") == 0);
        JsonNode status = new ObjectMapper().readTree(lastLine());
        assertThat(status.get("record").get("epoch").asLong()).isEqualTo(1);
        assertThat(status.get("managers").get(0).get("status").get("role").asText())
            .isEqualTo("primary");
        assertThat(execute("tm", "status", where)).isZero();
        assertThat(out.toString()).containsPattern("127.0.0.1:[0-9]+ +primary +1 ");
        assertThat(execute("tm", "inspect", "256", where, "--json")).isZero();
        assertThat(new ObjectMapper().readTree(lastLine()).get("startTimestamp").asLong())
            .isEqualTo(256);
        assertThat(execute("tm", "transactions", where)).isZero();
        assertThat(out.toString()).contains("No transaction has been open for more than a second");
        // Without a backup: refused unless forced; with force the process exits.
        assertThat(execute("tm", "handover", where)).isEqualTo(1);
        assertThat(execute("tm", "drain", where)).isEqualTo(1);
        assertThat(err.toString()).contains("drain was refused", "force");
        assertThat(execute("tm", "drain", "--force", where)).isZero();
        manager.awaitEnd(Duration.ofMinutes(3));
      }
    }
  }

  private String lastLine() {
    return out.toString().strip().lines().reduce("", (before, line) -> line);
  }

  @Test
  void aProcessorThatIsNotThereIsNotedAndTheLoadGoesOn() throws Exception {
    int exit =
        execute(
            "tm-load", "--local", "--store=memory", "--seconds=2", "--warm-up=0", "--pin=998,999");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString()).contains("Not pinned", "begins alone");
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
