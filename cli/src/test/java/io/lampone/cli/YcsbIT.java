package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** YCSB through its own client, as users run it. Its figures are not checked. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class YcsbIT {

  /** The longest time of a run of 100 operations, which takes a few seconds on an idle machine. */
  private static final int RUN_SECONDS = 180;

  private static final int DUMP_SECONDS = 5;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

  /** Whether a run of YCSB had to be killed. */
  private volatile boolean isStuck;

  @Test
  void aTableIsLoadedAndAWorkloadRunsAndAFailureIsNoSuccess() throws Exception {
    try (EmbeddedLampone cluster =
        EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build())) {
      String where = "--zookeeper=" + cluster.hbase().zooKeeperConnectString();
      assertThat(ycsb("load", where, "--threads=2")).as(out + "\n" + err).isZero();
      assertThat(out.toString()).contains("[INSERT], Return=OK, 100");
      assertThat(ycsb("run", where, "--threads=2")).as(out + "\n" + err).isZero();
      assertThat(out.toString()).contains("[READ], Return=OK", "[UPDATE], Return=OK");

      assertThat(ycsb("run", where, "--json")).as(out + "\n" + err).isZero();
      JsonNode json = new ObjectMapper().readTree(out.toString());
      assertThat(json.get("succeeded").asLong()).isPositive();
      assertThat(json.get("figures").get("READ").get("Return=OK").asLong()).isPositive();

      assertThat(ycsb("run", where, "-P", "../distribution/workloads/workloadz")).isEqualTo(2);
      assertThat(err.toString())
          .contains("no readable workload: ../distribution/workloads/workloadz");
      assertThat(ycsb("run", where, "-p", "lampone.mode=quick")).isEqualTo(1);
      assertThat(err.toString()).contains("no operation has succeeded");
    }
  }

  /** Uses the properties of docs/benchmarks/ycsb.md. */
  @ParameterizedTest
  @CsvSource({"economy, OPEN, TRANSFER", "txn, INSERT, TXN"})
  void aWorkloadOfOursIsLoadedAndRuns(String name, String load, String run) throws Exception {
    try (EmbeddedLampone cluster =
        EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build())) {
      String where = "--zookeeper=" + cluster.hbase().zooKeeperConnectString();
      String workload = "../distribution/workloads/" + name;
      assertThat(ycsb("load", where, "-P", workload)).as(out + "\n" + err).isZero();
      assertThat(out.toString())
          .contains("[" + load + "], Return=OK, 100", "[" + load + "], Operations, 100");
      assertThat(ycsb("run", where, "-P", workload)).as(out + "\n" + err).isZero();
      assertThat(out.toString())
          .contains("[" + run + "], Return=OK")
          .doesNotContain("[" + run + "], Operations, 0");
    }
  }

  private int ycsb(String phase, String... more) {
    out.getBuffer().setLength(0);
    List<String> arguments =
        new ArrayList<>(List.of("ycsb", phase, "-P", "../distribution/workloads/workloada"));
    arguments.addAll(List.of("-p", "recordcount=100", "-p", "operationcount=100"));
    arguments.addAll(List.of(more));
    CompletableFuture<Void> watch =
        CompletableFuture.runAsync(
            this::endWithStacks, CompletableFuture.delayedExecutor(RUN_SECONDS, TimeUnit.SECONDS));
    int code =
        Lampone.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments.toArray(String[]::new));
    watch.cancel(false);
    assertThat(isStuck)
        .as(
            "YCSB has not ended by itself:\n"
                + out.toString()
                    .lines()
                    .filter(line -> line.matches("\\[.*|\".*|.*(ycsb|lampone).*"))
                    .collect(Collectors.joining("\n")))
        .isFalse();
    return code;
  }

  /** Makes the YCSB processes of this test print their threads' stacks, and kills them. */
  private void endWithStacks() {
    isStuck = true;
    List<ProcessHandle> clients =
        ProcessHandle.current()
            .children()
            .filter(child -> child.info().command().orElse("").endsWith("/java"))
            .toList();
    try {
      for (ProcessHandle client : clients) {
        new ProcessBuilder("kill", "-QUIT", Long.toString(client.pid())).start().waitFor();
      }
      TimeUnit.SECONDS.sleep(DUMP_SECONDS);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      clients.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
