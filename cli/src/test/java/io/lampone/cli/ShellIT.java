package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShellIT {

  @TempDir private static Path folder;
  private static EmbeddedLampone cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aScriptCreatesWritesReadsAndTravels() throws Exception {
    Path script = folder.resolve("script");
    Files.writeString(
        script,
        """
        create 'people', 'p', {SPLITS => ['m']}
        put 'people', 'anna', 'p:town', 'Rome'
        begin
        put 'people', 'anna', 'p:town', 'Milan'
        savepoint moved
        deleteall people anna
        put 'people', 'zoe', 'p:town', "\\x00\\xFF"
        rollback to moved
        put people zoe p:town "\\x00\\xFF"
        incr people zoe p:visits 41
        incr people zoe p:visits
        get 'people', 'anna'
        commit
        scan 'people'
        count people
        """);
    assertThat(shell(script.toString())).as(err.toString()).isZero();
    assertThat(err).hasToString("");
    assertThat(out.toString())
        .containsSubsequence(
            "Created table people",
            "Savepoint moved.",
            "Rolled back to moved.",
            "COUNTER VALUE = 41",
            "COUNTER VALUE = 42",
            "value=Milan\n1 row",
            "Committed at ",
            " anna ",
            "value=Milan",
            " zoe ",
            "value=\\x00\\xFF",
            "2 rows\n2 rows\n");

    String commit = between(out.toString(), "Committed at ", " ");
    String id = between(out.toString(), "\nid ", "\n");
    out.getBuffer().setLength(0);
    assertThat(
            shell(
                "-e",
                "asof %s; get people anna; count people; rollback; status %s"
                    .formatted(commit, id)))
        .as(err.toString())
        .isZero();
    assertThat(out.toString())
        .containsSubsequence("value=Rome\n1 row", "1 row\n", "committed at " + commit);
  }

  @Test
  void twoShellsThatWriteTheSameRowMeetAConflict() throws Exception {
    assertThat(shell("-e", "create fruit f")).as(err.toString()).isZero();
    try (Database database = connection().connect(new PrintWriter(err));
        ShellSession one = new ShellSession(database, new ShellOutput(new PrintWriter(out)));
        ShellSession two = new ShellSession(database, new ShellOutput(new PrintWriter(out)))) {
      assertThat(run(one, "begin; get fruit apple; put fruit apple f:n 1")).isZero();
      assertThat(run(two, "begin; get fruit apple; put fruit apple f:n 2; commit")).isZero();
      assertThat(run(one, "commit")).isEqualTo(1);
      assertThat(err.toString()).contains("LP-101", "begin again and repeat it");
      assertThat(run(one, "get fruit apple")).isZero();
      assertThat(out.toString()).contains("value=2\n1 row");
    }
  }

  @Test
  void tablesAreListedDisabledAndEnabledAgain() {
    assertThat(lampone("table", "create", "--level=cell", "trees", "f")).isZero();
    assertThat(shell("-e", "put trees oak f:height 30; disable trees; tables"))
        .as(err.toString())
        .isZero();
    assertThat(shell("-e", "get trees oak")).isEqualTo(1);
    assertThat(err.toString()).contains("LP-402");
    assertThat(lampone("table", "enable", "trees")).as(err.toString()).isZero();
    out.getBuffer().setLength(0);
    assertThat(shell("-e", "get trees oak")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("value=30");
    assertThat(lampone("table", "list", "--json")).isZero();
    assertThat(out.toString())
        .contains("{\"table\":\"trees\",\"level\":\"ROW\",\"changing\":false}");
  }

  @Test
  void mistakesThatOnlyTheClusterSeesAreReadable() {
    assertThat(shell("-e", "create herbs f")).isZero();
    assertThat(shell("--continue", "-e", "get nothing r\nput herbs r g:q v\ncreate herbs f"))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("ERROR: -e line 1: ", "ERROR: -e line 2: ", "ERROR: -e line 3: ")
        .contains("nothing", "'tables' lists", "already")
        .doesNotContain("\tat ");
  }

  private static int run(ShellSession session, String script, PrintWriter errors) throws Exception {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      return new Shell(lines, session, errors, new Shell.Mode("t", false, false)).run();
    }
  }

  private int run(ShellSession session, String script) throws Exception {
    return run(session, script, new PrintWriter(err, true));
  }

  private static ConnectionOptions connection() {
    ConnectionOptions options = new ConnectionOptions();
    options.zooKeeper = cluster.hbase().zooKeeperConnectString();
    return options;
  }

  private int shell(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "shell";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return lampone(all);
  }

  private int lampone(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--zookeeper";
    all[arguments.length + 1] = cluster.hbase().zooKeeperConnectString();
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  private static String between(String text, String before, String after) {
    int start = text.indexOf(before) + before.length();
    return text.substring(start, text.indexOf(after, start));
  }
}
