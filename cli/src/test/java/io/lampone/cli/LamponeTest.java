package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
  void scriptsGetTheVersionsByName() throws Exception {
    assertThat(execute("version", "--json")).isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.get("hbase").asText()).startsWith("2.");
    assertThat(json.fieldNames()).toIterable().containsExactly("lampone", "hbase", "java");
  }

  /** But those whose output is a file or a conversation. */
  @Test
  void everyCommandHasAFormForScripts() {
    List<String> without = new ArrayList<>();
    collectWithoutJson(Lampone.commandLine(), without);
    assertThat(without)
        .containsExactlyInAnyOrder(
            "lampone shell",
            "lampone tm run",
            "lampone config site",
            "lampone config page",
            "lampone completion");
  }

  private static void collectWithoutJson(CommandLine line, List<String> without) {
    boolean leaf = line.getSubcommands().isEmpty();
    boolean help = line.getCommandSpec().helpCommand();
    boolean hidden = line.getCommandSpec().usageMessage().hidden();
    if (leaf && !help && !hidden && line.getCommandSpec().findOption("--json") == null) {
      without.add(line.getCommandSpec().qualifiedName());
    }
    line.getSubcommands().values().forEach(each -> collectWithoutJson(each, without));
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

  @Test
  void everyCommandSaysWhatItDoesAndWhatItsExitCodesMean() {
    List<String> silent = new ArrayList<>();
    collectSilent(Lampone.commandLine(), silent);
    assertThat(silent).isEmpty();
  }

  private static void collectSilent(CommandLine line, List<String> silent) {
    String usage = line.getUsageMessage();
    boolean leaf = line.getSubcommands().isEmpty();
    if (line.getCommandSpec().usageMessage().description().length == 0
        || leaf && !usage.contains("xit code")) {
      silent.add(line.getCommandSpec().qualifiedName());
    }
    line.getSubcommands().values().forEach(each -> collectSilent(each, silent));
  }

  @Test
  void completionKnowsEveryCommandAndIsAcceptedByBash(@TempDir Path folder) throws Exception {
    assertThat(execute("completion")).isZero();
    assertThat(out.toString()).contains("complete ", "failover-test", "--zookeeper", "zsh");
    Path script = Files.writeString(folder.resolve("completion"), out.toString());
    Process bash =
        new ProcessBuilder(
                "bash",
                "-c",
                "source "
                    + script
                    + "; COMP_WORDS=(lampone tm fail); COMP_CWORD=2; COMP_LINE='lampone tm fail';"
                    + " COMP_POINT=${#COMP_LINE}; _complete_lampone; echo \"${COMPREPLY[@]}\"")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("failover-test");
    assertThat(bash.waitFor()).isZero();
  }

  @Test
  void completionIsAcceptedByZsh(@TempDir Path folder) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/zsh")), "no zsh here");
    assertThat(execute("completion")).isZero();
    Path script = Files.writeString(folder.resolve("completion"), out.toString());
    Process zsh =
        new ProcessBuilder(
                "/usr/bin/zsh",
                "-f",
                "-c",
                "autoload -Uz compinit && compinit -u -d "
                    + folder.resolve("dump")
                    + " && source "
                    + script
                    + " && print -r -- $_comps[lampone]")
            .redirectErrorStream(true)
            .start();
    assertThat(new String(zsh.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("_complete_lampone");
    assertThat(zsh.waitFor()).isZero();
  }

  @Test
  void withoutAClusterACommandSaysSoAndShowsNoStackTrace() {
    for (String command : List.of("export t /nowhere", "restore /nowhere", "snapshot t")) {
      err.getBuffer().setLength(0);
      assertThat(execute((command + " --zookeeper=127.0.0.1:1").split(" "))).isEqualTo(1);
      assertThat(err.toString()).contains("ERROR: ").doesNotContain("\tat ");
    }
  }

  @Test
  void everyArgumentOfATableCommandIsExplained() {
    CommandLine table = Lampone.commandLine().getSubcommands().get("table");
    for (CommandLine verb : table.getSubcommands().values()) {
      assertThat(verb.getCommandSpec().positionalParameters())
          .allSatisfy(
              argument ->
                  assertThat(argument.description())
                      .as(verb.getCommandName() + " " + argument.paramLabel())
                      .isNotEmpty());
    }
  }

  @Test
  void ycsbNeedsAThread() {
    for (String verb : List.of("load", "run")) {
      err.getBuffer().setLength(0);
      assertThat(execute("ycsb", verb, "-P", "/dev/null", "--threads=0", "-z", "127.0.0.1:1"))
          .isEqualTo(2);
      assertThat(err.toString()).contains("--threads must be in 1..", "not 0");
    }
  }

  /** It runs in a process of its own, to which more memory is worth as much. */
  @Test
  void ycsbHasTheOptionsOfEveryJvm() {
    assertThat(YcsbCommand.command(Path.of("site"), " -Xmx4g  -Xss1m "))
        .containsSubsequence("-Xmx1g", "-Xmx4g", "-Xss1m", "site.ycsb.Client");
    for (String none : new String[] {null, "", " "}) {
      assertThat(YcsbCommand.command(Path.of("site"), none))
          .contains("-XX:+UseSerialGC")
          .doesNotContain("", " ");
    }
    // Java starts with no more than one of them.
    assertThat(YcsbCommand.command(Path.of("site"), "-XX:+UseG1GC"))
        .contains("-XX:+UseG1GC")
        .doesNotContain("-XX:+UseSerialGC");
    assertThat(YcsbCommand.command(Path.of("site"), "-XX:-UseG1GC")).contains("-XX:+UseSerialGC");
  }

  private int execute(String... args) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }
}
