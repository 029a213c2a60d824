package io.lampone.client.hbase.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.hbase.transport.ReplyMetrics.Kind;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReplyMetricsTest {

  private final ReplyMetrics metrics = new ReplyMetrics();

  @Test
  void aReplyCountsByItsRequestTheStateAndWhetherTheRowHasChanged() {
    Outcome committed = new Outcome(Optional.of(TransactionState.COMMITTED), 512, true);
    Outcome before = new Outcome(Optional.of(TransactionState.ABORTED), 0, false);
    metrics.count(Kind.HEAL, List.of(committed, committed, before));
    assertThat(metrics.count(Kind.COMMIT_LEADER, before)).isSameAs(before);
    metrics.count(Kind.READ_LEADER, Outcome.NOTHING);
    assertThat(metrics.snapshot())
        .containsExactlyEntriesOf(
            new TreeMap<>(
                Map.of(
                    "commit-leader.aborted.unchanged", 1L,
                    "heal.aborted.unchanged", 1L,
                    "heal.committed", 2L,
                    "read-leader.absent.unchanged", 1L)));
  }

  @Test
  void anOperationCountsByItsOutcome() {
    OperationLookup lookUp =
        new OperationLookup(0, Bytes.utf8("row"), OperationId.ofTransaction(256), 0, Proof.NONE);
    metrics.count(
        lookUp,
        new FastReply(
            List.of(
                FastReply.Outcome.of(FastReply.Kind.APPLIED_BEFORE, 512),
                FastReply.Outcome.of(FastReply.Kind.NOT_APPLIED, 0)),
            0));
    assertThat(metrics.snapshot())
        .isEqualTo(
            Map.of("look-up-operation.applied-before", 1L, "look-up-operation.not-applied", 1L));
  }

  @Test
  void refusalsCountByCodeAndOtherFailuresDoNot() {
    Refusal busy = Refusal.of(Refusal.Code.BUSY, "later");
    RuntimeException refused = new StoreRefusedException("t", busy, new Exception());
    assertThat(metrics.count(refused)).isSameAs(refused);
    metrics.count(new StoreUnavailableException("down", new Exception()));
    assertThat(metrics.snapshot()).isEqualTo(Map.of("refused.busy", 1L));
  }
}
