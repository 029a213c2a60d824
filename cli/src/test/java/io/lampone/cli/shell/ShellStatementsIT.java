package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.Lampone;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Statements of the shell on a cluster: cancelled ones, tables, filters. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShellStatementsIT {

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

  /** Once between two rows, and once while an answer is waited for. */
  @Test
  void aScanThatIsCancelledLeavesItsTransactionOpen() throws Exception {
    StringBuilder script = new StringBuilder("create nuts f; begin\n");
    for (int i = 0; i < 500; i++) {
      script.append("put nuts nut-" + i + " f:q v\n");
    }
    assertThat(shell("-e", script + "commit")).as(err.toString()).isZero();
    boolean[] armed = {false};
    Writer screen =
        new StringWriter() {
          @Override
          public void write(String text, int offset, int length) {
            super.write(text, offset, length);
            if (armed[0] && text.startsWith(" nut-")) {
              Thread.currentThread().interrupt();
            }
          }
        };
    try (Database database = connection().connect(new PrintWriter(err));
        ShellSession session =
            new ShellSession(database, new ShellOutput(new PrintWriter(screen)));
        LineSource lines = LineSource.script(new StringReader("scan nuts\ncount nuts"))) {
      assertThat(run(session, "begin; put nuts mine f:q v")).isZero();
      LineSource cancelling =
          new LineSource() {
            @Override
            public Optional<String> next(String prompt) throws IOException {
              Optional<String> line = lines.next(prompt);
              return prompt.contains("[y/N]") ? Optional.of("y") : line;
            }

            @Override
            public void run(Running statement) throws IOException {
              armed[0] = !armed[0];
              if (!armed[0]) {
                Thread.currentThread().interrupt();
              }
              try {
                statement.run();
              } finally {
                assertThat(Thread.interrupted()).isTrue();
              }
            }

            @Override
            public boolean takeInterrupt() {
              return true;
            }

            @Override
            public void close() {}
          };
      PrintWriter errors = new PrintWriter(err, true);
      assertThat(new Shell(cancelling, session, errors, Shell.Mode.interactive(false)).run())
          .isEqualTo(2);
      assertThat(err.toString()).isEqualTo("Cancelled. The transaction is still open.\n".repeat(2));
      assertThat(screen.toString()).contains(" nut-0 ").doesNotContain(" nut-1 ", "row");
      assertThat(run(session, "count nuts; commit")).as(err.toString()).isZero();
      assertThat(screen.toString()).contains("501 rows\nCommitted at ");
    }
  }

  @Test
  void tablesAreDescribedAlteredDroppedAndFiltered() {
    assertThat(
            shell(
                "-e",
                "create shrubs f; put shrubs box f:q Buchs; put shrubs yew f:q Eibe\n"
                    + "scan shrubs {FILTER => \"ValueFilter(=, 'binary:Eibe')\"}\n"
                    + "count shrubs {FILTER => \"PrefixFilter('b')\"}; alter shrubs f {TTL => 3600}\n"
                    + "alter shrubs {KEEP_LONGER => 60, PLAIN_CLIENTS => fast_path}; describe shrubs\n"
                    + "asof -1s; rollback; drop shrubs, confirm; create shrubs g; drop shrubs confirm"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString().replaceAll(" +", " "))
        .contains("value=Eibe\n1 row\n1 row\n")
        .doesNotContain("Buchs")
        .contains(" shrubs LEVEL=ROW, PLAIN_CLIENTS=FAST_PATH, KEEP_LONGER=60\n", "TTL=3600.0 s")
        .endsWith("Created table shrubs\nDropped table shrubs\n");
    assertThat(shell("-e", "drop shrubs, confirm")).isEqualTo(1);
    assertThat(err.toString()).contains("no such table");
  }

  @Test
  void aLatestTransactionHasGetsOnlyAndNoSnapshot() throws Exception {
    assertThat(shell("-e", "create logs f; put logs oak f:q old")).as(err.toString()).isZero();
    try (Database database = connection().connect(new PrintWriter(err));
        ShellSession session = new ShellSession(database, new ShellOutput(new PrintWriter(out)))) {
      assertThat(run(session, "begin latest; status; get logs oak")).as(err.toString()).isZero();
      assertThat(out.toString()).contains("Began, no snapshot\nOpen, no snapshot\n", "value=old");
      for (String refused :
          List.of(
              "put logs oak f:q new | LP-403 a read-only transaction cannot write",
              "incr logs oak f:n | LP-403 a read-only transaction cannot write",
              "scan logs | a LATEST transaction has gets only: scan in a STRICT or SESSION",
              "count logs | a LATEST transaction has gets only: scan in a STRICT or SESSION",
              "asof -5m | a transaction is open: latest, read only",
              "begin session | a transaction is open: latest, read only")) {
        String[] parts = refused.split(" \\| ");
        err.getBuffer().setLength(0);
        assertThat(run(session, parts[0])).as(parts[0]).isEqualTo(1);
        assertThat(err.toString()).contains(parts[1]);
        assertThat(session.isOpen()).as(parts[0]).isTrue();
      }
      assertThat(run(session, "commit")).isZero();
      assertThat(out.toString()).endsWith("Committed; nothing was written.\n");
      out.getBuffer().setLength(0);
      assertThat(run(session, "begin session; get logs oak; put logs oak f:q new; commit"))
          .as(err.toString())
          .isZero();
      assertThat(run(session, "begin session; get logs oak; commit")).isZero();
      assertThat(out.toString())
          .startsWith("Began, snapshot ")
          .containsSubsequence("value=old", "Committed at ", "value=new", "Committed; nothing");
    }
  }

  /**
   * A LATEST transaction that would have to show two states ends, and the shell with it goes on.
   */
  @Test
  void aLatestTransactionThatMetAConflictHasEnded() throws Exception {
    assertThat(shell("-e", "create pair f; begin; put pair a f:q 1; put pair b f:q 1; commit"))
        .as(err.toString())
        .isZero();
    try (Database database = connection().connect(new PrintWriter(err));
        ShellSession session = new ShellSession(database, new ShellOutput(new PrintWriter(out)))) {
      assertThat(run(session, "begin latest; get pair a")).as(err.toString()).isZero();
      assertThat(shell("-e", "begin; put pair a f:q 2; put pair b f:q 2; commit")).isZero();
      assertThat(run(session, "get pair b")).isEqualTo(1);
      assertThat(err.toString()).contains("LP-101", "begin again and repeat it");
      assertThat(session.isOpen()).isFalse();
      assertThat(out.toString()).endsWith("The transaction has ended.\n").doesNotContain("value=2");
    }
  }

  private int run(ShellSession session, String script) throws Exception {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      PrintWriter errors = new PrintWriter(err, true);
      return new Shell(lines, session, errors, new Shell.Mode("t", false, false)).run();
    }
  }

  private static ConnectionOptions connection() {
    ConnectionOptions options = new ConnectionOptions();
    options.zooKeeper = cluster.hbase().zooKeeperConnectString();
    return options;
  }

  private int shell(String option, String statements) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute("shell", "-z", cluster.hbase().zooKeeperConnectString(), option, statements);
  }
}
