package io.lampone.sql.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.Latencies;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SqlReportTest {

  private final SqlReport report = new SqlReport();

  private void round(long plainMicros, long omidMicros, long lamponeMicros) {
    report.beginRound();
    for (SqlWorkload workload : SqlWorkload.values()) {
      add(SqlSystem.PLAIN, workload, plainMicros);
      add(SqlSystem.OMID, workload, omidMicros);
      add(SqlSystem.LAMPONE, workload, lamponeMicros);
    }
  }

  private void add(SqlSystem system, SqlWorkload workload, long micros) {
    Latencies slice = new Latencies();
    slice.record(TimeUnit.MICROSECONDS.toNanos(micros));
    report.add(system, workload, slice);
    report.add(system, workload, slice);
  }

  @Test
  void aRatioIsOfOneRound_andTheMedianOfThemIsTold() throws Exception {
    round(100, 200, 100);
    round(1_000, 2_000, 1_100);
    round(10, 20, 100);
    assertThat(report.ratio(SqlWorkload.COUNT, SqlSystem.OMID).median()).isBetween(0.54, 0.56);
    JsonNode rows = new ObjectMapper().readTree(report.toJson()).get("rows");
    assertThat(rows).hasSize(SqlWorkload.values().length);
    JsonNode select = rows.get(0);
    assertThat(select.get("name").asText()).isEqualTo("select-by-key");
    assertThat(select.get("againstOmid").asDouble()).isBetween(0.54, 0.56);
    assertThat(select.get("againstPlain").asDouble()).isBetween(1.09, 1.11);
    assertThat(select.get("target").asDouble()).isEqualTo(0.6);
    assertThat(select.get("targetOfPlain").asDouble()).isEqualTo(1.15);
    assertThat(select.get("met").asBoolean()).isTrue();
    assertThat(report.lines().get(1)).contains("SELECT by key", "0.55 (", "1.10 (");
  }

  @Test
  void aGoalThatIsMissed_isReported() throws Exception {
    round(100, 400, 200);
    JsonNode rows = new ObjectMapper().readTree(report.toJson()).get("rows");
    assertThat(rows.get(0).get("againstOmid").asDouble()).isLessThan(0.6);
    assertThat(rows.get(0).get("met").asBoolean()).as("twice as slow as plain").isFalse();
    assertThat(rows.get(1).get("met").asBoolean()).as("0.5 of Omid, but 0.4 wanted").isFalse();
    assertThat(rows.get(5).get("met").asBoolean()).as("no goal against plain").isTrue();
  }
}
