package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.faultlab.report.LabResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class TortureCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @TempDir Path folder;

  @Test
  void whatItDoesNotKnowIsAMistakeOfUseAndSaysWhatItKnows() {
    assertThat(execute("--workload", "bank,poker")).isEqualTo(2);
    assertThat(errors.toString()).contains("poker", "list-append");
    assertThat(execute("--faults", "kill,rain")).isEqualTo(2);
    assertThat(errors.toString()).contains("rain", "one-way");
    assertThat(execute("--isolation", "none")).isEqualTo(2);
    assertThat(errors.toString()).contains("'none'", "[mixed, serializable, snapshot]");
  }

  @Test
  void aRunThatCannotBeIsAMistakeOfUse() {
    assertThat(execute("--seconds", "1")).isEqualTo(2);
    assertThat(errors.toString()).contains("PT15S");
    assertThat(execute("--zookeepers", "2")).isEqualTo(2);
    assertThat(errors.toString()).contains("zookeepers=2");
    assertThat(execute("--clients", "0")).isEqualTo(2);
    assertThat(execute("--validators", "9")).isEqualTo(2);
    assertThat(execute("--faults", "validator-kill")).isEqualTo(2);
    assertThat(errors.toString()).contains("--validators, faults=[validator-kill]");
    assertThat(execute("--workload", "none")).isEqualTo(2);
    assertThat(errors.toString()).contains("no workload");
  }

  @Test
  void aFolderThatHoldsSomethingIsLeftAlone() throws IOException {
    Path letter = Files.writeString(folder.resolve("letter"), "to my aunt");
    assertThat(execute("--folder", folder.toString())).isEqualTo(1);
    assertThat(errors.toString()).contains("not empty");
    assertThat(letter).hasContent("to my aunt");
  }

  @Test
  void theLastLineIsTheResultWithItsKeysAndAnAnomalyEndsWithOne() throws IOException {
    LabResult found = new LabResult(1_234, 2, 7, 3, 4_500, 1);
    assertThat(executeOn(found)).isEqualTo(1);
    assertThat(out.toString().lines()).contains("a line for people");
    String last = out.toString().lines().reduce((a, b) -> b).orElseThrow();
    assertThat(errors.toString()).isEmpty();
    JsonNode line = new ObjectMapper().readTree(last);
    assertThat(line.fieldNames())
        .toIterable()
        .containsExactly(
            "checked",
            "anomalies",
            "faults",
            "unknown",
            "recoveryP99Millis",
            "kindsNotDone",
            "events",
            "neverSeen");
    assertThat(line).filteredOn(JsonNode::isIntegralNumber).hasSize(6);
    assertThat(line.get("checked").asLong()).isEqualTo(1_234);
    assertThat(line.get("anomalies").asLong()).isEqualTo(2);
    assertThat(line.get("faults").asLong()).isEqualTo(7);
    assertThat(line.get("unknown").asLong()).isEqualTo(3);
    assertThat(line.get("recoveryP99Millis").asLong()).isEqualTo(4_500);
  }

  @Test
  void withJsonStandardOutputIsTheResultAloneAndWithoutAnomalyItEndsWithZero() {
    LabResult clean = new LabResult(1_234, 0, 7, 3, 4_500, 0);
    assertThat(executeOn(clean, "--json")).isZero();
    assertThat(out.toString().lines()).containsExactly(clean.toJson());
    assertThat(errors.toString().lines()).containsExactly("a line for people");
  }

  @Test
  void aFaultThatWasNamedAndCouldNotBeDoneFailsTheRun() {
    LabResult inVain = new LabResult(1_234, 0, 3, 0, 0, 1);
    assertThat(executeOn(inVain, "--faults", "kill,power-cut")).isEqualTo(1);
    assertThat(errors.toString()).contains("not done, not even once");
    assertThat(executeOn(inVain, "--faults", "all")).isZero();
    assertThat(executeOn(inVain)).isZero();
  }

  @Test
  void aLongRunMustHaveSeenEveryRequiredEventAndDoneEveryFault() throws IOException {
    LabResult blind =
        new LabResult(
            1_234, 0, 3, 0, 0, 0, new TreeMap<>(Map.of("a.seen", 3L)), List.of("b.missed"));
    assertThat(executeOn(blind, "--seconds", "1200")).isZero();
    JsonNode line =
        new ObjectMapper().readTree(out.toString().lines().reduce((a, b) -> b).orElseThrow());
    assertThat(line.path("events").path("a.seen").asLong()).isEqualTo(3);
    assertThat(line.path("neverSeen").path(0).asText()).isEqualTo("b.missed");
    assertThat(executeOn(blind, "--seconds", "1201")).isEqualTo(1);
    assertThat(errors.toString()).contains("never seen in a long run", "b.missed");
    LabResult inVain = new LabResult(1_234, 0, 3, 0, 0, 1);
    assertThat(executeOn(inVain, "--seconds", "1200")).isZero();
    assertThat(executeOn(inVain, "--seconds", "1201")).isEqualTo(1);
    assertThat(errors.toString()).contains("not done, not even once");
  }

  @Test
  void aCampaignOfNoTimeIsAMistakeOfUse() {
    assertThat(execute("--campaign", "0", "--folder", folder.resolve("none").toString()))
        .isEqualTo(2);
    assertThat(errors.toString()).contains("--campaign=0");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  /** The real command with a lab that has this result. */
  private int executeOn(LabResult result, String... arguments) {
    CommandLine command =
        new CommandLine(
            new TortureCommand(
                (plan, progress) -> {
                  progress.accept("a line for people");
                  return result;
                }));
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    return command.execute(arguments);
  }

  private int execute(String... arguments) {
    CommandLine command = Lampone.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    String[] all = new String[arguments.length + 1];
    all[0] = "torture";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return command.execute(all);
  }
}
