package io.lampone.console.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.check.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FindingsViewTest {

  private final ObjectNode root = new ObjectMapper().createObjectNode();

  @Test
  void beforeTheFirstCheck_nothingIsKnown() {
    FindingsView.NONE.writeTo(root, 1_000);
    assertThat(root.get("findings").isNull()).isTrue();
    assertThat(root.get("tables").isNull()).isTrue();
    assertThat(root.get("doctor").isNull()).isTrue();
  }

  @Test
  void problemsComeFirst_andTablesApart() {
    List<Finding> findings =
        List.of(
            Finding.ok("zookeeper", "zk", "answers"),
            Finding.warn("clock", "rs1", "is ahead", "correct it"),
            Finding.ok("table", "accounts", "transactional, conflicts by ROW"),
            Finding.fail("coprocessor", "rs2", "the jar is missing", "copy it"));
    new FindingsView(findings, 1_000, Optional.empty()).writeTo(root, 4_500);
    assertThat(root.get("findings").findValuesAsText("level")).containsExactly("fail", "warn");
    assertThat(root.get("findings").findValuesAsText("advice"))
        .containsExactly("copy it", "correct it");
    assertThat(root.get("tables").findValuesAsText("subject")).containsExactly("accounts");
    assertThat(root.get("checksPassed").asInt()).isEqualTo(2);
    assertThat(root.get("checkedSecondsAgo").asDouble()).isEqualTo(3.5);
  }

  @Test
  void findingsOfTheDoctor_areReadFromItsOutput() {
    String lines =
        """
        {"ailment":"ORPHAN","table":"t","place":"row=a","detail":"d","explanation":"e","advice":"wait"}
        {"ailment":"ORPHAN","table":"t","place":"row=a","detail":"d","explanation":"e","advice":"wait","fix":"done"}
        {"rows":5,"cells":9,"found":{"ORPHAN":1},"failed":[]}
        """;
    FindingsView.Examined examined = FindingsView.Examined.of(lines, 500);
    new FindingsView(List.of(), 1_000, Optional.of(examined)).writeTo(root, 2_500);
    assertThat(root.at("/doctor/found").asInt()).isEqualTo(1);
    assertThat(root.at("/doctor/secondsAgo").asDouble()).isEqualTo(2);
    assertThat(root.at("/doctor/findings/0/subject").asText()).isEqualTo("t row=a");
    assertThat(root.at("/doctor/findings/0/advice").asText()).isEqualTo("wait");
  }

  @Test
  void whatTheDoctorHasCured_isNoFindingAnyMore() {
    String finding =
        "{\"ailment\":\"OLD_INTENT\",\"table\":\"t\",\"place\":\"row=%s\",\"detail\":\"d\","
            + "\"explanation\":\"e\",\"advice\":\"a\"%s}\n";
    String lines =
        finding.formatted("a", "")
            + finding.formatted("b", "")
            + finding.formatted("a", ",\"fix\":\"settled: Aborted[]\"")
            + finding.formatted("b", ",\"fix\":\"could not: no answer\"")
            + "{\"rows\":5,\"cells\":9,\"found\":{\"OLD_INTENT\":2},\"failed\":[]}\n";
    FindingsView.Examined examined = FindingsView.Examined.of(lines, 500);
    assertThat(examined.problem()).isEmpty();
    assertThat(examined.findings()).extracting(Finding::subject).containsExactly("t row=b");
  }

  @Test
  void aDoctorThatHasFailed_orSeesLess_hasFindings() {
    String lines =
        """
        {"table":"t","error":"no answer"}
        {"rows":5,"cells":9,"found":{},"failed":["t","u"],"noInspectionPass":"no administrator"}
        """;
    FindingsView.Examined examined = FindingsView.Examined.of(lines, 500);
    assertThat(examined.problem()).isEmpty();
    assertThat(examined.findings())
        .extracting(each -> each.level().text() + " " + each.subject() + " " + each.found())
        .containsExactly(
            "fail t no answer",
            "fail u not examined to its end",
            "warn  region servers may have shown less: no administrator");
  }

  @Test
  void aDoctorWithoutASummary_hasNotEnded() {
    String line = "{\"table\":\"t\",\"error\":\"no answer\"}\n";
    for (String lines : List.of("", line, line + "{\"rows\":")) {
      FindingsView.Examined examined = FindingsView.Examined.of(lines, 500);
      assertThat(examined.problem()).isEqualTo("the doctor has not ended");
      assertThat(examined.findings()).hasSize(lines.isEmpty() ? 0 : 1);
    }
  }

  @Test
  void aFileThatIsNotTheDoctors_isAProblem_andLongListsAreCut() {
    FindingsView.Examined examined = FindingsView.Examined.of("Looked at 5 rows", 500);
    List<Finding> many = new ArrayList<>();
    for (int i = 0; i < 2 * FindingsView.MAX_LISTED; i++) {
      many.add(Finding.fail("table", "t" + i, "f", "a"));
    }
    new FindingsView(many, 1_000, Optional.of(examined)).writeTo(root, 1_000);
    assertThat(root.at("/doctor/problem").asText()).contains("lampone doctor --json");
    assertThat(root.get("findings")).hasSize(FindingsView.MAX_LISTED);
    assertThat(root.get("checksPassed").asInt()).isZero();
    assertThat(root.get("findingsOmitted").asInt()).isEqualTo(FindingsView.MAX_LISTED);
    assertThat(root.get("tables")).hasSize(FindingsView.MAX_LISTED);
  }
}
