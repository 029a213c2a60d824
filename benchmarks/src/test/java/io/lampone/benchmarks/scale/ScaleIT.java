package io.lampone.benchmarks.scale;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.Cores;
import io.lampone.protocol.time.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs each sweep for a moment; every field exists, and no figure is checked. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScaleIT {

  private static final Map<Sweep, List<Integer>> STEPS =
      Map.of(
          Sweep.THREADS, List.of(1, 2),
          Sweep.ROWS, List.of(200),
          Sweep.WRITES, List.of(1, 50),
          Sweep.SERVERS, List.of(1, 2),
          Sweep.MANAGER, List.of(0, 50));
  private static final int QUOTA_PERCENT = 50;

  @TempDir private Path folder;

  @Test
  void everyContestantIsMeasuredAtEachStepOfEachSweep() throws Exception {
    int quota = ProcessorQuotaTest.isPossible() ? QUOTA_PERCENT : 0;
    ScaleReport report =
        ScaleBench.run(
            new ScalePlan(
                STEPS,
                Kind.READ_WRITE,
                folder,
                Duration.ZERO,
                Duration.ofMillis(60),
                1,
                200,
                2,
                100,
                quota,
                7),
            new Cores(false, 0, 0),
            SystemClock.INSTANCE,
            line -> {});
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    assertThat(json.get("managerQuotaPercent").asInt()).isEqualTo(quota);
    Map<String, Integer> points = new TreeMap<>();
    for (JsonNode point : json.get("points")) {
      points.merge(point.get("sweep").asText(), 1, Integer::sum);
      assertThat(point.get("perSecond").asDouble()).as(point.toString()).isPositive();
      assertThat(point.get("latencyMeanMicros").asDouble()).isPositive();
      assertThat(point.get("latencyToNative")).as(point.toString()).hasSize(3);
      assertThat(point.get("latencyToFirstStepBesideNative")).as(point.toString()).hasSize(3);
      boolean hasPhases = Set.of("regular", "validated").contains(point.get("system").asText());
      assertThat(point.path("beginMicros").asDouble() > 0)
          .as(point.toString())
          .isEqualTo(hasPhases);
      boolean loaded = point.get("step").asInt() == 50 && point.has("managerShare");
      assertThat(point.path("managerPairsPerSecond").asDouble() > 0).isEqualTo(loaded);
    }
    // Two steps, one of rows, of native HBase twice, regular transactions, the fast path but once;
    // beside the manager's load those that it validates.
    assertThat(points)
        .isEqualTo(Map.of("threads", 8, "rows", 4, "writes", 6, "servers", 8, "manager", 10));
    report.write(folder.resolve("results"));
    for (Sweep sweep : Sweep.values()) {
      assertThat(folder.resolve("results").resolve("scale-" + sweep.key() + ".svg"))
          .content()
          .contains("<circle", sweep.title(), "regular");
    }
    assertThat(report.lines()).contains("### " + Sweep.MANAGER.title());
  }
}
