package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.FakeDatabase;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.Test;

class ShellTest {

  private final FakeDatabase database = new FakeDatabase();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final ShellSession session =
      new ShellSession(database, new ShellOutput(new PrintWriter(out)));

  @Test
  void aTransferAsInTheReadme() throws IOException {
    run(
        """
        create 'accounts', 'a'
        put 'accounts', 'anna', 'a:balance', '70'
        begin
        get 'accounts', 'anna', 'a:balance'
        put 'accounts', 'anna', 'a:balance', '50'
        put 'accounts', 'bert', 'a:balance', '20'
        commit
        scan 'accounts'
        """);
    assertThat(err).hasToString("");
    assertThat(out.toString())
        .containsPattern("a:balance +timestamp=\\d+, value=70\n1 row\n")
        .containsPattern("Committed at \\d+ \\(2026-01-01T00:00:0.*Z\\)\nid [0-9a-f]+\\.")
        .containsPattern(" anna +column=a:balance, timestamp=\\d+, value=50\n")
        .endsWith("value=20\n2 rows\n");
  }

  @Test
  void whatIsNotCommittedIsSeenByItsTransactionOnly() throws IOException {
    run("create T f; begin; put T r f:q v; count T");
    assertThat(out.toString()).endsWith("1 row\n");
    run("rollback; count T");
    assertThat(out.toString()).endsWith("Rolled back.\n0 rows\n");
  }

  @Test
  void savepointsUndoWhatFollowedThem() throws IOException {
    run("create T f; begin; put T a f:q 1; savepoint one; put T b f:q 2; savepoint two");
    run("put T c f:q 3; rollback to two; count T; rollback to one; count T; rollback to two");
    assertThat(out.toString()).contains("2 rows\nRolled back to one.\n1 row\n");
    assertThat(err.toString())
        .isEqualTo(
            "ERROR: t line 1: no savepoint of this name: two\n  this transaction has: one\n");
  }

  @Test
  void aScriptThatEndsInsideATransactionHasFailed() throws IOException {
    assertThat(script("create T f; put T r f:q v; begin; put T s f:q v")).isEqualTo(1);
    assertThat(err.toString())
        .isEqualTo(
            "ERROR: t: the script ends inside a transaction, which is rolled back\n"
                + "  nothing of it was written: end it with 'commit' or 'rollback'\n");
    session.close();
    assertThat(script("begin; put T s f:q v; rollback")).isZero();
    assertThat(script("begin readonly; get T r")).as("nothing to write").isZero();
    assertThat(script("commit; begin; nonsense")).as("told once").isEqualTo(1);
    session.close();
    assertThat(script("begin; put T s f:q v; exit")).as("left").isEqualTo(1);
    assertThat(err.toString().split("ends inside")).hasSize(3);
  }

  @Test
  void aConflictEndsTheTransactionAndSaysWhatToDo() throws IOException {
    run("create T f; begin; put T r f:q mine");
    other("T", "r");
    assertThat(run("commit\nget T r", false)).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("ERROR: t line 1: LP-101 another transaction committed first")
        .endsWith("\n  nothing of this transaction was written; begin again and repeat it\n");
    assertThat(session.prompt()).isEqualTo("lampone> ");
    err.getBuffer().setLength(0);
    run("get T r");
    assertThat(out.toString()).contains("value=other");
  }

  @Test
  void thePromptShowsTheTransaction() throws IOException {
    run("create T f");
    assertThat(session.prompt()).isEqualTo("lampone> ");
    run("begin");
    assertThat(session.prompt()).matches("lampone\\(tx [0-9a-f]{3}…[0-9a-f]{5}\\)> ");
    run("rollback; begin readonly");
    assertThat(session.prompt()).matches("lampone\\(tx [0-9a-f]{3}…[0-9a-f]{5}, read only\\)> ");
    run("commit; put T r f:q v; asof '2026-01-01T00:00:00.000001Z'");
    assertThat(session.prompt()).startsWith("lampone(as of 2026-01-01T00:00:00.000000");
  }

  @Test
  void thePastIsReadByTimeOrByTimestamp() throws IOException {
    run("create T f; put T r f:q old");
    long between = database.nextTimestamp();
    run("put T r f:q new; asof " + between + "; get T r; rollback; get T r");
    assertThat(out.toString()).containsSubsequence("value=old", "Rolled back.", "value=new");
    assertThat(err).hasToString("");
    run("asof yesterday");
    run("asof 9999999999999999999");
    assertThat(err.toString())
        .contains("not a time in UTC such as '2026-11-21T08:00:00Z': 'yesterday'")
        .contains("the timestamp must be a number, not '9999999999999999999'");
  }

  @Test
  void anyBytesAreStoredAndPrinted() throws IOException {
    run("create T f; put T \"\\x00r\" \"f:\\xFF\" \"a\\x5Cb\\x0A\"; scan T");
    assertThat(out.toString())
        .containsPattern(
            " \\\\x00r +column=f:\\\\xFF, timestamp=\\d+, value=a\\\\x5Cb\\\\x0A\n1 row");
  }

  @Test
  void scansTakeRangesLimitsAndColumns() throws IOException {
    run("create T f g; put T a f:q 1; put T b f:q 2; put T b g:q 3; put T c f:q 4");
    out.getBuffer().setLength(0);
    run("scan T {STARTROW => b, STOPROW => c, COLUMNS => [g]}; scan 'T', {LIMIT => 1}");
    run("scan T {COLUMN => 'f:q', STARTROW => b}; scan T {ROWPREFIXFILTER => b}");
    assertThat(out.toString().replaceAll("timestamp=\\d+", "").replaceAll(" +", " "))
        .isEqualTo(
            """
            ROW COLUMN+CELL
             b column=g:q, , value=3
            1 row
            ROW COLUMN+CELL
             a column=f:q, , value=1
            1 row
            ROW COLUMN+CELL
             b column=f:q, , value=2
             c column=f:q, , value=4
            2 rows
            ROW COLUMN+CELL
             b column=f:q, , value=2
             b column=g:q, , value=3
            1 row
            """);
  }

  @Test
  void deletesTakeACellAFamilyOrARow() throws IOException {
    run("create T f g; put T a f:q 1; put T a f:r 2; put T a g:q 3; put T b f:q 4");
    run("delete T a f:q; deleteall T b; get T a");
    assertThat(out.toString()).doesNotContain("f:q ").contains("f:r ", "g:q ");
    run("deleteall T a f; get T a; count T; deleteall T a g:q; count T");
    assertThat(out.toString()).endsWith("1 row\n1 row\n0 rows\n");
  }

  @Test
  void countersCount() throws IOException {
    run("create T f; incr T r f:n; incr T r f:n 41; incr T r f:n -2");
    assertThat(out.toString())
        .endsWith("COUNTER VALUE = 1\nCOUNTER VALUE = 42\nCOUNTER VALUE = 40\n");
  }

  @Test
  void tablesAreCreatedEnabledAndDisabled() throws IOException {
    run("create 'T', 'f', {LEVEL => 'CELL', SPLITS => ['m', 'c']}; tables; disable T; tables");
    run("enable T {level => row}; tables");
    assertThat(out.toString().replaceAll(" +", " "))
        .isEqualTo(
            """
            Created table T
            TABLE LEVEL
             T CELL
            1 table
            Table T is a plain HBase table
            TABLE LEVEL
            0 tables
            Table T is transactional
            TABLE LEVEL
             T ROW
            1 table
            """);
  }

  @Test
  void statusTellsHowATransactionEnded() throws IOException {
    run("create T f; status; begin; put T r f:q v; status; commit");
    String id = out.toString().replaceAll("(?s).*\nid ", "").strip();
    run("status '" + id + "'; status x");
    assertThat(out.toString())
        .contains("No transaction is open.", "Open, snapshot ")
        .containsPattern("\ncommitted at \\d+ \\(");
    assertThat(err.toString()).contains("not a transaction id: 'x'\n  'commit' prints the id");
  }

  @Test
  void mistakesAreToldWithTheUsage() throws IOException {
    run("create T f");
    for (String mistake :
        new String[] {
          "frobnicate | unknown command: frobnicate",
          "put T r | the column (family:qualifier) is missing",
          "put T r f v | a column needs a qualifier, column='f'",
          "put T r :q v | a column needs a family, column=':q'",
          "put T '' f:q v | a row key must not be empty",
          "put T r f:q v w | one argument too many: 'w'",
          "put T r g:q v | no such column family: Column family g does not exist",
          "get U r | no such table: U",
          "get 'a b' r | 'a b' cannot be the name of a table",
          "scan T {FROM => a} | unknown option FROM; known: STARTROW",
          "scan T {LIMIT => x} | LIMIT must be a number, not 'x'",
          "scan T {LIMIT => 0} | LIMIT must be in 1..",
          "scan T a | options {...} expected, not a word",
          "commit | no transaction is open",
          "begin later | only 'readonly' or 'serializable' may follow begin",
          "create T f | the table exists already",
          "create U | a table needs a family",
          "create U f f | a family is named twice",
          "create U f {LEVEL => TABLE} | LEVEL must be ROW or CELL, not 'TABLE'",
          "help frobnicate | unknown command",
        }) {
      String[] parts = mistake.split(" \\| ");
      err.getBuffer().setLength(0);
      assertThat(run(parts[0], false)).as(parts[0]).isEqualTo(1);
      assertThat(err.toString()).startsWith("ERROR: t line 1: " + parts[1]);
    }
  }

  @Test
  void tablesAreNotChangedInsideATransaction() throws IOException {
    run("begin; create T f");
    assertThat(err.toString()).contains("a transaction is open").contains("'commit' or 'rollback'");
    assertThat(session.isOpen()).isTrue();
  }

  @Test
  void aReadOnlyTransactionRefusesWritesAndGoesOn() throws IOException {
    run("create T f; begin readonly");
    run("put T r f:q v");
    assertThat(err.toString()).contains("LP-403 the transaction is read-only");
    assertThat(session.isOpen()).isTrue();
  }

  @Test
  void aScriptStopsAtItsFirstErrorWithTheLine() throws IOException {
    assertThat(run("create T f\n\nput T r f:q\nput T r f:q v\n", false)).isEqualTo(1);
    assertThat(err.toString()).startsWith("ERROR: t line 3: the value is missing\n  usage: put ");
    run("count T");
    assertThat(out.toString()).endsWith("0 rows\n");
  }

  @Test
  void aScriptGoesOnIfToldSo() throws IOException {
    assertThat(run("create T f\nput T\nput T r f:q v; nonsense; count T\nput 'x\n", true))
        .isEqualTo(3);
    assertThat(out.toString()).endsWith("1 row\n");
    assertThat(err.toString()).contains("t line 2: ", "t line 3: ", "t line 4: ");
  }

  @Test
  void statementsMayTakeSeveralLinesAndErrorsStillKnowWhere() throws IOException {
    run("create 'T',\n  'f'\nscan 'T', {\n LIMIT => 1,\n}\nput T r\n");
    assertThat(out.toString()).contains("Created table T").endsWith("0 rows\n");
    assertThat(err.toString()).startsWith("ERROR: t line 6: ");
    err.getBuffer().setLength(0);
    run("scan T {\n");
    assertThat(err.toString()).startsWith("ERROR: t line 1: } is missing");
  }

  @Test
  void exitEndsTheScriptAndRollsBack() throws IOException {
    run("create T f; begin; put T r f:q v; exit; nonsense\nnonsense");
    assertThat(err).hasToString("");
    session.close();
    assertThat(session.isOpen()).isFalse();
  }

  @Test
  void helpKnowsEveryCommand() throws IOException {
    run("help");
    for (Verb verb : session.verbs()) {
      assertThat(out.toString()).contains(" " + verb.name() + " ", verb.usage());
      run("help " + verb.name());
      assertThat(out.toString()).contains("  " + verb.help() + "\n");
    }
  }

  private void other(String table, String row) throws IOException {
    try (Transaction other = database.begin(TransactionOptions.DEFAULT)) {
      byte[] family = Bytes.utf8("f").toArray();
      byte[] qualifier = Bytes.utf8("q").toArray();
      other
          .table(TableName.valueOf(table))
          .put(
              new Put(Bytes.utf8(row).toArray())
                  .addColumn(family, qualifier, Bytes.utf8("other").toArray()));
      other.commit();
    }
  }

  private void run(String script) throws IOException {
    run(script, false);
  }

  private int run(String script, boolean goOn) throws IOException {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      return shell(lines, goOn).run();
    }
  }

  private int script(String script) throws IOException {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      return shell(lines, false).runScript();
    }
  }

  private Shell shell(LineSource lines, boolean goOn) {
    return new Shell(lines, session, new PrintWriter(err), new Shell.Mode("t", goOn, false));
  }
}
