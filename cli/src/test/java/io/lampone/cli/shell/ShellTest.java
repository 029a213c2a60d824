package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.FakeDatabase;
import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
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
        .containsPattern("a:balance +timestamp=\\S+Z, value=70\n1 row\n")
        .containsPattern("Committed at \\d+ \\(2026-01-01T00:00:0.*Z\\)\nid [0-9a-f]+\\.")
        .containsPattern(" anna +column=a:balance, timestamp=\\S+Z, value=50\n")
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
  void theWordAfterBeginChoosesTheOptions() throws IOException {
    TransactionOptions plain =
        TransactionOptions.DEFAULT.withTimeout(ShellSession.INTERACTIVE_TIMEOUT);
    run("begin; rollback");
    assertThat(database.lastBegin()).isEqualTo(plain);
    run("begin readonly; rollback");
    assertThat(database.lastBegin()).isEqualTo(plain.asReadOnly());
    run("begin serializable; rollback");
    assertThat(database.lastBegin()).isEqualTo(plain.withIsolation(Isolation.SERIALIZABLE));
    run("begin SESSION, {TIMEOUT => 5}; rollback");
    assertThat(database.lastBegin())
        .isEqualTo(plain.withFreshness(Freshness.SESSION).withTimeout(Duration.ofSeconds(5)));
    run("begin latest");
    assertThat(database.lastBegin()).isEqualTo(plain.asReadOnly().withFreshness(Freshness.LATEST));
    assertThat(session.prompt()).isEqualTo("lampone(latest, read only)> ");
    assertThat(err).hasToString("");
  }

  @Test
  void thePastIsReadByTimeOrByTimestamp() throws IOException {
    run("create T f; put T r f:q old");
    long between = database.nextTimestamp();
    run("put T r f:q new; asof " + between + "; get T r; rollback; get T r");
    assertThat(out.toString()).containsSubsequence("value=old", "Rolled back.", "value=new");
    assertThat(err).hasToString("");
    run("asof " + between);
    assertThat(database.lastBegin().timeout()).isEqualTo(ShellSession.INTERACTIVE_TIMEOUT);
    run("rollback; asof yesterday");
    run("asof 0");
    run("asof 9999999999999999999");
    assertThat(err.toString())
        .contains("not a time in UTC such as '2026-11-21 08:00', or -5m: 'yesterday'")
        .contains("time out of range, time=1970-01-01T00:00:00Z")
        .contains("the timestamp must be a number, not '9999999999999999999'");
  }

  @Test
  void anyBytesAreStoredAndPrinted() throws IOException {
    run("create T f; put T \"\\x00r\" \"f:\\xFF\" \"a\\x5Cb\\x0A\"; scan T");
    assertThat(out.toString())
        .containsPattern(
            " \\\\x00r +column=f:\\\\xFF, timestamp=\\S+Z, value=a\\\\x5Cb\\\\x0A\n1 row");
  }

  @Test
  void scansTakeRangesLimitsAndColumns() throws IOException {
    run("create T f g; put T a f:q 1; put T b f:q 2; put T b g:q 3; put T c f:q 4");
    out.getBuffer().setLength(0);
    run("scan T {STARTROW => b, STOPROW => c, COLUMNS => [g]}; scan 'T', {LIMIT => 1}");
    run("scan T {COLUMN => 'f:q', STARTROW => b}; scan T {ROWPREFIXFILTER => b}");
    assertThat(out.toString().replaceAll("timestamp=\\S+Z", "").replaceAll(" +", " "))
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
    run("create 'T', 'f', {LEVEL => 'CELL', SPLITS => ['m', 'c']}; list; disable T; list");
    run("enable T {level => row}; list");
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
  void statusTellsHowAWriteOfTheFastPathEnded() throws IOException {
    OperationId operation = new OperationId(7, 1);
    FastPathId id = new FastPathId("T", Bytes.utf8("r"), operation, 99);
    run("status '" + id + "'");
    assertThat(err.toString()).isEmpty();
    assertThat(out.toString()).contains("committed at 100 (");
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
          "begin later | only 'readonly', 'serializable', 'session' or 'latest' may follow begin,",
          "begin latest serializable | options {...} expected, not a word",
          "begin latest asof -5m | options {...} expected, not a word",
          "create T f | the table exists already",
          "create U | a table needs a family",
          "create U f f | a family is named twice",
          "alter T {TTL => 5} | unknown option TTL; known: KEEP_LONGER, PLAIN_CLIENTS",
          "alter T f | say what to change",
          "alter T f {TTL => -1} | TTL must be in 0..",
          "alter T {PLAIN_CLIENTS => some} | PLAIN_CLIENTS must be REFUSED or FAST_PATH",
          "alter U {KEEP_LONGER => 5} | not a transactional table: U",
          "drop T now | only 'confirm' may follow the table",
          "describe U | no such table: U",
          "timing | on or off is missing",
          "timing maybe | on or off must follow timing",
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
    for (String open : new String[] {"scan T {", "put T r f:q 'x"}) {
      err.getBuffer().setLength(0);
      run(open + "\n");
      assertThat(err.toString())
          .startsWith("ERROR: t line 1: ")
          .contains("} is missing|never closed".split("\\|")[open.endsWith("{") ? 0 : 1]);
    }
  }

  @Test
  void exitEndsTheScriptAndRollsBack() throws IOException {
    run("create T f; begin; put T r f:q v; exit; nonsense\nnonsense");
    assertThat(err).hasToString("");
    session.close();
    assertThat(session.isOpen()).isFalse();
  }

  @Test
  void helpKnowsEveryCommand() throws IOException, SyntaxException {
    run("help");
    for (Verb verb : session.verbs()) {
      assertThat(out.toString()).containsPattern("\n  " + verb.name() + " +\\Q" + verb.summary());
      assertThat(verb.summary()).hasSizeLessThanOrEqualTo(70);
      run("help " + verb.name());
      assertThat(out.toString())
          .contains(verb.usage() + "\n  " + verb.help() + "\n  Example: " + verb.example());
      assertThat(StatementParser.parse(verb.example(), 1))
          .as(verb.example())
          .singleElement()
          .returns(verb.name(), Statement::name);
    }
    assertThat(out.toString().lines()).containsSubsequence("Rows:", "Transactions:", "Tables:");
  }

  @Test
  void whatCanBeSeenIsShownAndMayBeTypedAgain() throws IOException, SyntaxException {
    run("create T f; put T r f:q 'Stra\u00dfe \"5\"'; get T r");
    assertThat(out.toString()).contains("value=Stra\u00dfe \\\"5\\\"\n");
    ShellOutput output = new ShellOutput(new PrintWriter(out));
    ShellOutput ascii = new ShellOutput(new PrintWriter(out), StandardCharsets.US_ASCII);
    assertThat(output.text(Bytes.utf8("a\u202e\u00a0\ud83d\ude00\u0007")))
        .isEqualTo("a\\xE2\\x80\\xAE\\xC2\\xA0\ud83d\ude00\\x07");
    assertThat(ascii.text(Bytes.utf8("\u00df"))).isEqualTo("\\xC3\\x9F");
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 5_000; round++) {
      byte[] bytes = new byte[random.nextInt(8)];
      random.nextBytes(bytes);
      Bytes any =
          random.nextBoolean()
              ? Bytes.wrap(bytes)
              : Bytes.utf8(Character.toString(random.nextInt(Character.MAX_CODE_POINT)));
      for (ShellOutput each : List.of(output, ascii)) {
        String text = "put \"" + each.text(any) + '"';
        assertThat(StatementParser.parse(text, 1).get(0).arguments())
            .as("seed=" + seed + " text=" + text)
            .containsExactly(new Argument.Word(any));
      }
    }
  }

  @Test
  void tablesAreDescribedAlteredAndDropped() throws IOException {
    run("create T f {LEVEL => CELL}; describe T; disable T; describe T; enable T {LEVEL => CELL}");
    assertThat(out.toString().replaceAll(" +", " "))
        .contains(" T LEVEL=CELL, PLAIN_CLIENTS=REFUSED, KEEP_LONGER=0\n")
        .contains(" f VERSIONS=1, MIN_VERSIONS=0, TTL=forever, CELL_TTL=false, COMPRESSION=NONE\n")
        .contains(" T a plain HBase table\n");
    run("alter T f {TTL => 60, CELL_TTL => true}");
    run("alter T {KEEP_LONGER => 5, PLAIN_CLIENTS => fast_path}");
    assertThat(err).hasToString("");
    assertThat(database.altered())
        .containsExactly(
            "T f TTL 60", "T f CELL_TTL true", "T KEEP_LONGER 5", "T PLAIN_CLIENTS FAST_PATH");
    run("drop T");
    assertThat(err.toString())
        .isEqualTo("ERROR: t line 1: not confirmed: nothing was deleted\n  drop 'T', confirm\n");
    run("drop T, confirm; list; create T f; disable T; drop T confirm; get T r");
    assertThat(out.toString()).contains("Dropped table T\n").contains("\n0 tables\n");
    assertThat(err.toString()).contains("no such table: T");
  }

  @Test
  void theDurationOfAStatementIsShownIfThatIsAskedFor() throws IOException {
    run("create T f; timing on; count T; timing off; count T");
    assertThat(out.toString()).containsPattern("\n0 rows\nTook \\d+\\.\\d{3} s\n0 rows\n$");
  }

  @Test
  void aScanThatFailsPrintsNothing() throws IOException {
    run("create T f; scan T {COLUMN => g}");
    assertThat(out).hasToString("Created table T\n");
    assertThat(err.toString()).contains("no such column family");
    run("scan T {FILTER => 'Prefix('}");
    assertThat(err.toString()).contains("not a filter of HBase: Prefix(: ");
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
