package io.lampone.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.compare.report.CompareFiles;
import io.lampone.benchmarks.compare.report.CompareReport;
import io.lampone.protocol.time.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Short comparison with Omid. Results are checked only where they are exact. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompareIT {

  @TempDir private Path folder;

  @Test
  void everyContenderIsMeasuredAndEveryPairIsCompared() throws Exception {
    System.setProperty(ChildProcess.JVM_OPTIONS, ChildProcess.FOR_SHORT_RUNS);
    CompareReport report =
        Comparator.run(
            new ComparePlan(
                Set.of(SystemUnderTest.FAST_PATH, SystemUnderTest.OMID_LOW_LATENCY),
                List.of(TransactionClass.READ, TransactionClass.READ_WRITE, TransactionClass.MIX),
                Optional.of(System.getProperty("java.class.path")),
                folder,
                Duration.ofMillis(1),
                Duration.ofMillis(600),
                Duration.ofMillis(60),
                1,
                100,
                100,
                Rows.THETA,
                0,
                false,
                7),
            SystemClock.INSTANCE,
            line -> {});
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    assertThat(json.get("omid").asBoolean()).isTrue();
    assertThat(json.get("rounds").asInt()).isEqualTo(1);
    // Native HBase twice, Omid, and the fast path with its regular transactions; three classes.
    assertThat(json.get("figures")).hasSize(4 * 3);
    // Without the control, each with each.
    assertThat(json.get("pairs")).hasSize(3 * 3);
    for (JsonNode figures : json.get("figures")) {
      assertThat(figures.get("committed").asLong()).as(figures.toString()).isPositive();
      // Less the idle consumption of a cold cluster, which may exceed that of this short load.
      assertThat(figures.get("cpuCluster").asDouble()).as(figures.toString()).isNotNegative();
      assertThat(figures.get("cpuClient").asDouble()).as(figures.toString()).isPositive();
    }
    for (JsonNode pair : json.get("pairs")) {
      for (String measure : List.of("roundTrips", "cpu", "latency", "throughput")) {
        JsonNode ratio = pair.get(measure);
        assertThat(ratio.get("median").asDouble()).as(pair.toString()).isPositive();
        assertThat(ratio.get("q1").asDouble()).isLessThanOrEqualTo(ratio.get("q3").asDouble());
        assertThat(ratio.get("aaSpread").asDouble()).isGreaterThanOrEqualTo(1);
        // One round supports no claim.
        assertThat(ratio.get("claim").asText()).isEqualTo("no claim");
      }
    }
    requireRoundTrips(json);
    requireSizes(json);
    for (JsonNode figures : json.get("figures")) {
      // One thread has no concurrent transactions, whatever was aborted.
      boolean snapshots = figures.get("system").asText().startsWith("omid");
      assertThat(figures.has("neededAborts")).as(figures.toString()).isEqualTo(snapshots);
      assertThat(figures.path("neededAborts").asLong()).isZero();
    }
    CompareFiles.write(report, List.of("a machine"), folder.resolve("results"));
    assertThat(folder.resolve("results").resolve("index.html"))
        .content()
        .contains("<svg", "a machine", "Lampone fast path");
    assertThat(folder.resolve("results").resolve("ratios.csv"))
        .content()
        .contains("mix,fastpath,omid-lowlatency,roundTrips,");
    assertThat(report.lines())
        .anyMatch(line -> line.contains("Lampone fast path / Omid lowLatency"));
  }

  /** With validators and serializable: aborts are in units of needed ones. */
  @Test
  void abortsOfSerializableTransactionsAreCountedWithValidators() throws Exception {
    System.setProperty(ChildProcess.JVM_OPTIONS, ChildProcess.FOR_SHORT_RUNS);
    List<String> told = Collections.synchronizedList(new ArrayList<>());
    CompareReport report =
        Comparator.run(
            new ComparePlan(
                Set.of(SystemUnderTest.REGULAR),
                List.of(TransactionClass.MIX),
                Optional.empty(),
                folder,
                Duration.ofMillis(1),
                Duration.ofMillis(600),
                Duration.ofMillis(300),
                4,
                20,
                100,
                0.99,
                1,
                true,
                7),
            SystemClock.INSTANCE,
            told::add);
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    assertThat(told).contains("Validators with a share: v1");
    assertThat(json.get("validators").asInt()).isEqualTo(1);
    assertThat(json.get("isolation").asText()).isEqualTo("SERIALIZABLE");
    long needed = 0;
    for (JsonNode figures : json.get("figures")) {
      if (figures.get("system").asText().startsWith("lampone")) {
        long ended = figures.get("conflicts").asLong() + figures.get("aborted").asLong();
        assertThat(figures.get("committed").asLong()).as(figures.toString()).isPositive();
        assertThat(figures.get("neededAborts").asLong())
            .as(figures.toString())
            .isLessThanOrEqualTo(ended);
        needed += figures.get("neededAborts").asLong();
      }
    }
    assertThat(needed).as(json.toString()).isPositive();
  }

  /**
   * Checks sizes: only a mix has transactions of several; its mean lies between those of its sizes.
   */
  private static void requireSizes(JsonNode json) {
    for (JsonNode figures : json.get("figures")) {
      List<Double> sizes = new ArrayList<>();
      for (int rows = 1; rows <= Rows.MOST_ROWS; rows++) {
        JsonNode size = figures.path("latencyOfSize" + rows);
        if (!size.isMissingNode()) {
          sizes.add(size.asDouble());
        }
      }
      if (figures.get("class").asText().equals("mix")) {
        assertThat(sizes).as(figures.toString()).isNotEmpty();
        assertThat(figures.get("latency").asDouble())
            .isBetween(0.99 * Collections.min(sizes), 1.01 * Collections.max(sizes));
      } else {
        assertThat(sizes).as(figures.toString()).isEmpty();
      }
    }
  }

  /** Checks exact counts of requests. A read soon after a write may need one more request. */
  private static void requireRoundTrips(JsonNode json) {
    List<String> counted = new ArrayList<>();
    for (JsonNode figures : json.get("figures")) {
      String which = figures.get("system").asText() + " " + figures.get("class").asText();
      double trips = figures.get("roundTrips").asDouble();
      double expected =
          switch (which) {
            case "native read", "native-again read", "fastpath read" -> 1;
            case "native read-write", "native-again read-write", "fastpath read-write" -> 2;
            default -> 0;
          };
      if (expected > 0) {
        counted.add(which);
        assertThat(trips).as(figures.toString()).isBetween(expected - 0.01, expected + 0.5);
      }
    }
    assertThat(counted).hasSize(6);
  }
}
