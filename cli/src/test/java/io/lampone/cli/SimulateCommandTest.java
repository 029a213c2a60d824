package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SimulateCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void reportsSeedsTransactionsAndViolationsAsJson() throws Exception {
    assertThat(run("simulate", "--seeds", "20", "--json")).isZero();
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.get("seeds").asLong()).isEqualTo(20);
    assertThat(line.get("transactions").asLong()).isPositive();
    assertThat(line.get("violations").asLong()).isZero();
    assertThat(line.get("secondsPerThousandSeeds").asDouble()).isPositive();
  }

  @Test
  void aRunThatWasBrokenOffGoesOnWhereItWas(@TempDir Path folder) throws Exception {
    String file = folder.resolve("progress").toString();
    assertThat(run("simulate", "--seeds", "20", "--progress", file)).isZero();
    assertThat(err.toString()).contains("20 of 20 seeds, 0 violations");
    assertThat(run("simulate", "--seeds", "40", "--progress", file, "--json")).isZero();
    String pieces = out.toString().lines().reduce((a, b) -> b).orElseThrow();
    out.getBuffer().setLength(0);
    assertThat(run("simulate", "--seeds", "40", "--json")).isZero();
    ObjectMapper json = new ObjectMapper();
    assertThat(json.readTree(pieces).get("transactions"))
        .isEqualTo(json.readTree(out.toString()).get("transactions"));
    assertThat(run("simulate", "--seed", "2", "--progress", file)).isNotZero();
    assertThat(err.toString()).contains("name another file");
  }

  @Test
  void theSameSeedPrintsTheSameTrace() {
    assertThat(run("simulate", "--seed", "7", "--trace")).isZero();
    String first = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("simulate", "--seed", "7", "--trace")).isZero();
    assertThat(out.toString()).isEqualTo(first).contains("everything held");
  }

  @Test
  void aMutantThatSurvivesIsAFailure() throws Exception {
    assertThat(run("simulate", "--mutants", "--seeds", "1", "--json")).isEqualTo(1);
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.get("caught").asLong()).isPositive().isLessThan(line.get("mutants").asLong());
  }

  @Test
  void optionsThatDoNotFitTogetherAreRefused() {
    assertThat(run("simulate", "--trace", "--mutants")).isEqualTo(2);
    assertThat(err.toString()).contains("leave out --mutants");
    assertThat(run("simulate", "--trace", "--seeds", "5")).isEqualTo(2);
    assertThat(run("simulate", "--threads", "0")).isEqualTo(2);
  }

  private int run(String... arguments) {
    CommandLine command = Lampone.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }
}
