package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.checker.format.HistoryFormatException;
import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests that a scan observes each key of its range as present or absent. The predicate anomalies
 * are Adya's, in the steps of Hermitage; a predicate does not narrow the range that a scan has
 * read. Times are timestamps; 1 and 2 hold 10 and 20, written below 10.
 */
final class ScansTest {

  private static final KeyRange ALL = new KeyRange("1", "9");

  private static HandMade store() {
    return registers().ok(9, 1, 2, write("1", 10), write("2", 20));
  }

  private static Operation[] all(Operation... more) {
    Operation[] operations = new Operation[2 + more.length];
    operations[0] = read("1", 10);
    operations[1] = read("2", 20);
    System.arraycopy(more, 0, operations, 2, more.length);
    return operations;
  }

  /** G2: each inserts a key covered by the other's predicate. */
  @Test
  void writeSkewOfPredicatesIsFound() {
    assertThat(
            store()
                .serializable(0, 11, 13, all(write("3", 30)))
                .scanning(ALL)
                .serializable(1, 12, 14, all(write("4", 42)))
                .scanning(ALL)
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(
            store()
                .ok(0, 11, 13, all(write("3", 30)))
                .scanning(ALL)
                .ok(1, 12, 14, all(write("4", 42)))
                .scanning(ALL)
                .kinds())
        .as("snapshot isolation allows it")
        .isEmpty();
  }

  /** Same as above with different ranges, and one transaction inserts into both. */
  @Test
  void anInsertIntoTheRangeOfOneOfThemIsNoSkew() {
    assertThat(
            store()
                .serializable(0, 11, 13, write("3", 30))
                .scanning(new KeyRange("6", "9"))
                .serializable(1, 12, 14, write("7", 42))
                .scanning(new KeyRange("4", "9"))
                .kinds())
        .isEmpty();
    assertThat(
            store()
                .serializable(0, 11, 13, write("5", 30))
                .scanning(new KeyRange("6", "9"))
                .serializable(1, 12, 14, write("7", 42))
                .scanning(new KeyRange("4", "9"))
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
  }

  @Test
  void aPhantomBelowTheCommitIsFound_andOneAboveItIsNone() {
    assertThat(
            store()
                .ok(0, 11, 13, write("5", 50))
                .serializable(1, 12, 14, all(write("8", 80)))
                .scanning(ALL)
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(
            store()
                .ok(0, 11, 15, write("5", 50))
                .serializable(1, 12, 14, all(write("8", 80)))
                .scanning(ALL)
                .kinds())
        .isEmpty();
  }

  @Test
  void bothEndsBelongToTheRange_andNothingBeyond() {
    for (String inserted : List.of("3", "5")) {
      assertThat(between("3", "5", inserted)).containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    }
    for (String inserted : List.of("2", "6", "30", "x")) {
      assertThat(between("3", "5", inserted)).isEmpty();
    }
    assertThat(between("a", "ab", "aa")).containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(between("9", "11", "10")).as("by value").isNotEmpty();
  }

  private static List<AnomalyKind> between(String first, String last, String inserted) {
    return registers()
        .ok(0, 1, 3, write(inserted, 5))
        .serializable(1, 2, 4, write("y", 1))
        .scanning(new KeyRange(first, last))
        .kinds();
  }

  @Test
  void aBirthInTheRangeIsFound() {
    assertThat(
            lists()
                .fast(0, 2, 3, append("5", 1))
                .serializable(1, 2, 4, append("8", 2))
                .scanning(ALL)
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
  }

  /** PMP: the second scan of a transaction shows the result of the first one. */
  @Test
  void aScanThatMissesACommitBelowItsSnapshotIsFound_whateverTheIsolation() {
    assertThat(
            store().ok(0, 11, 12, write("3", 30)).at(1, 11, 14, 13, 0, all()).scanning(ALL).kinds())
        .containsExactly(AnomalyKind.MISSED_COMMIT);
    assertThat(
            store().ok(0, 11, 14, write("3", 30)).at(1, 11, 15, 13, 0, all()).scanning(ALL).kinds())
        .isEmpty();
  }

  /** G-single: it shows one of the rows that a transaction has inserted, and not the other one. */
  @Test
  void halfOfACommitIsReadSkew() {
    assertThat(
            store()
                .ok(0, 11, 12, write("3", 30), write("4", 40))
                .ok(1, 13, 0, all(read("3", 30)))
                .scanning(ALL)
                .kinds())
        .containsExactly(AnomalyKind.READ_SKEW);
  }

  /** G2 with two edges: the reader has seen the second writer, and not the first one. */
  @Test
  void theReadOnlyAnomalyIsFoundAtTheWriterThatScanned() {
    assertThat(
            store()
                .serializable(0, 12, 14, write("2", 25))
                .serializable(1, 15, 0, read("1", 10), read("2", 25))
                .scanning(ALL)
                .serializable(2, 11, 17, all(write("1", 0)))
                .scanning(ALL)
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
  }

  @Test
  void ownInsertsAreSetAside() {
    assertThat(
            store()
                .serializable(0, 11, 13, all(write("3", 30)))
                .scanning(ALL)
                .serializable(1, 14, 16, all(write("5", 50), read("3", 30), read("5", 50)))
                .scanning(ALL)
                .kinds())
        .isEmpty();
  }

  @Test
  void scansAreWrittenAndReadAgain() throws IOException {
    StringWriter text = new StringWriter();
    HistoryTransaction done =
        new HistoryTransaction(
                0,
                0,
                0,
                0,
                Outcome.OK,
                List.of(read("3", 5)),
                "",
                256,
                0,
                false,
                true,
                List.of(),
                HistoryTransaction.Freshness.STRICT,
                HistoryTransaction.NO_SESSION)
            .scanning(List.of(ALL, new KeyRange("a", "b")));
    History.Header header = new History.Header(History.Header.REGISTER, "strong-si", 7, 5);
    try (HistoryWriter writer = new HistoryWriter(text, header, "test", () -> 1)) {
      writer.invoke(0, done.operations());
      writer.ok(done);
    }
    assertThat(text.toString()).contains("\"scans\":[[1,9],[\"a\",\"b\"]]");
    assertThat(HistoryReader.read(new StringReader(text.toString())).transactions().get(0).scans())
        .isEqualTo(done.scans());
    assertThat(done.describe()).contains("scan(1..9)");
  }

  @Test
  void whatIsNoRangeIsRefused() {
    String text =
        """
        {"txnhist":1,"workload":"list-append","claim":"strong-si","clock":"mono-ns"}
        {"type":"invoke","process":0,"time":10,"f":"txn","value":[]}
        {"type":"ok","process":0,"time":20,"f":"txn","value":[],"start_ts":40,"scans":[%s]}
        """;
    for (String range : List.of("[1]", "[2,1]", "[1,2,3]", "7")) {
      assertThatThrownBy(() -> HistoryReader.read(new StringReader(text.formatted(range))))
          .isInstanceOf(HistoryFormatException.class)
          .hasMessageContaining("line=3");
    }
  }
}
