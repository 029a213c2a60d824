package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.io.StringReader;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a supervisor sees of real processes. */
@Timeout(180)
final class TransactionManagerProcessTest {

  private static final Path MANUAL = Path.of("..", "docs", "operations", "tm.md");

  @TempDir private Path folder;

  private final List<Process> processes = new ArrayList<>();
  private TestingServer zookeeper;
  private CuratorFramework curator;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
    curator =
        CuratorFrameworkFactory.newClient(
            zookeeper.getConnectString(), 5_000, 500, new RetryOneTime(10));
    curator.start();
  }

  @AfterEach
  void stop() throws Exception {
    processes.forEach(Process::destroyForcibly);
    curator.close();
    zookeeper.close();
  }

  @Test
  void whoHasHandedOverEndsWithZeroAndWhoIsTerminatedGivesTheLeaseBackAndSaysSo() throws Exception {
    Process first = startManager();
    InetSocketAddress address = awaitPrimary("1");
    Process second = startManager();
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().build())) {
      // Until the second one has started and is ready.
      while (!commands.ask(address, "handover", "").get(60, SECONDS).succeeded()) {
        assertThat(second.isAlive()).isTrue();
      }
    }
    assertThat(first.waitFor()).isEqualTo(TransactionManagerMain.EXIT_RELEASED);
    awaitPrimary("2");
    second.destroy();
    assertThat(second.waitFor()).isEqualTo(TransactionManagerMain.EXIT_TERMINATED);
    assertThat(record()).containsEntry("epoch", "2").containsEntry("released", "true");
  }

  @Test
  void theManualHasEveryExitCode() throws IOException {
    assertThat(Files.readString(MANUAL))
        .contains(
            row(TransactionManagerMain.EXIT_RELEASED),
            row(TransactionManagerMain.EXIT_NOT_STARTED),
            row(TransactionManagerMain.EXIT_BAD_CONFIGURATION),
            row(TransactionManagerMain.EXIT_SUPERSEDED),
            row(TransactionManagerMain.EXIT_INVARIANT_VIOLATED),
            row(TransactionManagerMain.EXIT_TERMINATED),
            "\n    SuccessExitStatus=" + TransactionManagerMain.EXIT_TERMINATED + "\n");
  }

  private static String row(int exitCode) {
    return "\n| " + exitCode + " | ";
  }

  private InetSocketAddress awaitPrimary(String epoch) throws Exception {
    while (!record().getProperty("epoch", "").equals(epoch)) {
      assertThat(processes).anyMatch(Process::isAlive);
    }
    String[] address = record().getProperty("address").split(":");
    return new InetSocketAddress(address[0], Integer.parseInt(address[1]));
  }

  private Properties record() throws Exception {
    Properties record = new Properties();
    if (curator.checkExists().forPath("/lampone/tm") != null) {
      byte[] bytes = curator.getData().forPath("/lampone/tm");
      record.load(new StringReader(new String(bytes, StandardCharsets.UTF_8)));
    }
    return record;
  }

  private Process startManager() throws IOException {
    Path properties =
        Files.writeString(
            folder.resolve("tm.properties"),
            "lampone.tm.bind.host=127.0.0.1\n"
                + "lampone.tm.bind.port=0\n"
                + "lampone.tm.http.port=-1\n"
                + "lampone.tm.conflict.table.capacity=1024\n"
                + "lampone.tm.decision.memory.capacity=1024\n"
                + "lampone.tm.zookeeper.quorum="
                + zookeeper.getConnectString()
                + "\n");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                TransactionManagerMain.class.getName(),
                properties.toString())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(folder.resolve("log").toFile()));
    // By the environment: a class path of many jars makes a long command line.
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Process process = builder.start();
    processes.add(process);
    return process;
  }
}
