package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.Lampone;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class ClusterCommandTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @TempDir Path folder;

  @Test
  void aFolderWithoutAClusterIsSaidToHaveNone() {
    for (String command : new String[] {"status", "stop"}) {
      assertThat(execute(command, "--data", folder.toString())).isEqualTo(1);
    }
    assertThat(execute("kill", "--data", folder.toString(), "rs1")).isEqualTo(1);
    assertThat(errors.toString()).contains("no cluster in this folder", "cluster start");
  }

  @Test
  void aPlanThatCannotBeStartsNothing() throws IOException {
    Path target = folder.resolve("new");
    assertThat(execute("start", "--data", target.toString(), "--zookeepers", "2")).isEqualTo(1);
    assertThat(errors.toString()).contains("zookeepers=2");
    assertThat(target).doesNotExist();
    Files.writeString(folder.resolve("letter"), "x");
    assertThat(execute("start", "--data", folder.toString())).isEqualTo(1);
    assertThat(errors.toString()).contains("not empty");
  }

  @Test
  void aClusterThatIsDownIsToldToScripts() throws IOException {
    Path made = folder.resolve("made");
    LocalCluster.create(ClusterPlan.small(made), SystemClock.INSTANCE, new Random(1));
    assertThat(execute("stop", "--data", made.toString(), "--json")).isZero();
    assertThat(new ObjectMapper().readTree(out.toString()).get("killed")).isEmpty();
    out.getBuffer().setLength(0);
    assertThat(execute("status", "--data", made.toString(), "--json")).isEqualTo(1);
    assertThat(out.toString().lines())
        .hasSize(5)
        .allMatch(line -> line.contains("\"state\":\"DEAD\""));
    out.getBuffer().setLength(0);
    assertThat(execute("kill", "--data", made.toString(), "--json", "rs1")).isEqualTo(1);
    assertThat(out.toString()).isEmpty();
    assertThat(errors.toString()).contains("it does not run, name=rs1");
  }

  @Test
  void aSettingThatAClusterDoesNotHaveIsRefusedAtALaterStart() throws IOException {
    Path made = folder.resolve("made");
    Map<String, String> settings = Map.of("lampone.tm.lease.duration", "4s", "a", "1");
    LocalCluster.create(
        new ClusterPlan(made, 1, 1, 1, 1, Duration.ofSeconds(10), settings),
        SystemClock.INSTANCE,
        new Random(1));
    // If it were not refused, no process could start.
    Files.delete(made.resolve("logs"));
    Files.createFile(made.resolve("logs"));

    assertThat(execute("start", "--data", made.toString(), "-Da=2", "-Db=3", "--json"))
        .isEqualTo(1);
    assertThat(errors.toString())
        .contains("a=2", "b=3", "given with the first start", "another folder");
    assertThat(execute("start", "--data", made.toString(), "-D", "a=1")).isEqualTo(1);
    assertThat(errors.toString()).contains("logs");
  }

  @Test
  void anUnknownSignalIsAMistakeOfUse() {
    assertThat(execute("kill", "--signal", "HUP", "rs1")).isEqualTo(2);
    assertThat(errors.toString()).contains("HUP");
  }

  private int execute(String... arguments) {
    CommandLine command = Lampone.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    String[] all = new String[arguments.length + 1];
    all[0] = "cluster";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return command.execute(all);
  }
}
