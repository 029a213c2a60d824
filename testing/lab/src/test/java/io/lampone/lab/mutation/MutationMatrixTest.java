package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MutationMatrixTest {

  private static final PlantedBug EQUIVALENT =
      Bugs.bug("same", "manager", "tm-server", "the order does not matter");

  @Test
  void theTable_hasARowForEachBugWithItsCommit() {
    MutationMatrix matrix =
        new MutationMatrix(
            List.of(
                row(
                    "hit",
                    outcome("unit", false, 12, ""),
                    outcome("lab", true, 95.4, "A|B, seed 2")),
                row("missed", outcome("simulator", false, 0, LayerOutcome.NOT_REACHED)),
                new MutationMatrix.Row(
                    EQUIVALENT, List.of(outcome("unit", false, 3, "")), true, true)),
            Map.of());

    assertThat(matrix.toMarkdown())
        .containsExactly(
            "| planted bug | area | effect | undoes | unit | simulator | models | anomalies |"
                + " integration | lab | commit |",
            "|---|---|---|---|---|---|---|---|---|---|---|",
            "| hit | client | loses |  | missed, 12 s |  |  |  |  | 95 s: A/B, seed 2 | 0123abcd |",
            "| **missed** | client | loses |  |  | not reached |  |  |  |  | 0123abcd |",
            "| same (equivalent: the order does not matter) | manager | loses |  | missed, 3 s |"
                + "  |  |  |  |  | 0123abcd |");
  }

  @Test
  void scripts_getTheNamesTheyRelyOn() throws Exception {
    MutationMatrix matrix =
        new MutationMatrix(
            List.of(
                row("by-lab", outcome("lab", true, 1, "LOST_UPDATE")),
                row("by-unit", outcome("unit", true, 1, "ThingTest.adds")),
                row("survivor", outcome("unit", false, 1, "")),
                new MutationMatrix.Row(Bugs.bug("later"), List.of(), false, false),
                new MutationMatrix.Row(Bugs.bug("broken"), List.of(), false, false)),
            Map.of("broken", "does not apply"));

    JsonNode line = new ObjectMapper().readTree(matrix.toJson());

    assertThat(line.get("mutants").asInt()).isEqualTo(5);
    assertThat(line.get("foundByLab").asInt()).isEqualTo(1);
    assertThat(line.get("foundByAny").asInt()).isEqualTo(2);
    assertThat(line.get("survivors")).hasToString("[\"survivor\"]");
    assertThat(line.get("notRun")).hasToString("[\"later\"]");
    assertThat(line.get("failed").get("broken").asText()).isEqualTo("does not apply");
  }

  @Test
  void anEquivalent_isNoSurvivor_butItMustNotBeFound() {
    assertThat(equivalent(outcome("unit", false, 1, "")).isClean()).isTrue();
    MutationMatrix found = equivalent(outcome("unit", true, 1, "ThingTest.adds"));
    assertThat(found.isClean()).isFalse();
    assertThat(found.summary()).last().asString().contains("equivalent", "same");
  }

  private static MutationMatrix equivalent(LayerOutcome outcome) {
    return new MutationMatrix(
        List.of(new MutationMatrix.Row(EQUIVALENT, List.of(outcome), true, true)), Map.of());
  }

  private static MutationMatrix.Row row(String name, LayerOutcome... outcomes) {
    return new MutationMatrix.Row(Bugs.bug(name), List.of(outcomes), true, true);
  }

  private static LayerOutcome outcome(String layer, boolean found, double seconds, String by) {
    return new LayerOutcome(
        "bug", layer, "patch", "product", "tests", "0123abcd", 1, found, seconds, by);
  }
}
