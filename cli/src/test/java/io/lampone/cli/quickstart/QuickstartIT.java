package io.lampone.cli.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuickstartIT {

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everythingIsWellTheFirstTimeAndTheMoneySurvivesARestart() throws Exception {
    int first = quickstart("--json");
    assertThat(first).as(err.toString()).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("transfers").asLong()).isPositive();
    assertThat(json.get("audits").asLong()).isPositive();
    assertThat(json.get("sumConstant").asBoolean()).isTrue();
    assertThat(json.get("clientsKilled").asInt()).isEqualTo(1);
    assertThat(json.get("unresolvedIntents").asInt()).isZero();
    assertThat(json.get("secondsToFirstTransaction").asDouble()).isPositive();
    assertThat(err.toString()).contains("Killed client", "(2 intents", "All is well.");

    out.getBuffer().setLength(0);
    assertThat(folder.resolve("data").resolve("hbase-site.xml"))
        .content()
        .doesNotContain("SERIALIZABLE");
    int second = quickstart("--isolation=SERIALIZABLE");
    assertThat(second).as(out.toString() + err).isZero();
    assertThat(out.toString())
        .contains("20 accounts with 20000 in all have survived from an earlier start")
        .contains("All is well.", "What next");
    assertThat(folder.resolve("data").resolve("hbase-site.xml"))
        .content()
        .contains("lampone.client.isolation", "SERIALIZABLE");
  }

  @Test
  void aPortInUseIsExplained() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertThat(quickstart("--zookeeper-port=" + other.getLocalPort())).isEqualTo(1);
    }
    assertThat(err.toString()).contains("ERROR: ", "port is in use", "--zookeeper-port");
  }

  private int quickstart(String... more) {
    String[] arguments = new String[more.length + 5];
    arguments[0] = "quickstart";
    arguments[1] = "--data=" + folder.resolve("data");
    arguments[2] = "--seconds=4";
    arguments[3] = "--threads=4";
    arguments[4] = "--accounts=20";
    System.arraycopy(more, 0, arguments, 5, more.length);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
