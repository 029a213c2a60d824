package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The tools on transaction managers in processes of their own. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
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

  /** At a rate far below what it can do, latency is that of one request and not of a queue. */
  @Test
  void loadAtARateKeepsIt() throws Exception {
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
    assertThat(json.get("pairsPerSecond").asDouble()).isBetween(900.0, 1100.0);
    assertThat(json.get("timestampsPerSecond").asDouble()).isBetween(900.0, 1100.0);
  }

  @Test
  void aKilledPrimaryIsFollowedByTheOther() throws Exception {
    int exit = execute("tm", "failover-test", "--trials=1", "--kind=kill", "--json");
    assertThat(exit).as(err.toString()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("kind").asText()).isEqualTo("kill");
    assertThat(json.get("trials").asInt()).isEqualTo(1);
    // The lease of two seconds must have run out, and nobody waits for much longer than that.
    assertThat(json.get("p50Millis").asDouble()).isBetween(1_000.0, 10_000.0);
    assertThat(json.get("p99Millis").asDouble()).isEqualTo(json.get("p50Millis").asDouble());
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
