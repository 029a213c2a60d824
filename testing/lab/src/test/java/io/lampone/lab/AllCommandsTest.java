package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lampone.cli.Lampone;
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

/** The commands of all modules together. */
class AllCommandsTest {

  private final StringWriter out = new StringWriter();

  @Test
  void help_listsEachCommandOnce_andTheLabApart() {
    assertThat(execute("--help")).isZero();
    String help = out.toString();
    for (String command : Lampone.commandLine().getSubcommands().keySet()) {
      assertThat(help.lines().filter(line -> line.matches("  " + command + " .*")))
          .as(command)
          .hasSize(1);
    }
    String lab = help.substring(help.indexOf("Lab (lampone-lab):"));
    assertThat(
            lab.lines().filter(line -> line.matches("  [a-z].*")).map(line -> line.split(" +")[1]))
        .containsExactly(
            "attack",
            "bench",
            "cluster",
            "figures",
            "first-hour",
            "history",
            "mutation-campaign",
            "phoenix-its",
            "simulate",
            "tm-load",
            "torture");
    assertThat(help).doesNotContain("Not installed");
  }

  /** Except those whose output is a file or a dialogue. */
  @Test
  void everyCommandHasAFormForScripts() {
    List<String> without = new ArrayList<>();
    collectWithoutJson(Lampone.commandLine(), without);
    assertThat(without)
        .containsExactlyInAnyOrder(
            "lampone shell",
            "lampone tm run",
            "lampone validator run",
            "lampone console",
            "lampone config site",
            "lampone config page",
            "lampone history export",
            "lampone completion");
  }

  @Test
  void everyCommandHasHelpAndVersion() {
    List<String> without = new ArrayList<>();
    collectWithoutHelp(Lampone.commandLine(), without);
    assertThat(without).isEmpty();
  }

  private static void collectWithoutHelp(CommandLine line, List<String> without) {
    var spec = line.getCommandSpec();
    boolean complete = spec.findOption("--help") != null && spec.findOption("--version") != null;
    if (!complete && !spec.helpCommand()) {
      without.add(spec.qualifiedName());
    }
    line.getSubcommands().values().forEach(each -> collectWithoutHelp(each, without));
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

  private int execute(String... args) {
    return Lampone.commandLine().setOut(new PrintWriter(out, true)).execute(args);
  }
}
