package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.ycsb.YcsbCommand;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

class LamponeTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;

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

  @Test
  void theVersionOptionSaysTheSameAsTheCommand() {
    execute("version");
    String command = out.toString();
    out.getBuffer().setLength(0);

    assertThat(execute("--version")).isZero();
    assertThat(out).hasToString(command);
  }

  @Test
  void theLogOfAServerFollowsItsProperties() {
    System.setProperty("lampone.log.level", "DEBUG");
    System.setProperty("lampone.log.format", "json");
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
      Logging.ofServer(false);
      LoggerFactory.getLogger("io.lampone.tm.Membership").debug("not on the list\nof members");
      LoggerFactory.getLogger("org.apache.zookeeper.ClientCnxn").warn("again and again");
    } finally {
      System.setErr(before);
      System.clearProperty("lampone.log.level");
      System.clearProperty("lampone.log.format");
      Logging.toStandardError(false);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .startsWith("{\"time\":")
        .contains("\"level\":\"DEBUG\"", "\"message\":\"not on the list of members\"");
  }

  /** A disk that is full, or a reader of the pipe that has ended. */
  @Test
  void aCommandWhoseOutputIsLostHasFailed() throws Exception {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full));
    Path messages = folder.resolve("err");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Lampone.class.getName(),
                "version")
            .redirectOutput(full.toFile())
            .redirectError(messages.toFile())
            .start();
    assertThat(process.waitFor()).isEqualTo(1);
    assertThat(Files.readString(messages))
        .contains("ERROR: standard output cannot be written")
        .doesNotContain("\tat ");
  }

  @Test
  void helpListsTheCommands() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("Usage: lampone", "version", "help");
  }

  /** The class path of this test has no module of the lab, like that of the product. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "torture",
        "torture --seconds 60 --json",
        "bench fastpath --help",
        "history check file",
        "tm failover-test --trials 3"
      })
  void commandOfTheLab_withoutTheLab_saysHowToGetIt(String line) {
    assertThat(execute(line.split(" "))).isEqualTo(CommandLine.ExitCode.SOFTWARE);
    assertThat(err.toString())
        .contains("part of the lab", "lampone-lab-", "docs/operations/install.md");
    assertThat(out.toString()).isEmpty();
  }

  @CommandLine.Command(name = "plain")
  private static class Plain implements Callable<Integer> {

    private final Exception failure;

    Plain(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }

  @CommandLine.Command(name = "debugged")
  private static final class Debugged extends Plain {

    @CommandLine.Option(names = "--debug")
    boolean debug;

    Debugged(Exception failure) {
      super(failure);
    }
  }

  private String failing(Callable<Integer> command, String... line) {
    err.getBuffer().setLength(0);
    CommandLine all = Lampone.commandLine().addSubcommand(command);
    assertThat(all.setErr(new PrintWriter(err)).execute(line)).isEqualTo(1);
    return err.toString();
  }

  /** An option that a command does not have is no advice. */
  @Test
  void unforeseenFailure_isShownWithItsStackTraceWhereThereIsNoOptionForThat() {
    Exception unforeseen = new IllegalStateException("odd");
    assertThat(failing(new Plain(unforeseen), "plain"))
        .contains("ERROR: IllegalStateException: odd", "\tat ")
        .doesNotContain("--debug");
    assertThat(failing(new Debugged(unforeseen), "debugged"))
        .contains("ERROR: IllegalStateException: odd", "--debug shows the details")
        .doesNotContain("\tat ");
    assertThat(failing(new Debugged(unforeseen), "debugged", "--debug")).contains("\tat ");
    assertThat(failing(new Plain(new ConnectException("refused")), "plain"))
        .contains("ERROR: ")
        .doesNotContain("\tat ");
  }

  @Test
  void noCommandIsAMistakeThatShowsTheUsage() {
    assertThat(execute()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Missing command", "Usage: lampone");
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

  /** YCSB runs in a separate process, which has the same JVM options. */
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
