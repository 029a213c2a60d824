package io.lampone.client.hbase.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.TransactionStore;
import io.lampone.client.core.failure.AbsentLeaderException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.Driver;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** What is undecided in a table that stops being transactional, and what happens meanwhile. */
class ResolveIntentsTest {

  private static final long START = Timestamps.tick(1L << 60);
  private static final long COMMIT = START + Timestamps.TICK;
  private static final Bytes F = Bytes.utf8("f");
  private static final RowFamily LEADER = new RowFamily("elsewhere", Bytes.utf8("leader"), F);
  private static final RowFamily HERE = new RowFamily("t", Bytes.utf8("here"), F);
  private static final RowFamily OTHER = new RowFamily("u", Bytes.utf8("other"), F);

  private static final Driver DRIVER =
      new Driver(pause -> CompletableFuture.completedFuture(null), SystemClock.INSTANCE);

  private final Store store = new Store();
  private final ResolveIntents settlement =
      new ResolveIntents(store, new StoredTables.Ended(), DRIVER, TableName.valueOf("t"), START);

  /** Cells by place; a leader that is absent is below the safe point, or has no table. */
  private static final class Store implements TransactionStore {
    private boolean dropped;
    private final Map<RowFamily, Outcome> cells = new HashMap<>();
    private final List<String> healed = new ArrayList<>();
    private final List<String> resolved = new ArrayList<>();

    @Override
    public Step<Outcome> abortLeader(TransactionId id, long floor, boolean plant, Proof proof) {
      Outcome leader = cells.get(id.leader());
      return leader == null
          ? Step.failed(
              dropped
                  ? new AbsentLeaderException(id)
                  : new StoreRefusedException(
                      "t", Refusal.of(Refusal.Code.BELOW_SAFE_POINT, "absent leader"), null))
          : Step.done(leader);
    }

    @Override
    public Step<Void> heal(
        TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
      for (RowFamily place : followers) {
        healed.add(place.row().toUtf8() + " " + fate.commitTimestamp() + " " + fate.tag().first());
      }
      return Step.done();
    }

    @Override
    public Step<Outcome> resolve(Intent intent, long floor) {
      resolved.add(intent.place().row().toUtf8());
      return Step.done(Outcome.NOTHING);
    }

    @Override
    public Step<Map<TransactionId, Outcome>> readLeaders(
        Collection<TransactionId> ids, long floor) {
      Map<TransactionId, Outcome> found = new HashMap<>();
      ids.forEach(id -> found.put(id, cells.getOrDefault(id.leader(), Outcome.NOTHING)));
      return Step.done(found);
    }

    @Override
    public Step<Void> flush(FlushBatch batch) {
      throw new AssertionError(batch);
    }

    @Override
    public Step<Outcome> commitLeader(TransactionId id, long floor, long commit, Tag pass) {
      throw new AssertionError(id);
    }

    @Override
    public Step<Optional<Changed>> certify(Certification wanted) {
      throw new AssertionError(wanted);
    }

    @Override
    public Step<RangeFindings> certify(RangeCertification wanted) {
      throw new AssertionError(wanted);
    }

    @Override
    public Step<Outcome> finishLeader(TransactionId id, long floor, long commit, Proof proof) {
      throw new AssertionError(id);
    }
  }

  private static Outcome state(TransactionState state) {
    return new Outcome(Optional.of(state), state.isCommitted() ? COMMIT : 0, false);
  }

  private static Cell stored(RowFamily place, TransactionCell cell) {
    return new KeyValue(
        place.row().toArray(),
        place.family().toArray(),
        Reserved.TRANSACTION.toArray(),
        START,
        cell.encode());
  }

  private static TransactionCell pendingFollower() {
    return new TransactionCell(
        TransactionState.PENDING,
        0,
        1,
        SlotSet.NONE,
        Optional.of(LEADER),
        List.of(),
        false,
        List.of(),
        Tag.NONE);
  }

  /**
   * A leader that is absent may have committed, and then its followers have been healed: only their
   * region servers can look at them and say so.
   */
  @Test
  void whereTheLeaderIsAbsentForGoodTheServersOfItsFollowersFindOut() {
    for (boolean dropped : List.of(false, true)) {
      store.dropped = dropped;
      store.resolved.clear();
      DRIVER.start(settlement.settle(stored(HERE, pendingFollower()))).join();
      TransactionCell leader = TransactionCell.leader(List.of(HERE, OTHER), true, 1);
      DRIVER.start(settlement.settle(stored(LEADER, leader))).join();
      assertThat(store.resolved).containsExactly("here", "here", "other");
      assertThat(store.healed).isEmpty();
    }
  }

  @Test
  void whatTheLeaderStatesIsWrittenOntoTheFollowers() {
    store.cells.put(LEADER, state(TransactionState.COMMITTED).stated(new Tag(7, 8)));
    DRIVER.start(settlement.settle(stored(HERE, pendingFollower()))).join();
    assertThat(store.healed).containsExactly("here " + COMMIT + " 7");
    TransactionCell committed =
        TransactionCell.leader(List.of(OTHER), true, 1)
            .withState(TransactionState.COMMITTED, COMMIT);
    store.cells.put(HERE, state(TransactionState.COMMITTED).stated(new Tag(7, 8)));
    DRIVER.start(settlement.settle(stored(HERE, committed))).join();
    assertThat(store.healed).endsWith("other " + COMMIT + " 7");
  }

  /** Its leader, which this table loses, is the only one that knows its fate. */
  @Test
  void aFollowerInAnotherTableThatItsLeaderDoesNotListIsHealed() throws Exception {
    StoredTables tables = new StoredTables();
    store.cells.put(HERE, state(TransactionState.COMMITTED).stated(new Tag(7, 8)));
    tables.add(
        TableName.valueOf("t"),
        stored(
            HERE,
            TransactionCell.leader(List.of(), false, 1)
                .withState(TransactionState.COMMITTED, COMMIT)));
    tables.add(TableName.valueOf("u"), stored(OTHER, TransactionCell.follower(HERE, 1)));

    settlement.settle(tables.pages(), () -> TableList.of(List.of(enabled("t"), enabled("u"))));

    assertThat(store.healed).containsExactly("other " + COMMIT + " 7");
  }

  private static TableDescriptor enabled(String table) {
    return TableSettings.ofPhoenix(START)
        .applyTo(
            TableDescriptorBuilder.newBuilder(TableName.valueOf(table))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F.toArray())))
        .build();
  }
}
