package io.lampone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark and checks that it has a figure, whatever its value. */
class JmhSmokeTest {

  private static final String FEW_KEYS = "4096";

  @Test
  void everyBenchmarkHasAFigure() throws Exception {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(20))
                    .param("keys", FEW_KEYS)
                    .verbosity(VerboseMode.SILENT)
                    .shouldFailOnError(true)
                    .build())
            .run();
    assertThat(results)
        .allSatisfy(
            result -> assertThat(result.getPrimaryResult().getScore()).isPositive().isFinite());
    List<String> names =
        results.stream()
            .map(result -> result.getParams().getBenchmark())
            .map(name -> name.substring("io.lampone.".length()))
            .distinct()
            .collect(Collectors.toList());
    assertThat(names)
        .containsExactlyInAnyOrder(
            "benchmarks.FrameChecksumBenchmark.finish",
            "benchmarks.FrameChecksumBenchmark.open",
            "tm.core.FrameBenchmark.pairs",
            "tm.core.TimestampBenchmark.next");
  }
}
