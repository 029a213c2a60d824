package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.format.HistoryReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Reads of a serializable transaction equal the state left by the commits below its own commit.
 * Times are timestamps.
 */
final class SerializableHistoriesTest {

  @Test
  void writeSkewOfTwoSerializableTransactionsIsFound() {
    assertThat(
            registers()
                .serializable(0, 1, 3, read("x"), read("y"), write("x", 1))
                .serializable(1, 2, 4, read("x"), read("y"), write("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(
            lists()
                .serializable(0, 1, 3, read("y"), append("x", 1))
                .serializable(1, 2, 4, read("x"), append("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(
            lists()
                .serializable(0, 1, 3, read("y"), append("x", 1))
                .serializable(1, 4, 5, read("x", 1), append("y", 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void onlyTheReadsOfSerializableTransactionsMustStandAtTheirCommit() {
    // The one that commits first has missed no commit; the other one promises less.
    assertThat(
            registers()
                .serializable(0, 1, 3, read("x"), read("y"), write("x", 1))
                .ok(1, 2, 4, read("x"), read("y"), write("y", 2))
                .kinds())
        .isEmpty();
    assertThat(
            registers()
                .ok(0, 1, 3, read("x"), read("y"), write("x", 1))
                .serializable(1, 2, 4, read("x"), read("y"), write("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
  }

  @Test
  void aHistoryThatClaimsToBeSerializableIsJudgedSoWithoutMarks() {
    History skew =
        registers()
            .ok(0, 1, 3, read("x"), read("y"), write("x", 1))
            .ok(1, 2, 4, read("x"), read("y"), write("y", 2))
            .history();
    assertThat(SnapshotIsolationChecker.check(skew).isClean()).isTrue();
    History claimed =
        new History(
            new History.Header(History.Header.REGISTER, "strict-serializable", 0, 0),
            skew.transactions(),
            0);
    assertThat(SnapshotIsolationChecker.check(claimed).anomalies())
        .extracting(Anomaly::kind)
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
  }

  @Test
  void aSerializableHistoryIsStillHeldToRealTime() {
    History late =
        new History(
            new History.Header(History.Header.LIST_APPEND, "strict-serializable", 0, 0),
            lists()
                .ok(0, 1, 4, append("x", 1))
                .at(1, 6, 7, 3, 0, read("x"))
                .history()
                .transactions(),
            0);
    assertThat(SnapshotIsolationChecker.check(late).anomalies())
        .extracting(Anomaly::kind)
        .containsExactly(AnomalyKind.REAL_TIME);
  }

  @Test
  void aReadOnlyTransactionHasTheStateOfItsSnapshot() {
    assertThat(
            lists()
                .ok(0, 1, 3, append("x", 1))
                .at(1, 2, 9, 2, 0, read("x"))
                .serializable(2, 2, 0, read("x"))
                .kinds())
        .isEmpty();
  }

  @Test
  void anOperationOfTheFastPathBelowTheCommitIsFound() {
    assertThat(
            lists()
                .fast(0, 2, 3, append("x", 1))
                .serializable(1, 2, 4, read("x"), append("y", 2))
                .kinds())
        .containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(
            lists()
                .fast(0, 4, 5, append("x", 1))
                .serializable(1, 2, 4, read("x"), append("y", 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void ownWritesAreSetAside() {
    assertThat(
            lists()
                .ok(0, 1, 2, append("x", 1))
                .serializable(1, 3, 5, read("x", 1), append("x", 2), read("x", 1, 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void anUnknownOutcomeCommitsWhereNoSerializableReaderHasMissedIt() {
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .serializable(0, 2, 5, read("x"), append("y", 1))
                .at(1, 1, 7, 6, 0, read("x"))
                .ok(2, 9, 0, read("x", 1))
                .kinds())
        .isEmpty();
    // It has been seen below the commit of the reader that missed it.
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .serializable(0, 2, 5, read("x"), append("y", 1))
                .at(1, 1, 7, 4, 0, read("x", 1))
                .kinds())
        .isNotEmpty();
    assertThat(
            lists()
                .unknown(8, 1, append("x", 1))
                .ok(0, 2, 5, read("x"), append("y", 1))
                .at(1, 1, 7, 4, 0, read("x", 1))
                .kinds())
        .isEmpty();
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1))
                .serializable(0, 2, 5, read("x"), write("y", 1))
                .at(1, 1, 7, 4, 0, read("x", 1))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void ofTwoUnknownVersionsTheLaterOneStaysAboveTheCommitOfWhoSawTheFirst() {
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1), write("z", 1))
                .unknown(9, 1, write("x", 2))
                .serializable(0, 3, 6, read("x", 1), write("y", 1))
                .at(1, 1, 8, 7, 0, read("x", 1))
                .at(2, 1, 9, 9, 0, read("x", 2))
                .kinds())
        .isEmpty();
    assertThat(
            registers()
                .unknown(8, 1, write("x", 1), write("z", 1))
                .unknown(9, 1, write("x", 2))
                .serializable(0, 3, 6, read("x", 1), write("y", 1))
                .at(1, 1, 8, 5, 0, read("x", 2))
                .kinds())
        .isNotEmpty();
  }

  @Test
  void whatATransactionHasReadCountsIfItHasCommittedWithoutTheKnowledgeOfItsClient()
      throws IOException {
    assertThat(kinds(withLostReply("committed"))).containsExactly(AnomalyKind.ANTI_DEPENDENCY);
    assertThat(kinds(withLostReply("aborted"))).isEmpty();
    History unresolved = HistoryReader.readUnresolved(new StringReader(withLostReply("committed")));
    assertThat(SnapshotIsolationChecker.check(unresolved).isClean()).isTrue();
  }

  private static List<AnomalyKind> kinds(String history) throws IOException {
    return SnapshotIsolationChecker.check(HistoryReader.read(new StringReader(history)))
        .anomalies()
        .stream()
        .map(Anomaly::kind)
        .toList();
  }

  /** Write skew of two transactions; the client of the second one lost the reply of its commit. */
  private static String withLostReply(String outcome) {
    return """
        {"txnhist":1,"workload":"rw-register","claim":"strict-serializable","clock":"mono-ns"}
        {"type":"invoke","process":0,"time":10,"f":"txn","value":[["r","b",null],["w","b",1],["r","a",null]]}
        {"type":"invoke","process":1,"time":11,"f":"txn","value":[["r","b",null],["w","a",2]]}
        {"type":"ok","process":0,"time":20,"f":"txn","value":[["r","a",null],["w","b",1]],"start_ts":10,"commit_ts":20}
        {"type":"info","process":1,"time":30,"f":"txn","error":"timeout","txn":"7","observed":[["r","b",null],["w","a",2]]}
        {"type":"resolve","txn":"7","outcome":"%s","start_ts":11,"commit_ts":30}
        """
        .formatted(outcome);
  }
}
