package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An abort of a leader that is absent, in a row where its transaction has cells. */
class PlantedAbortTest {

  private static final long START = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final AbortLeader REQUEST = new AbortLeader(START, 0, ROW, G, true, Proof.NONE);

  private final MemoryRow row = new MemoryRow();
  private final StateRules states = new StateRules(new OpenGuards(), new LocalVersionClock(), null);

  /** Any client may say that it misses a leader in the row of another client's intent. */
  @Test
  void isRefusedWhereTheCellsNameAnotherLeader() throws Exception {
    TransactionCell follower = TransactionCell.follower(new RowFamily("elsewhere", ROW, F), 1);
    for (TransactionCell stored :
        List.of(
            follower,
            TransactionCell.leader(List.of(), true, 1),
            follower.withState(TransactionState.COMMITTED, START + Timestamps.TICK))) {
      row.put(F, START, stored);
      assertThatThrownBy(() -> states.abort(REQUEST, row, true, START))
          .isInstanceOfSatisfying(
              Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.NOT_ITS_LEADER));
      assertThat(row.transactionCell(F, START)).isEqualTo(stored);
    }
  }

  @Test
  void endsTheCellsThatNameIt() throws Exception {
    row.put(F, START, TransactionCell.follower(new RowFamily("t", ROW, G), 1));
    row.apply(states.abort(REQUEST, row, true, START));
    assertThat(row.transactionCell(F, START).state()).isEqualTo(TransactionState.ABORTED);
    assertThat(row.transactionCell(G, START).state()).isEqualTo(TransactionState.ABORTED);
  }
}
