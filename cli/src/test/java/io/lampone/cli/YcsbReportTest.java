package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

class YcsbReportTest {

  private final YcsbReport report = new YcsbReport();

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
    report.accept("[CLOSED-ECONOMY], NothingShown, no audit has come to its end");
    assertThat(report.failures()).hasSize(1);
  }

  @Test
  void aRunThatNeverBeganHasNoSuccess() {
    report.accept("site.ycsb.DBException: the binding cannot be used");
    report.accept("[OVERALL], Throughput(ops/sec), 0.0");
    assertThat(report.succeeded()).isZero();
  }
}
