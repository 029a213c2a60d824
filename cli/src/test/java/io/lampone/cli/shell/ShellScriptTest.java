package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.FakeDatabase;
import io.lampone.client.ConflictException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts that go on after an error, characters that are lost, and ranges of scans. */
class ShellScriptTest {

  private final FakeDatabase database = new FakeDatabase();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final ShellSession session =
      new ShellSession(database, new ShellOutput(new PrintWriter(out)));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "begin serialisable",
        "begin {TIMEOUT => 0}",
        "asof yesterday",
        "begin; put T r f:q a\"b",
      })
  void theRestOfABlockWhoseBeginFailedIsNotWritten(String begin) throws IOException {
    run("create T f", true);
    assertThat(run(begin + "\nput T a f:q 1\nincr T b f:q\ncommit", true)).isEqualTo(4);
    assertThat(err.toString()).contains("t line 2: its transaction has ended", "t line 4: ");
    run("count T", true);
    assertThat(out.toString()).endsWith("\n0 rows\n");
  }

  @Test
  void theRestOfABlockWhoseTransactionEndedIsNotWritten() throws IOException {
    run("create T f; put T a f:q 1", true);
    database.beforeRows(ShellScriptTest::conflict);
    assertThat(run("begin; put T b f:q 1; count T; put T c f:q 1; get T a; commit", true))
        .isEqualTo(4);
    database.beforeRows(() -> {});
    run("count T", true);
    assertThat(out.toString()).endsWith("\n1 row\n");
  }

  @Test
  void aBlockEndsWithItsCommitOrRollback() throws IOException {
    run("create T f", true);
    assertThat(run("begin x; begin; put T a f:q 1; commit; put T b f:q 1", true)).isEqualTo(4);
    assertThat(run("begin x; rollback to y; put T c f:q 1; rollback; put T d f:q 1", true))
        .isEqualTo(3);
    assertThat(run("put T; put T e f:q 1", true)).as("outside a block").isEqualTo(1);
    run("scan T", true);
    assertThat(out.toString())
        .contains(" b ", " d ", " e ")
        .doesNotContain(" a ", " c ")
        .endsWith("\n3 rows\n");
  }

  @Test
  void aTerminalAndAScriptThatStopsHaveNoSuchBlocks() throws IOException {
    run("create T f", true);
    assertThat(run("begin x", false)).isEqualTo(1);
    assertThat(run("put T a f:q 1", false)).isZero();
    try (LineSource lines = LineSource.script(new StringReader("begin x\nput T b f:q 1"))) {
      new Shell(lines, session, new PrintWriter(err), Shell.Mode.interactive(false)).run();
    }
    run("count T", false);
    assertThat(out.toString()).endsWith("\n2 rows\n");
  }

  @Test
  void aCharacterThatWasLostIsRefused() throws IOException {
    assertThat(run("create T f\nput T,\n'stra\ufffde' f:q v\nput T b f:q v", true)).isEqualTo(1);
    assertThat(err.toString())
        .contains(
            "ERROR: t line 3: a character could not be read as UTF-8: write its bytes as \\xNN");
    run("count T", true);
    assertThat(out.toString()).endsWith("\n1 row\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ROWPREFIXFILTER => p, REVERSED => true}",
        "{REVERSED => true, ROWPREFIXFILTER => p}",
      })
  void aReversedScanOfAPrefixReadsItsRows(String options) throws IOException {
    run("create T f; put T o f:q v; put T p f:q v; put T pz f:q v; put T q f:q v", true);
    out.getBuffer().setLength(0);
    run("scan T " + options, true);
    assertThat(out.toString()).containsSubsequence(" pz ", " p ").endsWith("\n2 rows\n");
  }

  @Test
  void aReversedScanOfAPrefixOfHighestBytesReadsFromTheEnd() throws IOException {
    run("create T f; put T a f:q v; put T \\xFF f:q v; put T \\xFF\\xFFz f:q v", true);
    run("scan T {ROWPREFIXFILTER => \\xFF, REVERSED => true}", true);
    assertThat(out.toString()).doesNotContain(" a ").endsWith("\n2 rows\n");
  }

  @Test
  void aScanWhoseOutputIsLostStops() throws IOException {
    run("create T f; put T a f:q v; put T b f:q v; put T c f:q v", true);
    AtomicInteger rows = new AtomicInteger();
    database.beforeRows(rows::incrementAndGet);
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("no space left on device");
          }
        };
    try (ShellSession lost =
            new ShellSession(database, new ShellOutput(new PrintWriter(full, true)));
        LineSource lines = LineSource.script(new StringReader("scan T"))) {
      Shell shell = new Shell(lines, lost, new PrintWriter(err), new Shell.Mode("t", false, false));
      assertThat(shell.run()).isEqualTo(1);
    }
    assertThat(rows).hasValue(1);
    assertThat(err.toString()).contains("ERROR: t line 1: standard output cannot be written");
  }

  /** Throws a conflict, which the interface of the fake does not declare. */
  private static void conflict() {
    throw ShellScriptTest.<RuntimeException>undeclared(
        new ConflictException(
            1L << 60, new RowFamily("T", Bytes.utf8("a"), Bytes.utf8("f")), 1L << 61));
  }

  @SuppressWarnings("unchecked")
  private static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
    throw (E) failure;
  }

  private int run(String script, boolean goOn) throws IOException {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      return new Shell(lines, session, new PrintWriter(err), new Shell.Mode("t", goOn, false))
          .run();
    }
  }
}
