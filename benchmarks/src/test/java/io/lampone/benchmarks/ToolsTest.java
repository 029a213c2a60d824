package io.lampone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.lampone.benchmarks.report.Fields;
import io.lampone.benchmarks.report.JsonLine;
import io.lampone.benchmarks.report.MarkdownTable;
import io.lampone.benchmarks.report.Quartiles;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Arithmetic and output shared by all benchmarks. */
class ToolsTest {

  @Test
  void latenciesSurviveTheirTravel() {
    Latencies latencies = new Latencies();
    for (int i = 1; i <= 1000; i++) {
      latencies.record(i * 1000L);
    }
    Latencies copy = Latencies.decode(latencies.encode());
    assertThat(copy.count()).isEqualTo(1000);
    assertThat(copy.percentileMicros(50)).isCloseTo(500, within(1.0));
    assertThat(copy.percentileMicros(99)).isCloseTo(990, within(1.0));
    assertThat(copy.meanMicros()).isCloseTo(500.5, within(1.0));
    copy.add(latencies);
    assertThat(copy.count()).isEqualTo(2000);
  }

  @Test
  void noLatenciesHaveNoTime() {
    assertThat(new Latencies().meanMicros()).isZero();
    assertThat(new Latencies().percentileMicros(99)).isZero();
  }

  @Test
  void quartilesLieBetweenNeighbours() {
    assertThat(Quartiles.of(List.of(4.0, 1.0, 3.0, 2.0, 5.0))).isEqualTo(new Quartiles(2, 3, 4));
    assertThat(Quartiles.of(List.of(1.0, 2.0))).isEqualTo(new Quartiles(1.25, 1.5, 1.75));
    assertThat(Quartiles.of(List.of(7.0)).format("%.1f")).isEqualTo("7.0 (7.0..7.0)");
    assertThatThrownBy(() -> Quartiles.of(List.of())).hasMessage("no figures");
  }

  @Test
  void aServerThatTookLessTimeThanTheSystemCountsTookOneTick() {
    TransactionLoadResult load =
        new TransactionLoadResult(50, 0, 0, 1_000_000_000, new Latencies(), new Latencies());
    assertThat(new Slice(new LoadPhase.Rate(50), load, 0).perCpuSecond()).isEqualTo(5_000);
    assertThat(new Slice(new LoadPhase.Rate(50), load, 20_000_000).perCpuSecond()).isEqualTo(2_500);
  }

  @Test
  void aLineKeepsItsFields() {
    Fields line =
        Fields.parse(Fields.of("slice").with("to", "echo").with("requests", 3).toString());
    assertThat(line.word()).isEqualTo("slice");
    assertThat(line.text("to")).isEqualTo("echo");
    assertThat(line.number("requests")).isEqualTo(3);
    assertThatThrownBy(() -> line.text("port")).hasMessageContaining("name=port");
    // Base64 may end with the separator of name and value.
    assertThat(Fields.parse("x hist=abc==").text("hist")).isEqualTo("abc==");
  }

  @Test
  void aTableIsMarkdown() {
    MarkdownTable table = new MarkdownTable("a", "longer");
    table.add("1234", "5");
    assertThat(table.toString()).isEqualTo("| a    | longer |\n|---|---|\n| 1234 | 5      |\n");
    assertThatThrownBy(() -> table.add("1")).hasMessage("wrong number of cells, cells=1 columns=2");
  }

  @Test
  void figuresAreOneLineOfJson() {
    Map<String, Object> figures = new TreeMap<>(Map.of("a", 1, "b", List.of(0.5, true)));
    figures.put("c\"", "x\ny");
    assertThat(JsonLine.of(figures))
        .isEqualTo("{\"a\":1,\"b\":[0.5000,true],\"c\\\"\":\"x\\u000ay\"}");
  }

  @Test
  void optionsThatNobodyKnowsAreRefused() {
    Options options =
        new Options("--rates 1,20 --json".split(" "), Set.of("rates", "slices"), Set.of("json"));
    assertThat(options.numbers("rates", "5")).containsExactly(1, 20);
    assertThat(options.number("slices", 7)).isEqualTo(7);
    assertThat(options.has("json")).isTrue();
    assertThatThrownBy(() -> new Options(new String[] {"--rate"}, Set.of("rates"), Set.of()))
        .hasMessageContaining("option=--rate")
        .hasMessageContaining("[rates]");
    assertThatThrownBy(() -> new Options("--n 0".split(" "), Set.of("n"), Set.of()).number("n", 1))
        .hasMessageContaining("option=--n");
  }
}
