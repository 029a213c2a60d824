package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.shell.LineSource;
import io.lampone.cli.shell.Shell;
import io.lampone.cli.shell.ShellOutput;
import io.lampone.cli.shell.ShellSession;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Failing changes of tables in the shell, and their messages. */
class ShellTablesTest {

  private final FakeDatabase database = new FakeDatabase();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final ShellSession session =
      new ShellSession(database, new ShellOutput(new PrintWriter(out)));

  @Test
  void aTableThatIsEnabledAgainKeepsItsLevelUnlessAnotherIsSaid() throws IOException {
    run("create T f {LEVEL => CELL}; enable T; create R f; disable R; enable R; list");
    assertThat(out.toString().replaceAll(" +", " ")).contains(" T CELL\n", " R ROW\n");
    run("disable T; enable T; list");
    assertThat(out.toString().replaceAll(" +", " ")).endsWith(" R ROW\n T ROW\n2 tables\n");
  }

  @Test
  void aChangeThatLeavesATableClosedSaysSoAndEnableOpensItAsItIs() throws IOException {
    run("create T f {LEVEL => CELL}");
    database.breakChangesOff(true);
    run("disable T");
    assertThat(err.toString()).startsWith("ERROR: t line 1: ");
    assertThat(out.toString())
        .endsWith(
            "Table T takes no writes until the change is done: give the same command again, or"
                + " 'enable' to open it as it is.\n");
    database.breakChangesOff(false);
    run("enable T; list");
    assertThat(out.toString().replaceAll(" +", " ")).endsWith(" T CELL\n1 table\n");
  }

  @Test
  void aTableWhoseSettingsCannotBeReadIsListedWithWhatIsWrong() throws IOException {
    database.addUnreadable("S", "no level");
    run("create T f; list");
    assertThat(out.toString().replaceAll(" +", " "))
        .endsWith(" T ROW\n S broken: no level\n2 tables\n");
  }

  /** It would be deleted without its transactions being settled. */
  @Test
  void aTableWhoseSettingsCannotBeReadIsNotDropped() throws IOException {
    run("create T f; disable T");
    database.addUnreadable("T", "no level");
    run("drop T, confirm; count T");
    assertThat(err.toString())
        .startsWith(
            "ERROR: t line 1: its settings cannot be read, so transactions with other tables")
        .contains("mend it ('alter'), or drop it in the HBase shell and lose them");
    assertThat(out.toString()).endsWith("0 rows\n");
  }

  /** No transaction has written into it, and disabling it is refused. */
  @Test
  void aTableOfARestoreThatWasBrokenOffIsDropped() throws IOException {
    run("create T f");
    database.addRestoring("T");
    run("drop T, confirm; list");
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).endsWith("0 tables\n");
  }

  private void run(String script) throws IOException {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      new Shell(lines, session, new PrintWriter(err), new Shell.Mode("t", true, false)).run();
    }
  }
}
