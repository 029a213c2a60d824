package io.lampone.benchmarks.operations.figures;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.operations.FastPathPlan;
import io.lampone.benchmarks.operations.ManagerCalls;
import io.lampone.benchmarks.operations.Row;
import io.lampone.benchmarks.report.Quartiles;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FastPathFiguresTest {

  private static final FastPathPlan PLAN =
      new FastPathPlan(
          Duration.ofSeconds(60), Duration.ofSeconds(20), 1, 1000, List.of(100, 2048), 42);

  private static final ManagerCalls.Counts NO_CALLS = new ManagerCalls.Counts(1000, 0, 0, 16);

  @Test
  void aLineForScriptsHasTheRowsAndApartFromThemTheControls() throws Exception {
    JsonNode json =
        new ObjectMapper()
            .readTree(
                figures(
                        NO_CALLS,
                        0,
                        row(Row.FAST_GET, 1.04),
                        row(Row.FAST_PUT, 1.16),
                        row(Row.CONTROL_GET, 0.98),
                        row(Row.CONTROL_PUT, 1.01))
                    .toJson());
    assertThat(json.get("rows")).hasSize(2);
    JsonNode get = json.get("rows").get(0);
    assertThat(get.get("name").asText()).isEqualTo("fast-path get / native get");
    assertThat(get.get("valueBytes").asInt()).isEqualTo(100);
    assertThat(get.get("ratio").asDouble()).isEqualTo(1.04);
    assertThat(get.get("q1").asDouble()).isEqualTo(1.03);
    assertThat(get.get("q3").asDouble()).isEqualTo(1.05);
    assertThat(get.get("cpuRatio").asDouble()).isEqualTo(1.5);
    assertThat(get.get("target").asDouble()).isEqualTo(1.05);
    assertThat(get.get("met").asBoolean()).isTrue();
    assertThat(json.get("rows").get(1).get("met").asBoolean()).isFalse();
    assertThat(json.get("controls")).hasSize(2);
    assertThat(json.get("controls").get(0).has("target")).isFalse();
    assertThat(json.get("aaSpread").asDouble()).isEqualTo(0.02);
    assertThat(json.get("tmCallsOfFastPath").asLong()).isZero();
    assertThat(json.get("failures").asLong()).isZero();
    assertThat(json.get("foreignProcessors").asDouble()).isEqualTo(0.25);
    assertThat(json.get("seed").asLong()).isEqualTo(42);
  }

  @Test
  void aTableForPeopleSaysWhatIsMet() {
    List<String> lines =
        figures(NO_CALLS, 0, row(Row.FAST_GET, 1.04), row(Row.FAST_PUT, 1.16)).lines();
    assertThat(lines)
        .anyMatch(
            line -> line.matches(".*fast-path get .*1\\.040 \\(1\\.030\\.\\.1\\.050\\).* met .*"))
        .anyMatch(line -> line.matches(".*fast-path put .*1\\.160 .*<= 1\\.15.* missed .*"))
        .anyMatch(line -> line.contains("seed 42"));
  }

  @Test
  void aFailureOrACallOfTheManagerMakesItUnsound() {
    RowFigures one = row(Row.FAST_GET, 1);
    assertThat(figures(NO_CALLS, 0, one).isSound()).isTrue();
    assertThat(figures(NO_CALLS, 1, one).isSound()).isFalse();
    assertThat(figures(new ManagerCalls.Counts(9, 1, 0, 0), 0, one).isSound()).isFalse();
    assertThat(figures(new ManagerCalls.Counts(9, 0, 1, 0), 0, one).isSound()).isFalse();
    assertThat(figures(NO_CALLS, 1, one).lines()).contains("1 operations failed, the first one: x");
  }

  @Test
  void slicesAreAsLongAsMakesEnoughRounds() {
    assertThat(PLAN.slice()).isBetween(Duration.ofMillis(26), Duration.ofMillis(27));
    assertThat(lasting(1).slice()).isEqualTo(Duration.ofMillis(5));
    assertThat(lasting(3600).slice()).isEqualTo(Duration.ofMillis(40));
  }

  private static FastPathPlan lasting(int seconds) {
    return new FastPathPlan(
        Duration.ofSeconds(seconds), Duration.ZERO, 1, 1000, List.of(100, 2048), 42);
  }

  private static FastPathFigures figures(
      ManagerCalls.Counts calls, long failures, RowFigures... figures) {
    return new FastPathFigures(
        PLAN,
        List.of(figures),
        24,
        calls,
        0.25,
        new FastPathFigures.Failed(failures, failures == 0 ? "" : "x"));
  }

  private static RowFigures row(Row row, double ratio) {
    return new RowFigures(
        row,
        100,
        new Quartiles(ratio - 0.01, ratio, ratio + 0.01),
        new RowFigures.Times(130, 30),
        new RowFigures.Times(125, 20),
        500);
  }
}
