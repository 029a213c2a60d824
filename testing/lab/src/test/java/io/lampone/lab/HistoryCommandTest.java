package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Lampone;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class HistoryCommandTest {

  private static final String HEADER =
      "{\"txnhist\":1,\"workload\":\"list-append\",\"claim\":\"strong-si\"}\n";
  private static final String WRITER =
      "{\"type\":\"invoke\",\"process\":0,\"time\":1,\"value\":[[\"append\",1,1]]}\n"
          + "{\"type\":\"ok\",\"process\":0,\"time\":2,\"value\":[[\"append\",1,1]],"
          + "\"start_ts\":10,\"commit_ts\":20}\n";

  private final StringWriter out = new StringWriter();
  private final StringWriter errors = new StringWriter();

  @TempDir Path folder;

  @Test
  void aCleanHistoryEndsWithZero() throws IOException {
    assertThat(execute("check", file("clean", HEADER + WRITER + reader("[1]")).toString()))
        .isZero();
    assertThat(out.toString()).contains("2 committed", "clean");
  }

  @Test
  void anAnomalyIsPrintedWithItsTransactionsAndEndsWithOne() throws IOException {
    Path file = file("stale", HEADER + WRITER + reader("[]"));
    assertThat(execute("check", file.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains("STALE_READ", "key=1 seen=[] expected=[1]", "T1 process=1", "T0 process=0");
  }

  @Test
  void ofAHistoryThatClaimsNoOrderItSaysThatRealTimeWasNotJudged() throws IOException {
    String claimsLess = HEADER.replace("strong-si", "si");
    String late = WRITER + reader("[]").replace("\"start_ts\":30", "\"start_ts\":15");
    assertThat(execute("check", file("strong", HEADER + late).toString())).isEqualTo(1);
    assertThat(out.toString()).contains("REAL_TIME").doesNotContain("claims no order");
    assertThat(execute("check", file("si", claimsLess + late).toString())).isZero();
    assertThat(out.toString()).contains("clean (claims no order by real time or sessions)");
  }

  /** The file is judged by the freshness that it names. */
  @Test
  void latestAndSessionTransactionsAreJudgedByTheirPromise() throws IOException {
    String both = WRITER.replace("[\"append\",1,1]", "[\"append\",1,1],[\"append\",2,2]");
    String torn =
        "{\"type\":\"invoke\",\"process\":1,\"time\":3,\"value\":[]}\n"
            + "{\"type\":\"ok\",\"process\":1,\"time\":4,"
            + "\"value\":[[\"r\",1,[1]],[\"r\",2,[]]],\"freshness\":\"latest\"}\n";
    assertThat(execute("check", file("torn", HEADER + both + torn).toString())).isEqualTo(1);
    assertThat(out.toString()).contains("READ_SKEW", "OK latest r(1)=[1] r(2)=[]");
    String whole = torn.replace("[\"r\",2,[]]", "[\"r\",2,[2]]");
    assertThat(execute("check", file("whole", HEADER + both + whole).toString())).isZero();

    String old =
        "{\"type\":\"invoke\",\"process\":1,\"time\":3,\"value\":[]}\n"
            + "{\"type\":\"ok\",\"process\":1,\"time\":4,"
            + "\"value\":[[\"r\",1,[]]],\"start_ts\":15,\"freshness\":\"session\"}\n";
    assertThat(execute("check", file("old", HEADER + both + old).toString())).isZero();
    String own = old.replace("\"process\":1", "\"process\":0");
    assertThat(execute("check", file("own", HEADER + both + own).toString())).isEqualTo(1);
    assertThat(out.toString()).contains("SESSION", "does not follow what its own client did");
  }

  @Test
  void jsonIsOneLineForEachFile() throws IOException {
    Path stale = file("stale", HEADER + WRITER + reader("[]"));
    Path clean = file("clean", HEADER + WRITER);
    assertThat(execute("check", "--json", stale.toString(), clean.toString())).isEqualTo(1);
    assertThat(out.toString().lines())
        .hasSize(2)
        .first()
        .asString()
        .contains("\"anomalies\":1", "\"realTimeAndSessions\":true,\"kinds\":[\"STALE_READ\"]");
  }

  @Test
  void anExportForElleIsWrittenOnceOrToStandardOutput() throws IOException {
    String history = file("clean", HEADER + WRITER).toString();
    assertThat(execute("export", "--edn", history)).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "{:index 0, :type :invoke, :process 0, :time 1, :f :txn, :value [[:append 1 1]]}",
            "{:index 1, :type :ok, :process 0, :time 2, :f :txn, :value [[:append 1 1]]}");

    Path edn = folder.resolve("clean.edn");
    assertThat(execute("export", "--edn", history, "--output", edn.toString())).isZero();
    assertThat(edn).hasContent(out.toString());
    assertThat(execute("export", "--edn", history, "--output", edn.toString())).isEqualTo(2);
    assertThat(errors.toString()).contains("the file exists", "clean.edn");
    assertThat(edn).hasContent(out.toString());
  }

  @Test
  void whatIsNoHistoryIsNotExported() throws IOException {
    assertThat(execute("export", "--edn", file("none", "{}\n").toString())).isEqualTo(2);
    assertThat(errors.toString()).contains("cannot export", "no header of txnhist/1");
    assertThat(out.toString()).isEmpty();
    assertThat(execute("export", file("clean", HEADER + WRITER).toString())).isEqualTo(2);
    assertThat(errors.toString()).contains("--edn");
  }

  @Test
  void whatAClientHasRecordedThatMustNotBeIsPrintedAndEndsWithOne() throws IOException {
    String violation =
        "{\"type\":\"info\",\"process\":\"nemesis\",\"time\":5,\"f\":\"violation\","
            + "\"value\":\"counter: too small\"}\n";
    Path file = file("violated", HEADER + WRITER + violation);
    assertThat(execute("check", file.toString())).isEqualTo(1);
    assertThat(out.toString())
        .contains("1 violations", "counter: too small")
        .doesNotContain("clean");
    assertThat(execute("check", "--json", file.toString())).isEqualTo(1);
    assertThat(out.toString()).contains("\"violations\":[\"counter: too small\"]");
  }

  @Test
  void theChecksOfAWorkloadOfTheLabAreMadeAgain() throws IOException {
    String header =
        HEADER
            .replace("list-append", "rw-register")
            .replace("\"claim\"", "\"table\":\"default:torture-bank-7\",\"claim\"");
    long coinLess = 1 << 20 | 999;
    StringBuilder accounts = new StringBuilder("[\"r\",0," + coinLess + "]");
    for (int account = 1; account < 12; account++) {
      accounts.append(",[\"r\",").append(account / 2 * 32 + account % 2).append(",null]");
    }
    String all =
        WRITER.replace("\"append\",1,1", "\"w\",0," + coinLess)
            + "{\"type\":\"invoke\",\"process\":1,\"time\":3,\"value\":[]}\n"
            + "{\"type\":\"ok\",\"process\":1,\"time\":4,\"value\":["
            + accounts
            + "],\"start_ts\":30}\n";
    assertThat(execute("check", file("bank", header + all).toString())).isEqualTo(1);
    assertThat(out.toString()).contains("bank: sum=11999 expected=12000");
    String other = header.replace("torture-bank-7", "accounts");
    assertThat(execute("check", file("other", other + all).toString())).isZero();
  }

  @Test
  void aHistoryInWhichNothingHasCommittedIsNotCalledClean() throws IOException {
    String failed =
        "{\"type\":\"invoke\",\"process\":0,\"time\":1,\"value\":[[\"append\",1,1]]}\n"
            + "{\"type\":\"fail\",\"process\":0,\"time\":2}\n";
    for (String text : new String[] {HEADER, HEADER + failed}) {
      assertThat(execute("check", file("untested", text).toString())).isEqualTo(2);
    }
    assertThat(out.toString()).contains("nothing is shown").doesNotContain("clean");
  }

  @Test
  void whatIsNoHistoryIsNotCalledClean() throws IOException {
    assertThat(execute("check", file("bad", "hello\n").toString())).isEqualTo(2);
    assertThat(errors.toString()).contains("line=1", "docs/histories.md");
    assertThat(execute("check", folder.resolve("absent").toString())).isEqualTo(2);
  }

  private static String reader(String elements) {
    return "{\"type\":\"invoke\",\"process\":1,\"time\":3,\"value\":[[\"r\",1,null]]}\n"
        + "{\"type\":\"ok\",\"process\":1,\"time\":4,\"value\":[[\"r\",1,"
        + elements
        + "]],\"start_ts\":30}\n";
  }

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private int execute(String... arguments) {
    CommandLine command = Lampone.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(errors));
    String[] all = new String[arguments.length + 1];
    all[0] = "history";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return command.execute(all);
  }
}
