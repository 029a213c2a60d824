package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
