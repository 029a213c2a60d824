package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LamponeTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void versionNamesLamponeHBaseAndJava() {
    assertThat(execute("version")).isZero();
    assertThat(out.toString()).contains("lampone ", "hbase 2.", "java ");
  }

  @Test
  void theVersionOptionSaysTheSameAsTheCommand() {
    execute("version");
    String command = out.toString();
    out.getBuffer().setLength(0);

    assertThat(execute("--version")).isZero();
    assertThat(out).hasToString(command);
  }

  @Test
  void helpListsTheCommands() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("Usage: lampone", "version", "help");
  }

  @Test
  void noCommandIsAMistakeThatShowsTheUsage() {
    assertThat(execute()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Missing command", "Usage: lampone");
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
