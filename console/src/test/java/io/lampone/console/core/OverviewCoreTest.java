package io.lampone.console.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.manager.ManagersReport;
import io.lampone.cli.manager.ValidatorsReport;
import io.lampone.protocol.tm.ClientWork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OverviewCoreTest {

  private static final long SECOND = 1_000_000_000L;

  private final OverviewCore core = new OverviewCore();

  @Test
  void next_firstAnswer_hasNoRates() throws IOException {
    ObjectNode overview = core.next(report("a", 5, 100, 10, 3), SECOND);
    assertThat(overview.get("transactionsPerSecond").isNull()).isTrue();
    assertThat(overview.get("abortsByCause")).isEmpty();
    assertThat(overview.get("primary").asText()).isEqualTo("tm1:1");
    assertThat(overview.get("safePointLagSeconds").asDouble()).isEqualTo(1.5);
    assertThat(overview.at("/safePoint/oldestHold/owner").asText()).isEqualTo("backup");
  }

  @Test
  void next_secondAnswer_hasRatesOfTheInterval() throws IOException {
    core.next(report("a", 5, 100, 10, 3), SECOND);
    ObjectNode overview = core.next(report("a", 5, 200, 30, 13), 3 * SECOND);
    assertThat(overview.get("transactionsPerSecond").asDouble()).isEqualTo(50);
    assertThat(overview.get("validationsPerSecond").asDouble()).isEqualTo(50);
    assertThat(overview.get("abortsByCause").size()).isEqualTo(2);
    assertThat(overview.get("abortsByCause").get("conflict.write-write").asDouble()).isEqualTo(10);
    assertThat(overview.get("abortsByCause").get("refused.other").asDouble()).isEqualTo(5);
  }

  @Test
  void next_overManySeconds_ratesAreThoseOfTheLastTen() throws IOException {
    ObjectNode overview = core.next(report("a", 5, 0, 0, 0), 0);
    for (int second = 1; second <= 30; second++) {
      overview =
          core.next(report("a", 5, second <= 15 ? 0 : 100L * (second - 15), 0, 0), second * SECOND);
    }
    assertThat(rate(overview).asDouble()).isEqualTo(100);
  }

  @Test
  void next_latencies_areQuantilesOfTheBucketsAdded() throws IOException {
    core.next(withPhase(0, 0), SECOND);
    ObjectNode overview = core.next(withPhase(90, 10), 3 * SECOND);
    JsonNode latency = overview.at("/latencies/0");
    assertThat(overview.get("latencies")).hasSize(1);
    assertThat(latency.get("phase").asText()).isEqualTo("fast-write");
    assertThat(latency.get("perSecond").asDouble()).isEqualTo(50);
    assertThat(latency.get("medianMillis").asDouble()).isEqualTo(0.524);
    assertThat(latency.get("p99Millis").asDouble()).isEqualTo(16.777);
    assertThat(overview.get("fastPathPerSecond").asDouble()).isEqualTo(50);
  }

  private static ManagersReport withPhase(long shorter, long longer) throws IOException {
    ManagersReport report = report("a", 5, 0, 0, 0);
    ObjectNode status = (ObjectNode) report.asked().get(0).answer().orElseThrow();
    ArrayNode buckets =
        ((ObjectNode) status.get("clientWork")).putObject("phases").putArray("fast-write");
    for (int bucket = 0; bucket <= ClientWork.BOUNDS; bucket++) {
      buckets.add(bucket == 10 ? shorter : bucket == 20 ? longer : 0);
    }
    return report;
  }

  @Test
  void next_regionServers_areShownWithTheirRates_andNullIfUndisclosed() throws IOException {
    assertThat(core.next(report("a", 5, 0, 0, 0), SECOND).get("regionServers").isNull()).isTrue();
    core.next(withServer(10, 1, 0), 2 * SECOND);
    ObjectNode overview = core.next(withServer(30, 3, 6), 4 * SECOND);
    JsonNode server = overview.at("/regionServers/0");
    assertThat(server.get("server").asText()).isEqualTo("rs1:1");
    assertThat(server.get("requestsPerSecond").asDouble()).as("both kinds").isEqualTo(20);
    assertThat(server.get("refusalsPerSecond").asDouble()).isEqualTo(1);
    assertThat(server.at("/refusalsByCode/BUSY").asDouble()).isEqualTo(1);
    assertThat(server.get("waitsPerSecond").asDouble()).isEqualTo(3);
    assertThat(server.get("clockLagSeconds").asDouble()).isEqualTo(0.25);
    assertThat(server.get("epoch").asLong()).isEqualTo(4);
    assertThat(server.get("unsettled").isNull()).as("of a server that does not report it").isTrue();
    assertThat(
            core.next(withServer(0, 0, 0), 5 * SECOND)
                .at("/regionServers/0/waitsPerSecond")
                .isNull())
        .as("after a restart")
        .isTrue();
  }

  private static ManagersReport withServer(long requests, long refusals, long waits)
      throws IOException {
    ManagersReport report = report("a", 5, 0, 0, 0);
    ObjectNode status = (ObjectNode) report.asked().get(0).answer().orElseThrow();
    ObjectNode server = status.putArray("regionServers").addObject();
    server.put("server", "rs1:1").put("reportAgeMillis", 500);
    server
        .putObject("values")
        .put("requests.Flush", requests)
        .put("requests.FastWrite", requests)
        .put("refusals.BUSY", refusals)
        .put("waits", waits)
        .put("clockLagMillis", 250)
        .put("epoch", 4);
    return report;
  }

  @Test
  void next_anotherProcessOrSmallerCounters_hasNoRates() throws IOException {
    core.next(report("a", 5, 100, 10, 3), SECOND);
    assertThat(rate(core.next(report("b", 5, 200, 10, 3), 2 * SECOND)).isNull()).isTrue();
    assertThat(rate(core.next(report("b", 5, 100, 10, 3), 3 * SECOND)).isNull()).isTrue();
    assertThat(rate(core.next(report("b", 5, 101, 10, 3), 4 * SECOND)).asDouble()).isEqualTo(1);
  }

  @Test
  void next_primaryWithoutLease_isNoPrimary() throws IOException {
    assertThat(core.next(report("a", 0, 1, 0, 0), SECOND).get("primary").isNull()).isTrue();
  }

  @Test
  void next_openTransactions_areShownOldestFirst_andNullIfUndisclosed() throws IOException {
    ObjectNode unknown = core.next(report("a", 5, 100, 10, 3), SECOND);
    assertThat(unknown.get("oldestTransactionSeconds").isNull()).isTrue();
    assertThat(unknown.get("longTransactions").isNull()).isTrue();
    ManagersReport report = report("a", 5, 100, 10, 3);
    ObjectNode status = (ObjectNode) report.asked().get(0).answer().orElseThrow();
    ObjectNode open = status.putObject("openTransactions").put("reported", 0);
    open.putArray("oldest");
    assertThat(core.next(report, SECOND).get("oldestTransactionSeconds").asDouble()).isZero();
    open.put("reported", 3);
    ((ArrayNode) open.get("oldest"))
        .addObject()
        .put("ageMillis", 75_200)
        .put("principal", "alice")
        .put("remote", "/10.0.0.7:4321")
        .put("tables", "accounts");
    ObjectNode known = core.next(report, SECOND);
    assertThat(known.get("oldestTransactionSeconds").asDouble()).isEqualTo(75.2);
    assertThat(known.get("longTransactions").asInt()).isEqualTo(3);
    assertThat(known.at("/oldestTransactions/0/principal").asText()).isEqualTo("alice");
  }

  @Test
  void next_hotRows_areShownWithTheirLosers_andNullIfUndisclosed() throws IOException {
    ManagersReport report = report("a", 5, 100, 10, 3);
    assertThat(core.next(report, SECOND).get("hotRows").isNull()).isTrue();
    ObjectNode status = (ObjectNode) report.asked().get(0).answer().orElseThrow();
    ArrayNode rows = status.putArray("hotRows");
    assertThat(core.next(report, SECOND).get("hotRows")).isEmpty();
    ObjectNode row = rows.addObject().put("kind", "range").put("table", "t").put("row", "r");
    row.put("conflicts", 9).put("lastWinner", 1L << 60);
    row.putArray("losers").addObject().put("principal", "alice").put("remote", "/a:1");
    JsonNode shown = core.next(report, SECOND).at("/hotRows/0");
    assertThat(shown.get("lastWinner").asText()).isEqualTo(Long.toString(1L << 60));
    assertThat(shown.get("conflicts").asInt()).isEqualTo(9);
    assertThat(shown.at("/losers/0/client").asText()).isEqualTo("/a:1");
  }

  @Test
  void next_manyAnswers_keepsBoundedMemory() throws IOException {
    ManagersReport report = report("a", 5, 1, 0, 0);
    List<ManagersReport.Asked> many = new ArrayList<>();
    for (int i = 0; i < 2 * OverviewCore.MAX_MANAGERS; i++) {
      many.addAll(report.asked());
    }
    ObjectNode overview = core.next(report, 0);
    for (int i = 1; i < 2 * OverviewCore.MAX_POINTS; i++) {
      overview = core.next(new ManagersReport(Optional.empty(), many), i);
    }
    assertThat(overview.get("course")).hasSize(OverviewCore.MAX_POINTS);
    assertThat(overview.get("managers")).hasSize(OverviewCore.MAX_MANAGERS);
  }

  @Test
  void next_validators_areShownWithTheirState_andNullIfUnknown() throws IOException {
    ManagersReport report = report("a", 5, 100, 10, 3);
    assertThat(core.next(report, SECOND).get("validators").isNull()).isTrue();
    assertThat(core.next(report, SECOND).get("bucketsOfPrimary").isNull()).isTrue();
    ValidatorsReport validators =
        new ValidatorsReport(
            840,
            0,
            List.of(
                new ValidatorsReport.Owner("v1", "a:1", 840, 70, 100, 0, 0),
                new ValidatorsReport.Owner("v2", "b:1", 840, 60, 900, 1, 30_500)),
            List.of(new ValidatorsReport.Idle("v3", "c:1", "too small")),
            List.of(
                new ValidatorsReport.Lost("v4", "d:1", 1, "closed"),
                new ValidatorsReport.Lost("v2", "b:1", 1, "it has a share again")));
    ObjectNode overview =
        core.next(
            new ManagersReport(report.record(), report.asked(), Optional.of(validators)), SECOND);
    assertThat(overview.get("bucketsOfPrimary").asInt()).isEqualTo(840);
    assertThat(overview.get("validators").findValuesAsText("name"))
        .containsExactly("v1", "v2", "v3", "v4");
    assertThat(overview.get("validators").findValuesAsText("state"))
        .containsExactly("votes", "silent 0.9 s", "no share", "lost");
    assertThat(overview.get("validators").findValuesAsText("problem"))
        .containsExactly("", "", "too small", "closed");
    assertThat(overview.at("/validators/0/remembersSeconds").isNull()).isTrue();
    assertThat(overview.at("/validators/1/remembersSeconds").asDouble()).isEqualTo(30.5);
    assertThat(overview.at("/validators/0/votesPerSecond").asLong()).isEqualTo(70);
  }

  @Test
  void failed_saysTheProblem_andKnowsNothing() throws IOException {
    core.next(report("a", 5, 100, 10, 3), SECOND);
    ObjectNode overview = core.failed("<b>no</b> ZooKeeper", 2 * SECOND);
    assertThat(overview.get("problem").asText()).isEqualTo("<b>no</b> ZooKeeper");
    assertThat(overview.get("primary").isNull()).isTrue();
    assertThat(rate(overview).isNull()).isTrue();
    assertThat(overview.get("hotRows").isNull()).isTrue();
  }

  private static JsonNode rate(ObjectNode overview) {
    return overview.get("transactionsPerSecond");
  }

  private static ManagersReport report(
      String process, long lease, long commits, long conflicts, long refusals) throws IOException {
    String status =
        String.format(
            """
            {"role":"primary","holder":"%s","primary":{"leaseRemainingMillis":%d,
            "safePointLagMillis":1500,"holds":1,"oldestHold":{"owner":"backup","name":"n",
            "lagMillis":1000,"remainingMillis":2000}},
            "clientWork":{"transactions":{"begin":1,"committed.by-intents":%d,
            "conflict.write-write":%d,"refused.other":%d,"aborted.other":0}},
            "traffic":{"begins":1,"validations":%d}}
            """,
            process, lease, commits, conflicts, refusals, commits);
    return new ManagersReport(
        Optional.empty(),
        List.of(
            new ManagersReport.Asked(
                "tm1:1", Optional.of(new ObjectMapper().readTree(status)), "")));
  }
}
