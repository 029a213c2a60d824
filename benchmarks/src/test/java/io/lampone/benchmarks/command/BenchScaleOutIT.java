package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Validators in processes; times are not checked, as they depend on the load of the machine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchScaleOutIT {

  /** Where nothing is written, every transaction passes; shares depend on the machine else. */
  @Test
  void theLocalCheckIsCountedByShareOfWrites() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "scale-out", "--local-check", "--quick", "--keys=200", "--writes=0,60", "--json");
    assertThat(exit).as(err.toString()).isZero();
    JsonNode runs = new ObjectMapper().readTree(out.toString()).get("localCheck");
    assertThat(runs).hasSize(2);
    for (String way : List.of("together", "inTurn")) {
      JsonNode quiet = runs.get(0).get(way);
      assertThat(quiet.get("passed").asLong()).isPositive();
      assertThat(quiet.get("conflicts").asLong()).isZero();
      JsonNode busy = runs.get(1).get(way);
      assertThat(busy.get("passed").asLong() + busy.get("onSnapshot").asLong()).isPositive();
    }
    assertThat(runs.at("/1/together/onSnapshot").asLong()).isPositive();
    assertThat(runs.at("/1/together/conflicts").asLong()).as("none for one call").isZero();
    assertThat(runs.at("/1/inTurn/conflicts").asLong()).isPositive();
    assertThat(err.toString()).contains("pass %, get by get");
  }

  @Test
  void noTransactionFailsBecauseOfAnAddition_andTheKeysSentAreExact() throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exit =
        new CommandLine(new BenchCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute("scale-out", "--rounds=1", "--warm-up=0", "--json");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString().strip().lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("validators").asInt()).isEqualTo(2);
    assertThat(json.get("failuresOfAdd").asLong()).isZero();
    assertThat(json.get("changeP99Ratio").asDouble()).isPositive();
    assertThat(json.get("straddleKeys").toString()).isEqualTo("[12.0,10.7,10.0]");
    assertThat(json.get("killRecoveryMillis").asLong()).isNotNegative();
    assertThat(json.get("commitRatio").asDouble()).isPositive();
    for (String keys : List.of("2", "64")) {
      assertThat(json.get("primaryMicrosPerTransaction").get(keys).asDouble()).isPositive();
      assertThat(json.get("primaryMicrosAlone").get(keys).asDouble()).isPositive();
      assertThat(json.get("voteMicros").get(keys).asDouble()).isPositive();
    }
    assertThat(json.at("/projection/measured").asBoolean()).isFalse();
    assertThat(json.at("/projection/transactionsPerSecondOf31Keys/8").asLong()).isPositive();
    assertThat(err.toString()).contains("Projection, not measured");
  }
}
