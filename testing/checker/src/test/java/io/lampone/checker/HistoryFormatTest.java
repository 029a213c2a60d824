package io.lampone.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.checker.HistoryTransaction.Freshness;
import io.lampone.checker.format.HistoryFormatException;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HistoryFormatTest {

  private static final String HEADER =
      "{\"txnhist\":1,\"workload\":\"list-append\",\"claim\":\"strong-si\",\"clock\":\"mono-ns\"}\n";

  private static final History.Header REGISTER =
      new History.Header(History.Header.REGISTER, "strong-si", 7, 5, "ns:t", "row=k", "row");

  private static final List<Operation> OF_A_REGISTER =
      List.of(HandMade.read("7", 5), HandMade.read("8"), HandMade.write("7", 6));

  @Test
  void anOperationOfTheFastPathIsOneAlsoIfItsEndIsUnknown() throws IOException {
    StringWriter text = new StringWriter();
    try (HistoryWriter writer =
        new HistoryWriter(
            text,
            new History.Header(History.Header.LIST_APPEND, "strong-si", 0, 0),
            "us",
            () -> 1)) {
      writer.invokeFast(0, 1, List.of(HandMade.append("a", 1)));
      writer.unknown(0, "timeout", "id");
      writer.invokeFast(1, 1, List.of(HandMade.append("a", 2)));
      writer.invoke(2, 1, List.of(HandMade.append("a", 3)));
    }
    assertThat(read(text.toString()).transactions())
        .extracting(HistoryTransaction::fastPath)
        .containsExactly(true, true, false);
  }

  @Test
  void whatAnUnknownTransactionHasSeenIsKeptForTheCaseThatItHasCommitted() throws IOException {
    StringWriter text = new StringWriter();
    List<Operation> seen = List.of(HandMade.read("7", 5), HandMade.write("7", 6));
    HistoryTransaction open =
        new HistoryTransaction(
            0,
            0,
            0,
            0,
            Outcome.UNKNOWN,
            seen,
            "id",
            0,
            0,
            false,
            true,
            List.of(new KeyRange("1", "9")),
            Freshness.SESSION,
            HistoryTransaction.NO_SESSION);
    try (HistoryWriter writer = new HistoryWriter(text, REGISTER, "us", () -> 1)) {
      writer.invoke(0, seen);
      writer.unknown(open, "timeout");
      writer.resolved("id", true, 256, 512);
    }
    HistoryTransaction found = read(text.toString()).transactions().get(0);
    assertThat(found.operations()).isEqualTo(seen);
    assertThat(found.scans()).isEqualTo(open.scans());
    assertThat(found.serializable()).isTrue();
    assertThat(found.freshness()).isEqualTo(Freshness.SESSION);
    assertThat(HistoryReader.readUnresolved(new StringReader(text.toString())).transactions())
        .singleElement()
        .extracting(HistoryTransaction::operations)
        .isEqualTo(List.of(HandMade.write("7", 6)));
  }

  @Test
  void theExampleOfTheFormatIsReadAndIsClean() throws IOException {
    History history =
        read(
            HEADER
                + """
                {"type":"invoke","process":0,"time":10,"f":"txn","value":[["append",1,1]]}
                {"type":"info","process":0,"time":900,"f":"txn","error":"commit-reply-lost","txn":"17"}
                {"type":"invoke","process":16,"time":950,"f":"txn","value":[["r",1,null]]}
                {"type":"ok","process":16,"time":990,"f":"txn","value":[["r",1,[1]]],"start_ts":40}
                {"type":"info","process":"nemesis","time":1000,"f":"kill-rs","value":"rs2"}
                {"type":"resolve","txn":"17","outcome":"committed","start_ts":30,"commit_ts":35}
                """);
    assertThat(history.transactions()).hasSize(2);
    assertThat(history.faults()).isEqualTo(1);
    HistoryTransaction lost = history.transactions().get(0);
    assertThat(lost.outcome()).isEqualTo(Outcome.UNKNOWN);
    assertThat(lost.commitTimestamp()).isEqualTo(35);
    assertThat(SnapshotIsolationChecker.check(history).isClean()).isTrue();
  }

  @Test
  void whatIsResolvedAsAbortedAndWasSeenIsAnAbortedRead() throws IOException {
    History history =
        read(
            HEADER
                + """
                {"type":"invoke","process":0,"time":10,"f":"txn","value":[["append",1,1]]}
                {"type":"info","process":0,"time":900,"f":"txn","error":"timeout","txn":"17"}
                {"type":"invoke","process":1,"time":950,"f":"txn","value":[["r",1,null]]}
                {"type":"ok","process":1,"time":990,"f":"txn","value":[["r",1,[1]]],"start_ts":40}
                {"type":"resolve","txn":"17","outcome":"aborted","start_ts":30}
                """);
    assertThat(SnapshotIsolationChecker.check(history).anomalies().get(0).kind())
        .isEqualTo(AnomalyKind.ABORTED_READ);
  }

  @Test
  void theScansOfWhatIsResolvedAsAbortedAreNotJudged() throws IOException {
    History history =
        read(
            HEADER.replace(History.Header.LIST_APPEND, History.Header.REGISTER)
                + """
                {"type":"invoke","process":0,"time":10,"f":"txn","value":[["w",0,5]]}
                {"type":"ok","process":0,"time":20,"f":"txn","value":[["w",0,5]],"start_ts":10,"commit_ts":20}
                {"type":"invoke","process":1,"time":25,"f":"txn","value":[["r",0,null],["w",1,7]]}
                {"type":"info","process":1,"time":50,"f":"txn","error":"timeout","txn":"X","observed":[["r",0,5],["w",1,7]],"scans":[[0,31]]}
                {"type":"resolve","txn":"X","outcome":"aborted","start_ts":30}
                """);
    assertThat(SnapshotIsolationChecker.check(history).anomalies()).isEmpty();
  }

  @Test
  void whatIsWrittenIsReadAgain() throws IOException {
    StringWriter text = new StringWriter();
    AtomicLong clock = new AtomicLong();
    History.Header header = new History.Header(History.Header.LIST_APPEND, "strong-si", 7, 5);
    try (HistoryWriter writer = new HistoryWriter(text, header, "test", clock::incrementAndGet)) {
      List<Operation> intended =
          List.of(HandMade.read("a"), HandMade.append("a", 1), HandMade.write("b", 2));
      writer.invoke(0, intended);
      writer.ok(
          new HistoryTransaction(
              0,
              0,
              0,
              0,
              Outcome.OK,
              intended,
              "id",
              256,
              512,
              false,
              false,
              List.of(),
              Freshness.STRICT,
              HistoryTransaction.NO_SESSION));
      writer.invoke(0, List.of(HandMade.append("a", 3)));
      writer.failed(0, "conflict");
      writer.fault("kill", "rs1");
      writer.invoke(0, List.of(HandMade.append("a", 4)));
      writer.unknown(0, "timeout", "id2");
      writer.invoke(1, List.of(HandMade.read("a")));
      writer.ok(
          new HistoryTransaction(
              0,
              1,
              0,
              0,
              Outcome.OK,
              List.of(HandMade.read("a", 1)),
              "",
              0,
              0,
              true,
              false,
              List.of(),
              Freshness.STRICT,
              HistoryTransaction.NO_SESSION));
      writer.invoke(2, List.of(HandMade.append("a", 5)));
      writer.resolved("id2", true, 700, 768);
    }
    History history = read(text.toString());
    assertThat(history.header()).isEqualTo(header);
    assertThat(history.faults()).isEqualTo(1);
    assertThat(history.transactions())
        .extracting(HistoryTransaction::outcome)
        .containsExactly(Outcome.OK, Outcome.FAILED, Outcome.UNKNOWN, Outcome.OK, Outcome.UNKNOWN);
    HistoryTransaction first = history.transactions().get(0);
    assertThat(first.invokeNanos()).isEqualTo(1);
    assertThat(first.completeNanos()).isEqualTo(2);
    assertThat(first.commitTimestamp()).isEqualTo(512);
    assertThat(first.operations())
        .containsExactly(HandMade.read("a"), HandMade.append("a", 1), HandMade.write("b", 2));
    assertThat(history.transactions().get(2).commitTimestamp()).isEqualTo(768);
    assertThat(history.transactions().get(3).fastPath()).isTrue();
    assertThat(history.transactions().get(4).completeNanos()).isEqualTo(HistoryTransaction.NEVER);
  }

  @Test
  void aReadOfARegisterIsItsValueAndNoList() throws IOException {
    assertThat(written(History.Header.REGISTER))
        .contains("\"value\":[[\"r\",7,5],[\"r\",8,null],[\"w\",7,6]]")
        .contains("\"value\":[[\"r\",7,null],[\"r\",8,null],[\"w\",7,6]]");
    assertThat(written(History.Header.LIST_APPEND))
        .contains("\"value\":[[\"r\",7,[5]],[\"r\",8,[]],[\"w\",7,6]]");
    assertThat(read(written(History.Header.REGISTER)).transactions().get(0).operations())
        .isEqualTo(OF_A_REGISTER);
  }

  @Test
  void aHeaderSaysWhereAndBothLinesOfTheLastLookSayThatItIsTheLast() throws IOException {
    String text = written(History.Header.REGISTER);
    List<String> lines = text.lines().toList();
    assertThat(lines.get(0))
        .contains("\"table\":\"ns:t\"", "\"cell\":\"row=k\"", "\"snapshot_sees\":\"<\"");
    assertThat(lines.subList(1, 3)).allMatch(line -> line.endsWith("\"final\":true}"));
    assertThat(lines.subList(3, 5)).noneMatch(line -> line.contains("final"));
    assertThat(text).as("no empty names").doesNotContain("\"txn\":\"\"");
    assertThat(read(text).header().table()).isEqualTo("ns:t");
  }

  @Test
  void aSerializableTransactionSaysSo() throws IOException {
    StringWriter text = new StringWriter();
    HistoryTransaction done =
        new HistoryTransaction(
            0,
            0,
            0,
            0,
            Outcome.OK,
            OF_A_REGISTER,
            "",
            256,
            512,
            false,
            false,
            List.of(),
            Freshness.STRICT,
            HistoryTransaction.NO_SESSION);
    try (HistoryWriter writer = new HistoryWriter(text, REGISTER, "us", () -> 1)) {
      writer.invoke(0, OF_A_REGISTER);
      writer.ok(done.asSerializable());
      writer.invoke(0, List.of());
      writer.ok(done);
    }
    assertThat(text.toString().lines().filter(line -> line.contains("isolation")))
        .singleElement()
        .asString()
        .endsWith("\"commit_ts\":512,\"isolation\":\"serializable\"}");
    assertThat(read(text.toString()).transactions())
        .extracting(HistoryTransaction::serializable)
        .containsExactly(true, false);
  }

  @Test
  void aTransactionSaysItsFreshness() throws IOException {
    StringWriter text = new StringWriter();
    HistoryTransaction done =
        new HistoryTransaction(
            0,
            0,
            0,
            0,
            Outcome.OK,
            List.of(HandMade.read("7")),
            "",
            0,
            0,
            false,
            false,
            List.of(),
            Freshness.LATEST,
            HistoryTransaction.NO_SESSION);
    try (HistoryWriter writer = new HistoryWriter(text, REGISTER, "us", () -> 1)) {
      for (Freshness freshness : Freshness.values()) {
        writer.invoke(0, List.of());
        writer.ok(done.withFreshness(freshness));
      }
    }
    assertThat(text.toString().lines().filter(line -> line.contains("fresh")))
        .hasSize(2)
        .anyMatch(line -> line.endsWith("\"value\":[[\"r\",7,null]],\"freshness\":\"session\"}"))
        .anyMatch(line -> line.endsWith(",\"freshness\":\"latest\"}"));
    assertThat(read(text.toString()).transactions())
        .extracting(HistoryTransaction::freshness)
        .containsExactly(Freshness.values());
  }

  @Test
  void aFaultStandsAtTheTimeAtWhichItHappened() throws IOException {
    StringWriter text = new StringWriter();
    try (HistoryWriter writer = new HistoryWriter(text, REGISTER, "us", () -> 99)) {
      writer.fault("kill", "rs2", 17);
    }
    assertThat(text.toString())
        .endsWith(
            "{\"type\":\"info\",\"process\":\"nemesis\",\"time\":17,\"f\":\"kill\","
                + "\"value\":\"rs2\"}\n");
  }

  /** A last look, and a fast operation after it. */
  private static String written(String workload) throws IOException {
    StringWriter text = new StringWriter();
    History.Header header =
        new History.Header(workload, "strong-si", 7, 5, REGISTER.table(), REGISTER.cell(), "row");
    HistoryTransaction done =
        new HistoryTransaction(
            0,
            0,
            0,
            0,
            Outcome.OK,
            OF_A_REGISTER,
            "",
            256,
            512,
            false,
            false,
            List.of(),
            Freshness.STRICT,
            HistoryTransaction.NO_SESSION);
    try (HistoryWriter writer = new HistoryWriter(text, header, "us", () -> 1)) {
      writer.lastLook(done);
      writer.invoke(0, OF_A_REGISTER);
      writer.ok(done);
      writer.invoke(0, List.of());
      writer.unknown(0, "timeout", "");
    }
    return text.toString();
  }

  @Test
  void whatAClientSaysMustNotBeIsKeptAndIsNoFault() throws IOException {
    StringWriter text = new StringWriter();
    try (HistoryWriter writer = new HistoryWriter(text, REGISTER, "us", () -> 99)) {
      writer.fault("kill", "rs2");
      writer.violation("counter: not as large as its list is long");
    }
    History history = read(text.toString());
    assertThat(history.faults()).isEqualTo(1);
    assertThat(history.violations()).containsExactly("counter: not as large as its list is long");
  }

  @Test
  void whatIsNoHistoryIsRefusedWithItsLine() {
    refused("", "empty");
    refused("{}\n", "line=1 no header");
    refused("nonsense\n", "line=1 not JSON");
    refused(HEADER + "[]\n", "line=2 not a JSON object");
    refused(HEADER.replace("list-append", "other"), "workload=other");
    refused(HEADER + "{\"type\":\"ok\",\"process\":1,\"time\":1,\"value\":[]}\n", "never begun");
    String invoke = "{\"type\":\"invoke\",\"process\":1,\"time\":1,\"value\":[[\"r\",1,null]]}\n";
    refused(HEADER + invoke + invoke, "two transactions at a time");
    refused(
        HEADER + invoke + "{\"type\":\"info\",\"process\":1,\"time\":2}\n" + invoke,
        "goes on after an unknown outcome");
    refused(HEADER + invoke.replace("\"r\"", "\"x\""), "unknown operation");
    refused(
        HEADER + invoke.replace("\"time\":1", "\"time\":1,\"isolation\":\"none\""),
        "unknown isolation");
    refused(
        HEADER + invoke.replace("\"time\":1", "\"time\":1,\"freshness\":\"old\""),
        "unknown freshness");
    refused(
        HEADER + "{\"type\":\"invoke\",\"process\":1,\"time\":1,\"value\":[[\"w\",1,\"z\"]]}\n",
        "not a whole number");
    refused(HEADER + "{\"type\":\"invoke\",\"process\":1,\"value\":[]}\n", "field=time");
    String ok = "{\"type\":\"ok\",\"process\":1,\"time\":2,\"value\":[],\"start_ts\":%s}\n";
    refused(HEADER + invoke + ok.formatted("\"30\""), "not a whole number");
    refused(HEADER + invoke + ok.formatted("[3,0]"), "not a whole number");
  }

  private static void refused(String text, String why) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(HistoryFormatException.class)
        .hasMessageContaining(why);
  }

  private static History read(String text) throws IOException {
    return HistoryReader.read(new StringReader(text));
  }
}
