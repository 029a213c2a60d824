package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.TransactionOutcome.Aborted;
import io.lampone.client.TransactionOutcome.Committed;
import io.lampone.client.TransactionOutcome.Running;
import io.lampone.client.TransactionOutcome.TooOld;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that an acknowledged commit which the product denies later is found. */
class AcknowledgedOutcomesTest {

  private static final long COMMIT = 512;

  @Test
  void whatTheProductDeniesIsFound() throws IOException {
    for (TransactionOutcome denial :
        List.of(new Aborted(), new Running(), new TooOld(), new Committed(COMMIT + 1))) {
      assertThat(contradictions(false, denial)).as("%s", denial).hasSize(1);
    }
    assertThat(contradictions(true, new Aborted())).hasSize(1);
  }

  @Test
  void whatItConfirmsOrMayHaveForgottenIsNot() throws IOException {
    assertThat(contradictions(false, new Committed(COMMIT))).isEmpty();
    assertThat(contradictions(true, new TooOld())).isEmpty();
    assertThat(contradictions(true, new Running())).isEmpty();
    assertThat(contradictions(true, new Committed(COMMIT - 3))).isEmpty();
  }

  @Test
  void onlyAcknowledgedCommitsWithAnIdAreAskedFor() {
    List<HistoryTransaction> all = new ArrayList<>();
    for (int i = 0; i < 2 * AcknowledgedOutcomes.MOST; i++) {
      all.add(transaction(i, Outcome.OK, "t" + i, COMMIT));
    }
    assertThat(sample(all)).hasSize(AcknowledgedOutcomes.MOST).doesNotHaveDuplicates();
    assertThat(
            sample(
                List.of(
                    transaction(0, Outcome.OK, "", COMMIT),
                    transaction(1, Outcome.OK, "t1", 0),
                    transaction(2, Outcome.UNKNOWN, "t2", 0),
                    transaction(3, Outcome.FAILED, "t3", 0))))
        .isEmpty();
  }

  private static List<String> contradictions(boolean mayForget, TransactionOutcome now)
      throws IOException {
    return new AcknowledgedOutcomes(mayForget)
        .contradictions(List.of(transaction(0, Outcome.OK, "t", COMMIT)), id -> now);
  }

  private static List<HistoryTransaction> sample(List<HistoryTransaction> all) {
    History.Header header = new History.Header(History.Header.REGISTER, "strong-si", 1, 0);
    return AcknowledgedOutcomes.sample(new History(header, all, 0), new Random(1));
  }

  private static HistoryTransaction transaction(
      int number, Outcome outcome, String id, long commit) {
    return new HistoryTransaction(
        number,
        number,
        number,
        number + 1,
        outcome,
        List.of(new Operation.Write("1", number)),
        id,
        256,
        commit,
        false,
        false,
        List.of(),
        HistoryTransaction.Freshness.STRICT,
        HistoryTransaction.NO_SESSION);
  }
}
