package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class BlockerResolverTest {

  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final TransactionId ID =
      new TransactionId(1L << 60, new RowFamily("table", Bytes.utf8("leader"), FAMILY));
  private static final Intent MET = new Intent(ID, new RowFamily("table", ROW, FAMILY));

  private final MemoryStore memory = new MemoryStore();
  private final List<Long> healedTo = new ArrayList<>();

  /** Found by the simulator: only the healers' next pass would have freed the row. */
  @Test
  void anIntentWhoseLeaderIsAbsentBelowTheSafePointIsResolvedByItsServer() {
    assertThat(clear(Refusal.Code.BELOW_SAFE_POINT)).isCompletedWithValue(true);
    assertThat(healedTo).isEmpty();
    assertThat(memory.log).containsExactly("resolve");
  }

  @Test
  void anIntentWhoseLeaderHasNoTableIsResolvedByItsServer() {
    assertThat(clear(new AbsentLeaderException(ID))).isCompletedWithValue(true);
    assertThat(healedTo).isEmpty();
    assertThat(memory.log).containsExactly("resolve");
  }

  @Test
  void anyOtherRefusalToPlantProvesNothing() {
    assertThat(clear(Refusal.Code.NOT_READY)).isCompletedExceptionally();
    assertThat(healedTo).isEmpty();
  }

  /** Z1: only its own client commits it. */
  @Test
  void anAssignedTransactionIsGivenTimeAndThenAborted() {
    Fixture fixture = new Fixture(new TransactionLimits(0, 100, 10));
    OpenTransaction writer = fixture.begin();
    Fixture.put(writer, "a", "q", "1");
    fixture.manager.decisions.put(
        writer.startTimestamp(), new Validation.Assigned(fixture.manager.next(), Tag.NONE));
    BlockerResolver resolver = new BlockerResolver(fixture.memory, fixture.manager.port());
    TransactionId id = writer.id().orElseThrow();
    RowFamily place = Fixture.place("a");
    assertThat(fixture.join(resolver.clear(new Intent(id, place), 0, true))).isFalse();
    fixture.manager.certifying = true;
    assertThat(fixture.join(resolver.clear(new Intent(id, place), 0, false))).isFalse();
    assertThat(fixture.memory.at(place, writer.startTimestamp()).state)
        .isEqualTo(TransactionState.PENDING);
    fixture.manager.certifying = false;
    assertThat(fixture.join(resolver.clear(new Intent(id, place), 0, false))).isTrue();
    assertThat(fixture.memory.at(place, writer.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
    assertThat(fixture.memory.log).doesNotContain("commitLeader");
  }

  /** The leader is absent, and to plant one there is refused. */
  private CompletableFuture<Boolean> clear(Refusal.Code code) {
    return clear(new StoreRefusedException("table", Refusal.of(code, "no"), null));
  }

  private CompletableFuture<Boolean> clear(RuntimeException failure) {
    ForwardingStore store =
        new ForwardingStore(memory) {
          @Override
          public Step<Map<TransactionId, Outcome>> readLeaders(
              Collection<TransactionId> ids, long floor) {
            return Step.done(Map.of(ID, Outcome.NOTHING));
          }

          @Override
          public Step<Outcome> abortLeader(
              TransactionId id, long floor, boolean plant, Proof proof) {
            return Step.failed(failure);
          }

          @Override
          public Step<Void> heal(
              TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
            healedTo.add(fate.commitTimestamp());
            return Step.done();
          }
        };
    return new Fixture()
        .start(new BlockerResolver(store, new MemoryManager().port()).clear(MET, 0, false));
  }
}
