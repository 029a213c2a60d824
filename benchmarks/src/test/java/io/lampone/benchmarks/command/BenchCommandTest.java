package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class BenchCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bench",
        "bench fastpath --seconds 0",
        "bench fastpath --warm-up -1",
        "bench fastpath --threads 0",
        "bench fastpath --rows 1",
        "bench fastpath --value-bytes 0",
        "bench fastpath --value-bytes 100,x",
        "bench fastpath --pid 0",
        "bench compare --systems phoenix",
        "bench compare --systems native-again",
        "bench compare --classes reads",
        "bench compare --seconds 0",
        "bench compare --rows 9",
        "bench compare --theta 3",
        "bench compare --validators 9",
        "bench compare --isolation strict",
        "bench scale --sweeps planets",
        "bench scale --steps 1,2",
        "bench scale --sweeps manager --steps 101",
        "bench scale --sweeps writes --rows 5000",
        "bench scale --operation three",
        "bench scale --sweeps manager --manager-quota 10",
        "bench scale --sweeps threads --manager-quota 20",
        "bench tpcc --warehouses 0",
        "bench tpcc --terminals 0",
        "bench tatp --subscribers 0",
        "bench smallbank --customers 1",
        "bench spurious --seconds 0",
        "bench spurious --validators 2,32",
        "bench spurious --truncation 81",
        "bench spurious --watermark 0",
        "bench scale-out --rounds 0",
        "bench serializable --warm-up -1",
        "tm-load --seconds 1",
        "tm-load --seconds x",
        "tm-load --connections 0",
        "tm-load --outstanding -1",
        "tm-load --rate -1",
        "tm-load --cells 0",
        "tm-load --distribution normal",
        "tm-load --theta 1",
        "tm-load --writes few",
        "tm-load --read-only 1",
        "tm-load --client raw --rate 5",
        "tm-load --local --pin 0",
        "tm-load --local --address h:1",
        "tm failover-test --trials 0",
        "tm failover-test --kind sudden"
      })
  void wrongOptionsAreNamedAndTheUsageIsShown(String line) {
    assertThat(execute(line.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Usage: lampone");
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bench fastpath", "tm failover-test", "tm-load"})
  void helpTellsTheExitCodes(String line) {
    assertThat(execute((line + " --help").split(" "))).isZero();
    assertThat(out.toString()).contains("Usage: lampone " + line, "Exit codes: 0 ");
  }

  @Test
  void spuriousAborts_areCountedByRule() throws Exception {
    String run = "bench spurious --seconds 10 --truncation 10 --watermark 1 --validators 2 --json";
    assertThat(execute(run.split(" "))).isZero();
    JsonNode runs = new ObjectMapper().readTree(out.toString()).path("runs");
    assertThat(runs.findValuesAsText("rule")).containsExactly("B10", "W1", "snapshot");
    for (JsonNode each : runs) {
      assertThat(each.path("abortPercent").asDouble())
          .isPositive()
          .isGreaterThanOrEqualTo(each.path("spuriousPercent").asDouble());
    }
  }

  @Test
  void omidIsLeftOutWithAReasonWhereThereIsNoSourceTree() throws Exception {
    List<String> told = new ArrayList<>();
    assertThat(new OmidArtifacts("", told::add).classPath()).isEmpty();
    assertThat(new OmidArtifacts("/nowhere", told::add).classPath()).isEmpty();
    assertThat(told).hasSize(2).allMatch(line -> line.startsWith("Omid is not compared: "));
  }

  @Test
  void withoutAClusterTheAdviceSaysWhereToLook() {
    assertThat(execute("bench", "fastpath", "--zookeeper=127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: no ZooKeeper answers", "--zookeeper");
    assertThat(execute("tm-load", "--seconds", "2", "--zookeeper", "127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ZooKeeper does not answer");
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
