package io.lampone.cli.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class YcsbReportTest {

  private final YcsbReport report = YcsbReport.ofRun(0);

  @Test
  void conflictsAreNoFailuresAndErrorsAre() {
    """
    [OVERALL], RunTime(ms), 512
    [READ], Operations, 50
    [READ], Return=OK, 49
    [READ], Return=NOT_FOUND, 1
    [UPDATE], Return=OK, 40
    [UPDATE], Return=CONFLICT, 9
    [UPDATE-FAILED], AverageLatency(us), 1
    [UPDATE], Return=STORE_UNAVAILABLE, 2
    [READ-MODIFY-WRITE], Return=ERROR, 3
    """
        .lines()
        .forEach(report::accept);
    assertThat(report.succeeded()).isEqualTo(89);
    assertThat(report.failures())
        .isEqualTo(Map.of("UPDATE STORE_UNAVAILABLE", 2L, "READ-MODIFY-WRITE ERROR", 3L));
  }

  @Test
  void scriptsGetEveryFigureByItsOwnName() throws Exception {
    """
    [OVERALL], RunTime(ms), 512
    [TXN-RANDOM-3], AverageLatency(us), 1512.25
    [READ], Return=OK, 49
    [CLOSED-ECONOMY], AnomalyScore, 1.0E-4
    [UPDATE], Return=ERROR, 3
    not a figure
    """
        .lines()
        .forEach(report::accept);
    JsonNode json = new ObjectMapper().readTree(report.toJson());
    assertThat(json.get("succeeded").asLong()).isEqualTo(49);
    assertThat(json.get("failures").get("UPDATE ERROR").asLong()).isEqualTo(3);
    assertThat(json.get("figures"))
        .hasToString(
            "{\"CLOSED-ECONOMY\":{\"AnomalyScore\":1.0E-4},\"OVERALL\":{\"RunTime(ms)\":512},"
                + "\"READ\":{\"Return=OK\":49},\"TXN-RANDOM-3\":{\"AverageLatency(us)\":1512.25},"
                + "\"UPDATE\":{\"Return=ERROR\":3}}");
  }

  @Test
  void moneyThatIsMissingIsAFailureHoweverLongTheRun() {
    report.accept("[CLOSED-ECONOMY], AnomalyScore, 0.000000");
    report.accept("[CLOSED-ECONOMY], MoneyMissingOrTooMuch, 0");
    assertThat(report.failures()).isEmpty();
    report.accept("[CLOSED-ECONOMY], MoneyMissingOrTooMuch, 1");
    assertThat(report.failures()).hasSize(1);
  }

  @Test
  void aRunWithoutAnAuditHasShownNothing() {
    report.accept("[CLOSED-ECONOMY], NothingShown, the last audit has failed: LP-302");
    assertThat(report.failures()).hasSize(1);
  }

  /** YCSB reports it only as a stack trace on standard output, with exit code 0. */
  @Test
  void aThreadThatLosesItsLastBatchHasFailed() {
    report.accept("[INSERT], Return=BATCHED_OK, 90");
    report.accept("site.ycsb.DBException: the last operations have failed: LP-302");
    report.accept("\tat site.ycsb.ClientThread.run(ClientThread.java:1)");
    report.accept("site.ycsb.WorkloadException");
    assertThat(report.failures())
        .isEqualTo(
            Map.of("the last operations have failed: LP-302", 1L, "a thread has failed", 1L));
  }

  @Test
  void anAbortIsAResultOfARunAndAFailureOfALoad() {
    YcsbReport load = YcsbReport.ofLoad(0);
    for (YcsbReport each : new YcsbReport[] {report, load}) {
      each.accept("[INSERT], Return=OK, 10");
      each.accept("[INSERT], Return=BATCHED_OK, 90");
      each.accept("[OPEN], Return=ABORTED, 1");
    }
    assertThat(report.failures()).isEmpty();
    assertThat(load.failures()).isEqualTo(Map.of("OPEN ABORTED", 1L));
    assertThat(load.succeeded()).isEqualTo(100);
  }

  @Test
  void operationsThatWereNotMadeAreFailures() {
    for (long asked : new long[] {0, 100, 101}) {
      YcsbReport each = YcsbReport.ofRun(asked);
      each.accept("[OVERALL], RunTime(ms), 512");
      each.accept("[OVERALL], Throughput(ops/sec), 195.3125");
      assertThat(each.failures())
          .isEqualTo(
              asked <= 100 ? Map.of() : Map.of("operations that were asked for and not made", 1L));
    }
  }

  @Test
  void whatIsAskedForStandsInFilesAndOptions(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("workload");
    Files.writeString(file, "recordcount=50\noperationcount=70\n");
    List<Path> files = List.of(file);
    assertThat(YcsbCount.ofLoad(files, null)).isEqualTo(50);
    assertThat(YcsbCount.ofLoad(files, List.of("insertcount=20"))).isEqualTo(20);
    assertThat(YcsbCount.ofRun(files, List.of("operationcount=80"))).isEqualTo(80);
    assertThat(YcsbCount.ofRun(files, List.of("maxexecutiontime=9"))).isZero();
    assertThat(YcsbCount.ofRun(files, List.of("operationcount=many"))).isZero();
  }

  @Test
  void aRunThatNeverBeganHasNoSuccess() {
    report.accept("site.ycsb.DBException: the binding cannot be used");
    report.accept("[OVERALL], Throughput(ops/sec), 0.0");
    assertThat(report.succeeded()).isZero();
  }
}
