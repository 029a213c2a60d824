package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.FastPathStore.End;
import io.lampone.client.hbase.transport.StoreSettings;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proof;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HBaseFastPathStoreTest {

  private final RecordingTable table = new RecordingTable();

  /**
   * Else a server that stands still would hold the thread for a third of the transaction's time.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void oneAttemptLastsNoLongerThanAnOperationMayHoweverFarTheDeadlineIs(int requests) {
    List<End> ends = send(requests);

    assertThat(ends).hasSize(requests);
    long operation = StoreSettings.DEFAULT.operationTimeout().toNanos();
    assertThat(table.timeouts.get("setOperationTimeout")).isLessThanOrEqualTo(operation);
    assertThat(table.timeouts.get("setRpcTimeout")).isLessThanOrEqualTo(operation / 3);
    assertThat(table.timeouts.get("setWriteRpcTimeout")).isLessThanOrEqualTo(operation / 3);
  }

  /** A hook that fails after the write, or a server that lost its session meanwhile. */
  @ParameterizedTest
  @EnumSource(Refusal.Code.class)
  void aRefusalThatMayComeAfterTheWriteIsNotTakenForNotExecuted(Refusal.Code code) {
    table.failure = new RefusalException(Refusal.of(code, "a test"));
    boolean mayBeApplied = code == Refusal.Code.INTERNAL || code == Refusal.Code.SESSION_UNPROVEN;
    assertThat(send(1).get(0)).isInstanceOf(mayBeApplied ? End.Lost.class : End.NotExecuted.class);
  }

  private List<End> send(int requests) {
    HBaseFastPathStore store = new HBaseFastPathStore(table.access(), null);
    OperationLookup lookup =
        new OperationLookup(
            Timestamps.PLAIN_LIMIT,
            Bytes.utf8("r"),
            new OperationId(1, 1),
            Timestamps.PLAIN_LIMIT,
            Proof.NONE);
    long deadlineNanos = SystemClock.INSTANCE.monotonicNanos() + TimeUnit.HOURS.toNanos(24);
    return table
        .access()
        .driver()
        .start(store.send("t", List.of(lookup, lookup).subList(0, requests), deadlineNanos))
        .join();
  }
}
