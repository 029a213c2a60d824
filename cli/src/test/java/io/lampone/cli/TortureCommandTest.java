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
  }

  @Test
  void aRunThatCannotBeIsAMistakeOfUse() {
    assertThat(execute("--seconds", "1")).isEqualTo(2);
    assertThat(errors.toString()).contains("PT15S");
    assertThat(execute("--zookeepers", "2")).isEqualTo(2);
    assertThat(errors.toString()).contains("zookeepers=2");
    assertThat(execute("--clients", "0")).isEqualTo(2);
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

  private int execute(String... arguments) {
    CommandLine command = Lampone.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    String[] all = new String[arguments.length + 1];
    all[0] = "torture";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return command.execute(all);
  }
}
