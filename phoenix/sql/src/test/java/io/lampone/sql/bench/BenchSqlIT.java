package io.lampone.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.protocol.time.SystemClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The comparison runs for a moment. It fails by itself unless all systems end with equal rows. */
@Timeout(value = 40, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchSqlIT {

  @TempDir private Path folder;

  @BeforeEach
  void startFast() {
    System.setProperty(
        ChildProcess.JVM_OPTIONS,
        ChildProcess.FOR_SHORT_RUNS
            + " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
            + " -XX:MetaspaceSize=128m");
  }

  @AfterEach
  void startAsBefore() {
    System.clearProperty(ChildProcess.JVM_OPTIONS);
  }

  @Test
  void everyStatementIsMeasuredOnEachSystem_andTheyEndWithEqualRows() throws Exception {
    SqlReport report =
        SqlComparison.run(
            new SqlPlan(
                folder,
                300,
                Duration.ofMillis(1),
                Duration.ofMillis(1),
                Duration.ofMillis(10),
                Duration.ofMinutes(10),
                7),
            SystemClock.INSTANCE,
            line -> {});
    assertThat(report.rounds()).isEqualTo(1);
    JsonNode rows = new ObjectMapper().readTree(report.toJson()).get("rows");
    assertThat(rows).hasSize(SqlWorkload.values().length);
    for (JsonNode row : rows) {
      assertThat(row.get("againstOmid").asDouble()).as(row.toString()).isPositive();
      assertThat(row.get("againstPlain").asDouble()).as(row.toString()).isPositive();
    }
  }
}
