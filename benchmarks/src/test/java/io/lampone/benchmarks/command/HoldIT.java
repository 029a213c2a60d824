package io.lampone.benchmarks.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.load.ManagerProcess;
import io.lampone.cli.Lampone;
import io.lampone.embedded.EmbeddedZooKeeper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Holds of a transaction manager that limits them to five minutes. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HoldIT {

  @TempDir private static Path folder;
  private static EmbeddedZooKeeper zooKeeper;
  private static ManagerProcess manager;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    zooKeeper = LocalManager.startZooKeeper(folder);
    manager =
        ManagerProcess.start(
            Map.of(
                "lampone.tm.zookeeper.quorum",
                zooKeeper.connectString(),
                "lampone.tm.hold.longest",
                "5m"),
            false,
            List.of(),
            LocalManager.JVM_OPTIONS,
            folder.resolve("manager.log"));
    manager.awaitPrimary(Duration.ofMinutes(3));
    await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () ->
                Lampone.commandLine()
                        .setOut(new PrintWriter(new StringWriter()))
                        .execute("tm", "status", "--zookeeper", zooKeeper.connectString())
                    == 0);
  }

  @AfterAll
  static void stop() throws IOException {
    manager.close();
    zooKeeper.close();
  }

  @Test
  void aHoldThatIsNotThereIsNotReleased() throws Exception {
    assertThat(hold("take", "night", "--owner=batch", "--for=60")).as(err.toString()).isZero();
    assertThat(hold("release", "night")).isEqualTo(1);
    assertThat(err.toString())
        .contains("no such hold of owner lampone-cli: night", "'lampone hold list' shows owners");
    assertThat(hold("release", "night", "--json")).isEqualTo(1);
    assertThat(new ObjectMapper().readTree(out.toString()).get("released").asBoolean()).isFalse();
    assertThat(hold("release", "night", "--owner=batch")).isZero();
    assertThat(out.toString()).contains("Released");
    assertThat(hold("release", "night", "--owner=batch")).isEqualTo(1);
  }

  @Test
  void aHoldLastsNoLongerThanTheClusterAllowsAndThatIsSaid() throws Exception {
    assertThat(hold("take", "week", "--json")).as(err.toString()).isZero();
    JsonNode held = new ObjectMapper().readTree(out.toString());
    assertThat(held.get("remainingMillis").asLong()).isEqualTo(300_000);
    assertThat(err.toString()).contains("300 s", "lampone.tm.hold.longest");
    assertThat(hold("renew", "week", "--for=86400")).as(err.toString()).isZero();
    assertThat(err.toString()).contains("300 s", "lampone.tm.hold.longest");
    assertThat(hold("renew", "week", "--for=60")).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(hold("release", "week")).isZero();
  }

  private int hold(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] all = new String[arguments.length + 3];
    all[0] = "hold";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[arguments.length + 1] = "--zookeeper";
    all[arguments.length + 2] = zooKeeper.connectString();
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }
}
