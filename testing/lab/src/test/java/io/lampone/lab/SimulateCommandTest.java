package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.simulation.Simulation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SimulateCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void reportsSeedsTransactionsAndViolationsAsJson() throws Exception {
    assertThat(run("simulate", "--seeds", "20", "--json")).isZero();
    assertThat(out.toString().lines()).as("standard output is the line alone").hasSize(1);
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.fieldNames())
        .toIterable()
        .startsWith("seeds", "transactions", "violations", "secondsPerThousandSeeds");
    assertThat(line.get("seeds").isIntegralNumber()).isTrue();
    assertThat(line.get("seeds").asLong()).isEqualTo(20);
    assertThat(line.get("transactions").isIntegralNumber()).isTrue();
    assertThat(line.get("transactions").asLong()).isPositive();
    assertThat(line.get("violations").isIntegralNumber()).isTrue();
    assertThat(line.get("violations").asLong()).isZero();
    assertThat(line.get("secondsPerThousandSeeds").isNumber()).isTrue();
    assertThat(line.get("secondsPerThousandSeeds").asDouble()).isPositive();
  }

  /** A violation cannot be provoked in sound code; a run that has found one can be resumed. */
  @Test
  void aViolationIsCountedToldAndEndsWithOne(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("progress");
    Files.writeString(
        file,
        "{\"first\":1,\"seeds\":9,\"transactions\":90,\"committed\":80,\"unknown\":1,"
            + "\"violations\":1,\"violatedSeeds\":[3]}");
    assertThat(run("simulate", "--seeds", "10", "--progress", file.toString(), "--json"))
        .isEqualTo(1);
    assertThat(out.toString().lines()).hasSize(1);
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.get("seeds").asLong()).isEqualTo(10);
    assertThat(line.get("violations").asLong()).isEqualTo(1);
    assertThat(line.get("violated")).hasSize(1);
    assertThat(line.get("violated").get(0).get("seed").asLong()).isEqualTo(3);
    assertThat(line.get("violated").get(0).get("invariant").asText()).isEqualTo("Mended");
    out.getBuffer().setLength(0);
    assertThat(run("simulate", "--seeds", "10", "--progress", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("1 violations", "lampone simulate --seed 3 --trace");
  }

  @Test
  void theHistoryOfASeedIsTheSameEachTimeAndAcceptedByTheJudge(@TempDir Path folder)
      throws Exception {
    Path first = folder.resolve("first.jsonl");
    Path second = folder.resolve("second.jsonl");
    assertThat(run("simulate", "--seed", "7", "--history", first.toString(), "--json")).isZero();
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.get("seeds").asLong()).isEqualTo(1);
    assertThat(run("simulate", "--seed", "7", "--history", second.toString(), "--trace")).isZero();
    assertThat(out.toString()).contains("everything held");
    assertThat(second).hasSameBinaryContentAs(first);
    out.getBuffer().setLength(0);
    assertThat(run("history", "check", "--json", first.toString())).isZero();
    JsonNode verdict = new ObjectMapper().readTree(out.toString());
    assertThat(verdict.get("anomalies").asLong()).isZero();
    assertThat(verdict.get("committed")).isEqualTo(line.get("committed"));
    assertThat(verdict.get("unknown")).isEqualTo(line.get("unknown"));
  }

  @Test
  void aHistoryIsOfOneSeedAndWritesOverNothing(@TempDir Path folder) throws Exception {
    Path letter = Files.writeString(folder.resolve("letter"), "to my aunt");
    assertThat(run("simulate", "--history", letter.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("there already", "letter");
    assertThat(letter).hasContent("to my aunt");
    String file = folder.resolve("new").toString();
    assertThat(run("simulate", "--history", file, "--seeds", "2")).isEqualTo(2);
    assertThat(err.toString()).contains("--history is of one seed");
    assertThat(run("simulate", "--history", file, "--mutants")).isEqualTo(2);
    assertThat(run("simulate", "--history", file, "--trace", "--json")).isEqualTo(2);
    assertThat(run("simulate", "--history", file, "--progress", letter.toString())).isEqualTo(2);
    assertThat(folder.resolve("new")).doesNotExist();
    assertThat(run("simulate", "--history", folder.resolve("absent/new").toString())).isNotZero();
    assertThat(err.toString()).contains("absent");
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
  void onlySeedsWithValidatorsAreRunAndResumed(@TempDir Path folder) throws Exception {
    String file = folder.resolve("progress").toString();
    assertThat(run("simulate", "--validators", "--seeds", "5", "--progress", file)).isZero();
    assertThat(run("simulate", "--validators", "--seeds", "10", "--progress", file, "--json"))
        .isZero();
    JsonNode line =
        new ObjectMapper().readTree(out.toString().lines().reduce((a, b) -> b).orElseThrow());
    assertThat(line.get("seeds").asLong()).isEqualTo(10);
    long expected =
        LongStream.iterate(1, last -> last + 1)
            .filter(Simulation::hasValidators)
            .limit(10)
            .map(seed -> Simulation.run(seed, false).transactions())
            .sum();
    assertThat(line.get("transactions").asLong()).isEqualTo(expected);
    assertThat(run("simulate", "--seeds", "10", "--progress", file)).isEqualTo(1);
    assertThat(err.toString()).contains("name another file");
    assertThat(run("simulate", "--validators", "--trace")).isEqualTo(2);
  }

  @Test
  void filesThatCannotBeUsedAreToldInOneLine(@TempDir Path folder) throws Exception {
    Path letter = Files.writeString(folder.resolve("letter"), "to my aunt");
    Path other = folder.resolve("other");
    assertThat(run("simulate", "--seeds", "1", "--progress", other.toString())).isZero();
    Path absent = folder.resolve("absent/new");
    Path within = letter.resolve("new");
    String[][] wrong = {
      {"--history", absent.toString(), "cannot write the file " + absent + ": its folder is not"},
      {"--history", within.toString(), "cannot write the file " + within},
      {"--progress", absent.toString(), "cannot write the file " + absent + ": its folder is not"},
      {"--progress", within.toString(), "cannot write the file " + within},
      {"--progress", letter.toString(), "is not of a run of seeds"},
      {"--progress", folder.toString(), "is not of a run of seeds"},
      {"--seed=2 --progress", other.toString(), "name another file"},
    };
    for (String[] each : wrong) {
      err.getBuffer().setLength(0);
      String[] options = ("simulate " + each[0]).split(" ");
      String[] all = Arrays.copyOf(options, options.length + 1);
      all[options.length] = each[1];
      assertThat(run(all)).as(each[2]).isEqualTo(1);
      assertThat(err.toString()).startsWith("ERROR: ").contains(each[2]).doesNotContain("\tat ");
      assertThat(err.toString().lines().filter(line -> line.startsWith("ERROR"))).hasSize(1);
    }
    assertThat(letter).hasContent("to my aunt");
  }

  @Test
  void noSeedsAreNoDefault() {
    assertThat(run("simulate", "--seeds", "0")).isEqualTo(2);
    assertThat(err.toString()).contains("--seeds must be 1 to 1000000000");
    assertThat(run("simulate", "--mutants", "--seeds", "0")).isEqualTo(2);
    assertThat(run("simulate", "--mutants", "--seeds", "4294967297")).isEqualTo(2);
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
    assertThat(out.toString().lines()).as("standard output is the line alone").hasSize(1);
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.fieldNames()).toIterable().startsWith("mutants", "caught");
    assertThat(line.get("mutants").isIntegralNumber()).isTrue();
    assertThat(line.get("caught").isIntegralNumber()).isTrue();
    assertThat(line.get("each")).hasSize(line.get("mutants").asInt());
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
