package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Output of the benchmark; figures are not checked, as they depend on the load of the machine. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchFastPathIT {

  private static final int ROWS = 10;
  private static final int CONTROLS = 2;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void onAClusterOfItsOwnItEndsWithOneLineOfEverythingAndNoCallOfTheManager() throws Exception {
    int exit = bench("--seconds=3", "--warm-up=1", "--rows=50", "--json");
    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString().strip().lines()).hasSize(1);
    JsonNode json = new ObjectMapper().readTree(out.toString());
    requireComplete(json, List.of(100, 2048));
    // Timestamps prefetched by the region servers use this counter too, so the counter works.
    assertThat(json.get("timestampsFetchedByServers").asLong())
        .isLessThan(json.get("fastPathOperations").asLong());
    assertThat(err.toString())
        .contains("Warming up", "Measuring", "fast-path get / native get", "<= 1.05");
  }

  @Test
  void onARunningClusterItDropsItsTablesAndMayUseSeveralThreads(@TempDir Path folder)
      throws Exception {
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      int exit =
          bench(
              "--zookeeper=" + cluster.hbase().zooKeeperConnectString(),
              "--seconds=2",
              "--warm-up=0",
              "--rows=500",
              "--threads=2",
              "--value-bytes=10",
              "--pid=" + ProcessHandle.current().pid(),
              "--seed=5",
              "--json");
      assertThat(exit).as(err.toString()).isZero();
      JsonNode json = new ObjectMapper().readTree(out.toString());
      requireComplete(json, List.of(10));
      assertThat(json.get("threads").asInt()).isEqualTo(2);
      assertThat(json.get("seed").asLong()).isEqualTo(5);
      assertThat(admin.listTableNames()).isEmpty();
    }
  }

  private static void requireComplete(JsonNode json, List<Integer> valueBytes) {
    assertThat(json.get("rows")).hasSize(ROWS * valueBytes.size());
    assertThat(json.get("controls")).hasSize(CONTROLS * valueBytes.size());
    List<String> names = new ArrayList<>();
    int counted = 0;
    int aims = 0;
    for (JsonNode row : json.get("rows")) {
      names.add(row.get("name").asText() + row.get("valueBytes").asInt());
      assertThat(valueBytes).contains(row.get("valueBytes").asInt());
      assertThat(row.get("ratio").asDouble()).isPositive();
      assertThat(row.get("q1").asDouble()).isLessThanOrEqualTo(row.get("ratio").asDouble());
      assertThat(row.get("q3").asDouble()).isGreaterThanOrEqualTo(row.get("ratio").asDouble());
      if (!row.get("cpuRatio").isNull()) {
        assertThat(row.get("cpuRatio").asDouble()).isPositive();
        counted++;
      }
      assertThat(row.has("target")).isEqualTo(row.has("met"));
      if (row.has("target")) {
        assertThat(row.get("target").asDouble()).isBetween(0.9, 2.0);
        aims++;
      }
      assertThat(row.get("operations").asLong()).isPositive();
    }
    assertThat(names).doesNotHaveDuplicates();
    // Scans have no aim.
    assertThat(aims).isEqualTo((ROWS - 1) * valueBytes.size());
    // Processor time is counted by ten milliseconds: of a short slice there may be none.
    assertThat(counted).isPositive();
    assertThat(json.get("aaSpread").asDouble()).isNotNegative();
    assertThat(json.get("tmCallsOfFastPath").asLong()).isZero();
    assertThat(json.get("fastPathOperations").asLong()).isPositive();
    assertThat(json.get("failures").asLong()).isZero();
    assertThat(json.get("rounds").asInt()).isPositive();
  }

  private int bench(String... more) {
    List<String> arguments = new ArrayList<>(List.of("bench", "fastpath"));
    arguments.addAll(List.of(more));
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }
}
