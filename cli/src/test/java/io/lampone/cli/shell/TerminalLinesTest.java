package io.lampone.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.cli.FakeDatabase;
import io.lampone.protocol.time.SystemClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.ExternalTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The shell at a terminal whose keys are bytes of a pipe. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TerminalLinesTest {

  private static final String CTRL_C = "\003";
  private static final String CTRL_D = "\004";

  @TempDir private Path folder;

  private final FakeDatabase database = new FakeDatabase();
  private final PipedOutputStream keys = new PipedOutputStream();
  private final ByteArrayOutputStream screen = new ByteArrayOutputStream();
  private ShellSession session;
  private Thread shell;

  @BeforeEach
  void open() throws IOException {
    ExternalTerminal terminal =
        new ExternalTerminal("test", "xterm", new PipedInputStream(keys), screen, UTF_8);
    terminal.setSize(new Size(100, 10));
    try (LineSource script = LineSource.script(new StringReader("create accounts fam"));
        ShellSession other =
            new ShellSession(database, new ShellOutput(new PrintWriter(Writer.nullWriter())))) {
      new Shell(script, other, new PrintWriter(screen), new Shell.Mode("t", false, false)).run();
    }
    NameLookup names = new NameLookup(database, SystemClock.INSTANCE);
    TerminalLines lines =
        new TerminalLines(
            terminal,
            folder.resolve("history"),
            new ShellCompleter(ShellVerbs.all().values(), names));
    session = new ShellSession(database, new ShellOutput(lines.writer(), lines.encoding()));
    shell =
        new Thread(
            () -> {
              try (names;
                  lines) {
                new Shell(lines, session, lines.writer(), Shell.Mode.interactive(false)).run();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    shell.setDaemon(true);
    shell.start();
  }

  @AfterEach
  void close() throws Exception {
    keys.close();
    shell.join(TimeUnit.SECONDS.toMillis(5));
  }

  /** It has keys and values. */
  @Test
  void theHistoryIsReadByItsOwnerOnly() throws Exception {
    Path earlier = folder.resolve("earlier");
    Files.createFile(
        earlier,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
    Terminal terminal =
        new ExternalTerminal("test", "xterm", InputStream.nullInputStream(), screen, UTF_8);
    new TerminalLines(terminal, earlier, (reader, line, candidates) -> {}).close();
    for (Path history : List.of(folder.resolve("history"), earlier)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(history)))
          .as(history.toString())
          .isEqualTo("rw-------");
    }
  }

  @Test
  void ctrlC_duringAScan_cancelsItAndTheTransactionGoesOn() throws Exception {
    type("create T f\nput T one f:q 1\nbegin\nput T two f:q 2\n");
    CountDownLatch reading = new CountDownLatch(1);
    database.beforeRows(
        () -> {
          reading.countDown();
          try {
            TimeUnit.HOURS.sleep(1);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    type("count T; put T three f:q 3\n");
    reading.await();
    type(CTRL_C);
    awaitScreen("Cancelled. The transaction is still open.");
    assertThat(shell.isAlive()).isTrue();
    assertThat(session.isOpen()).isTrue();
    database.beforeRows(() -> {});
    type("count T\n");
    awaitScreen("2 rows"); // of which one is its own; the rest of the line was not run
    type("commit\n");
    awaitScreen("Committed at ");
    type("exit\n");
    shell.join();
  }

  @Test
  void ctrlC_atThePrompt_clearsTheLineAndWhatIsBegun() throws Exception {
    type("create T f\nbegin\n");
    awaitScreen("Began");
    type("frobnicate");
    awaitScreen("frobnicate");
    type(CTRL_C);
    awaitScreen("frobnicate^C");
    type("put T r 'f:q\n");
    awaitScreen("       > ");
    type(CTRL_C);
    await().atMost(1, TimeUnit.MINUTES).until(() -> screen().split("\\^C", -1).length == 3);
    type("status\n");
    awaitScreen("Open, snapshot ");
    assertThat(screen()).doesNotContain("unknown command", "ERROR");
  }

  @Test
  void tab_completesTablesFamiliesAndOptions() throws Exception {
    type("put 'acc\tr fa\tq 1\nscan acc\t{ROWP\t => r, LIM\t=> 1}\n");
    awaitScreen("column=fam:q");
    assertThat(screen()).contains("'accounts'").doesNotContain("ERROR");
  }

  @Test
  void aQuoteThatIsNotClosed_continuesTheLine() throws Exception {
    type("create T f\nput T r f:q 'two\nlines'\nget T r\n");
    awaitScreen("value=two\\x0Alines");
  }

  @Test
  void longOutput_isPaged() throws Exception {
    try (LineSource script = LineSource.script(new StringReader(rows(30)));
        ShellSession other =
            new ShellSession(database, new ShellOutput(new PrintWriter(Writer.nullWriter())))) {
      new Shell(script, other, new PrintWriter(screen), new Shell.Mode("rows", false, false)).run();
    }
    type("scan T\n");
    awaitScreen("row-12"); // the first screen
    assertThat(screen()).doesNotContain("30 rows", "row-9 ");
    type("G");
    awaitScreen("30 rows");
    type("q");
    type("count T\n");
    await()
        .atMost(1, TimeUnit.MINUTES)
        .until(() -> screen().lastIndexOf("30 rows") > screen().lastIndexOf("count T"));
  }

  @Test
  void leavingAnOpenTransaction_isAskedAbout() throws Exception {
    type("begin\nexit\n");
    awaitScreen("A transaction is open, and will be rolled back. Leave? [y/N]");
    type("n\nstatus\n");
    awaitScreen("Open, snapshot ");
    type(CTRL_D);
    await().atMost(1, TimeUnit.MINUTES).until(() -> screen().split("Leave\\?", -1).length == 3);
    assertThat(session.isOpen()).isTrue();
    type("y\n");
    shell.join();
  }

  @Test
  void drop_asksFirst() throws Exception {
    type("create T f\ndrop T\n");
    awaitScreen("Delete table T with all its rows? [y/N]");
    type("no\n");
    awaitScreen("not confirmed: nothing was deleted");
    type("drop T\ny\n");
    awaitScreen("Dropped table T");
  }

  private static String rows(int number) {
    StringBuilder script = new StringBuilder("create T f\n");
    for (int i = 0; i < number; i++) {
      script.append("put T row-" + i + " f:q v\n");
    }
    return script.toString();
  }

  private void type(String text) throws IOException {
    keys.write(text.getBytes(UTF_8));
    keys.flush();
  }

  private void awaitScreen(String text) {
    await().atMost(1, TimeUnit.MINUTES).untilAsserted(() -> assertThat(screen()).contains(text));
  }

  private String screen() {
    return screen.toString(UTF_8);
  }
}
