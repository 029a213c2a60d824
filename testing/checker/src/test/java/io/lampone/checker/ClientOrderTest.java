package io.lampone.checker;

import static io.lampone.checker.HandMade.append;
import static io.lampone.checker.HandMade.lists;
import static io.lampone.checker.HandMade.read;
import static io.lampone.checker.HandMade.registers;
import static io.lampone.checker.HandMade.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.format.HistoryReader;
import io.lampone.checker.format.HistoryWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the order of the updates of a key, and that of all processes of one client. */
class ClientOrderTest {

  private static final int CLIENT = 7;

  @Test
  void aWriteBelowOneThatHadBeenAcknowledgedIsFound() {
    assertThat(
            registers()
                .fastAt(0, 1, 2, 1000, write("k", 1))
                .fastAt(1, 3, 4, 900, write("k", 2))
                .at(2, 2000, 2001, 2000, 0, read("k", 1))
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    // Also below a regular commit, and when it was found out later.
    assertThat(
            registers()
                .at(0, 1, 2, 950, 1000, write("k", 1))
                .fastAt(1, 3, 4, 900, write("k", 2))
                .kinds())
        .containsExactly(AnomalyKind.REAL_TIME);
    History late =
        lists().fastAt(0, 1, 2, 1000, append("k", 1)).unknownFast(1, 3, append("k", 2)).history();
    HistoryTransaction open = late.transactions().get(1);
    assertThat(
            SnapshotIsolationChecker.check(
                    new History(
                        late.header(),
                        List.of(late.transactions().get(0), open.resolved(true, 0, 900)),
                        0))
                .anomalies())
        .extracting(Anomaly::kind)
        .containsExactly(AnomalyKind.REAL_TIME);
  }

  @Test
  void writesOfOneKeyThatOverlapHaveNoOrderYet() {
    assertThat(
            registers()
                .fastAt(0, 1, 3, 1000, write("k", 1))
                .fastAt(1, 2, 4, 900, write("k", 2))
                // Another key.
                .fastAt(2, 5, 6, 800, write("m", 3))
                .at(3, 2000, 2001, 2000, 0, read("k", 1))
                .kinds())
        .isEmpty();
    // One whose outcome is unknown proves nothing, wherever it is placed.
    assertThat(
            lists()
                .fastAt(0, 1, 2, 1000, append("k", 1))
                .unknownFast(1, 3, append("k", 2))
                .at(3, 2000, 2001, 2000, 0, read("k", 1, 2))
                .kinds())
        .isEmpty();
  }

  @Test
  void aProcessFollowsWhatAnotherOneOfItsClientHasDone() {
    assertThat(commitAndFastRead(CLIENT, CLIENT, 9).kinds()).containsExactly(AnomalyKind.SESSION);
    assertThat(commitAndFastRead(CLIENT, CLIENT + 1, 9).kinds()).isEmpty();
    // Begun before the acknowledgement.
    assertThat(commitAndFastRead(CLIENT, CLIENT, 2).kinds()).isEmpty();
  }

  private static HandMade commitAndFastRead(int writer, int reader, long invoke) {
    return lists()
        .at(0, 1, 3, 1, 3, append("x", 1))
        .ofClient(writer)
        .fastAt(1, invoke, 10, 0, read("x"))
        .ofClient(reader);
  }

  @Test
  void aClientFollowsWhatItWasShownAlsoAfterAnUnknownOutcome() {
    assertThat(afterUnknown(CLIENT).kinds()).containsExactly(AnomalyKind.SESSION);
    assertThat(afterUnknown(HistoryTransaction.NO_SESSION).kinds()).isEmpty();
    // Shown was a version without a known timestamp.
    assertThat(
            lists()
                .unknown(0, 1, append("x", 1))
                .fast(1, 5, 0, read("x", 1))
                .ofClient(CLIENT)
                .fast(2, 6, 0, read("x"))
                .ofClient(CLIENT)
                .kinds())
        .containsExactly(AnomalyKind.SESSION);
  }

  private static HandMade afterUnknown(int client) {
    return lists()
        .at(0, 1, 20, 1, 4, append("x", 1))
        .fast(1, 5, 0, read("x", 1))
        .ofClient(client)
        .unknownFast(1, 6, append("y", 2))
        .ofClient(client)
        .fast(2, 7, 0, read("x"))
        .ofClient(client);
  }

  @Test
  void aSessionSnapshotFollowsItsClient() {
    HandMade stale =
        lists()
            .at(0, 1, 3, 1, 3, append("x", 1))
            .ofClient(CLIENT)
            .at(1, 5, 6, 2, 0, read("x"))
            .fresh(HistoryTransaction.Freshness.SESSION)
            .ofClient(CLIENT);
    assertThat(stale.kinds()).containsExactly(AnomalyKind.SESSION);
  }

  @Test
  void theClientOfAnInvocationIsKeptAndMayBeAbsent() throws IOException {
    History made = commitAndFastRead(CLIENT, CLIENT, 9).history();
    StringWriter text = new StringWriter();
    long[] now = new long[1];
    try (HistoryWriter writer =
        new HistoryWriter(text, made.header(), "test", () -> now[0]).ofClient(CLIENT)) {
      for (HistoryTransaction each : made.transactions()) {
        now[0] = each.completeNanos();
        if (each.fastPath()) {
          writer.invokeFast(each.process(), each.invokeNanos(), each.operations());
        } else {
          writer.invoke(each.process(), each.invokeNanos(), each.operations());
        }
        writer.ok(each);
      }
    }
    assertThat(HistoryReader.read(new StringReader(text.toString())).transactions())
        .isEqualTo(made.transactions());
    String old = text.toString().replace(",\"session\":" + CLIENT, "");
    assertThat(HistoryReader.read(new StringReader(old)).transactions())
        .extracting(HistoryTransaction::session)
        .containsOnly(HistoryTransaction.NO_SESSION);
  }
}
