package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.failure.TransactionTimeoutException;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OpenTransactionTest {

  private static final TransactionLimits TINY_BUFFER = new TransactionLimits(0, 100, 10);

  private final Fixture fixture = new Fixture();

  @Test
  void aTransactionWithoutWritesAsksNobodyAtCommit() {
    OpenTransaction transaction = fixture.begin();
    assertThat(fixture.join(transaction.commit())).isEqualTo(new Committed(0));
    assertThat(fixture.memory.log).isEmpty();
    assertThat(fixture.manager.requests).isEmpty();
  }

  @Test
  void intentsAreFlushedTogetherThenValidatedThenTheLeaderThenTheFollowers() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "b", "q", "1");
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.memory.log).isEmpty();
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.memory.log).containsExactly("flush", "commitLeader", "heal", "finishLeader");
    assertThat(transaction.id().orElseThrow().leader()).isEqualTo(Fixture.place("a"));
    assertThat(state("a", transaction)).isEqualTo(TransactionState.FINAL);
    assertThat(state("b", transaction)).isEqualTo(TransactionState.COMMITTED);
  }

  /** The thread that waits may send them itself, and be gone for as long as the answer takes. */
  @Test
  void whileIntentsAreSentOthersMayAskForTheTransaction() {
    OpenTransaction[] sending = new OpenTransaction[1];
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Void> flush(FlushBatch batch) {
            assertThat(CompletableFuture.supplyAsync(sending[0]::id))
                .succeedsWithin(Duration.ofSeconds(10))
                .isEqualTo(Optional.of(batch.id()));
            return super.flush(batch);
          }
        };
    sending[0] =
        fixture.begin(
            fixture.services(store, fixture.manager.port()::validate, TransactionLimits.DEFAULT));
    Fixture.put(sending[0], "a", "q", "1");
    fixture.join(sending[0].flush());
    Fixture.put(sending[0], "b", "q", "1");
    assertThat(fixture.join(sending[0].commit())).isInstanceOf(Committed.class);
  }

  @Test
  void intentsNameTheLeastThatWasKnownBeforeTheIndexesWereLookedUp() {
    List<Long> named = new ArrayList<>();
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Void> flush(FlushBatch batch) {
            batch.tables().values().forEach(intents -> named.add(intents.knownSchema()));
            return super.flush(batch);
          }
        };
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(store, fixture.manager.port()::validate, TransactionLimits.DEFAULT));
    String table = Fixture.place("a").table();
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.flush());
    transaction.checkSchema(table, 7);
    transaction.checkSchema(table, 5);
    transaction.checkSchema(table, 9);
    transaction.checkSchema(table, 0);
    transaction.checkSchema("other", 1);
    Fixture.put(transaction, "b", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(named).containsExactly(0L, 5L);
  }

  @Test
  void whoWaitsForACommitIsToldBeforeTheHousekeepingBeginsAndAfterItHasItsPlace() {
    List<String> order = new ArrayList<>();
    CompletableFuture<Void> answers = new CompletableFuture<>();
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Outcome> commitLeader(TransactionId id, long floor, long commit, Tag pass) {
            return AsyncRequest.step(() -> answers)
                .then(now -> super.commitLeader(id, floor, commit, pass));
          }

          @Override
          public Step<Void> heal(
              TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
            order.add("heal");
            return super.heal(id, floor, followers, fate);
          }
        };
    OpenTransaction.Services services =
        fixture.services(store, fixture.manager.port()::validate, TransactionLimits.DEFAULT);
    OpenTransaction transaction = fixture.begin(services);
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    CompletableFuture<Void> told =
        fixture
            .start(transaction.commit())
            .thenAccept(
                outcome -> order.add("told, under way " + services.postCommit().underWay()));
    assertThat(services.postCommit().underWay()).isZero();
    answers.complete(null);
    assertThat(told).isCompleted();
    assertThat(order).containsExactly("told, under way 1", "heal");
    assertThat(services.postCommit().underWay()).isZero();
  }

  @Test
  void aTransactionIsValidatedByWhoeverItIsToldTo() {
    AtomicInteger asked = new AtomicInteger();
    OpenTransaction transaction =
        fixture.begin(
            new OpenTransaction.Services(
                fixture.services.store(),
                fixture.services.resolver(),
                fixture
                    .services
                    .protocol()
                    .asking(
                        fixture.validating(
                            request -> {
                              asked.incrementAndGet();
                              return fixture.manager.port().validate(request);
                            })),
                fixture.services.postCommit(),
                fixture.services.clock(),
                fixture.services.limits(),
                fixture.services.session(),
                fixture.services.oneRegion(),
                fixture.services.trace(),
                Reserver.NONE));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(asked).hasValue(1);
  }

  @Test
  void theLeaderKnowsAllFollowersBeforeTheCommitRequestLeaves() {
    Fixture small = new Fixture(TINY_BUFFER);
    OpenTransaction transaction = small.begin();
    Fixture.put(transaction, "m", "q", "1"); // flushed at once: it is the leader
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "z", "q", "1");
    assertThat(small.memory.flushes).hasSize(3);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    MemoryStore.Stored leader = small.memory.at(Fixture.place("m"), transaction.startTimestamp());
    assertThat(leader.followers.orElseThrow().complete()).isTrue();
    assertThat(leader.followers.orElseThrow().places())
        .containsExactly(Fixture.place("a"), Fixture.place("z"));
    assertThat(small.memory.log.indexOf("commitLeader"))
        .isGreaterThan(small.memory.log.lastIndexOf("flush"));
  }

  @Test
  void aListOfFollowersThatWouldBeTooLongIsMarkedIncomplete() {
    Fixture small = new Fixture(new TransactionLimits(1 << 20, 100, 2));
    OpenTransaction transaction = small.begin();
    for (String row : List.of("a", "b", "c", "d")) {
      Fixture.put(transaction, row, "q", "1");
    }
    fixture.join(transaction.commit());
    var list =
        small.memory.at(Fixture.place("a"), transaction.startTimestamp()).followers.orElseThrow();
    assertThat(list.complete()).isFalse();
    assertThat(list.places()).isEmpty();
  }

  @Test
  void flushNumbersGrow() {
    Fixture small = new Fixture(TINY_BUFFER);
    OpenTransaction transaction = small.begin();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "a", "q", "2");
    fixture.join(transaction.commit());
    assertThat(small.memory.flushes.stream().map(f -> f.flushNumber()))
        .isSorted()
        .doesNotHaveDuplicates()
        .hasSize(3);
  }

  /** R2: what was streamed and rolled back is undone in every cell before commit is requested. */
  @Test
  void rolledBackSlotsReachEveryFlushedCellBeforeTheCommitRequest() {
    Fixture small = new Fixture(TINY_BUFFER);
    OpenTransaction transaction = small.begin();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    int savepoint = transaction.savepoint();
    Fixture.put(transaction, "b", "q", "2");
    transaction.rollbackTo(savepoint);
    assertThat(fixture.join(transaction.readRequest()).rolledBackSlots().contains(savepoint))
        .isTrue();
    assertThat(small.memory.at(Fixture.place("a"), transaction.startTimestamp()).rolledBack)
        .matches(slots -> slots.isEmpty());
    fixture.join(transaction.commit());
    for (String row : List.of("a", "b")) {
      assertThat(
              small
                  .memory
                  .at(Fixture.place(row), transaction.startTimestamp())
                  .rolledBack
                  .contains(savepoint))
          .as(row)
          .isTrue();
    }
  }

  @Test
  void slotsAreNeverReusedAndASavepointCanBeRolledBackToTwice() {
    OpenTransaction transaction = fixture.begin();
    int savepoint = transaction.savepoint();
    Fixture.put(transaction, "a", "q", "1");
    transaction.rollbackTo(savepoint);
    Fixture.put(transaction, "a", "q", "2");
    assertThat(transaction.overlay("t", Bytes.utf8("a")).families()).isNotEmpty();
    transaction.rollbackTo(savepoint);
    assertThat(transaction.overlay("t", Bytes.utf8("a")).families()).isEmpty();
    Fixture.put(transaction, "a", "q", "3");
    fixture.join(transaction.commit());
    FamilyIntents family =
        fixture.memory.flushes.get(0).tables().get("t").rows().get(0).families().get(0);
    assertThat(family.cells()).hasSize(1);
    assertThat(family.cells().get(0).slot()).isEqualTo(3);
  }

  @Test
  void laterSavepointsAreGoneAfterARollback() {
    OpenTransaction transaction = fixture.begin();
    int first = transaction.savepoint();
    int second = transaction.savepoint();
    transaction.rollbackTo(first);
    assertThatThrownBy(() -> transaction.rollbackTo(second))
        .isInstanceOf(IllegalUseException.class)
        .hasMessageContaining("no such savepoint");
  }

  @Test
  void the128thSavepointIsAClearError() {
    OpenTransaction transaction = fixture.begin();
    for (int i = 1; i <= 127; i++) {
      assertThat(transaction.savepoint()).isEqualTo(i);
    }
    assertThatThrownBy(transaction::savepoint)
        .isInstanceOf(IllegalUseException.class)
        .hasMessageContaining("127");
  }

  @Test
  void aRollbackThatFindsNoSlotLeftUndoesNothing() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.flush());
    for (int i = 1; i < Timestamps.MAX_SLOT; i++) {
      transaction.savepoint();
    }
    int last = transaction.savepoint();
    Fixture.put(transaction, "b", "q", "1");
    assertThatThrownBy(() -> transaction.rollbackTo(last))
        .isInstanceOf(IllegalUseException.class)
        .hasMessageContaining("limit=" + Timestamps.MAX_SLOT);
    Fixture.put(transaction, "c", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    for (String row : List.of("a", "b", "c")) {
      MemoryStore.Stored stored =
          fixture.memory.at(Fixture.place(row), transaction.startTimestamp());
      assertThat(stored.cells).as(row).isOne();
      assertThat(stored.rolledBack.isEmpty()).as(row).isTrue();
    }
  }

  @Test
  void whatIsRolledBackConflictsWithNobody() {
    OpenTransaction first = fixture.begin();
    OpenTransaction second = fixture.begin();
    int savepoint = first.savepoint();
    Fixture.put(first, "a", "q", "1");
    first.rollbackTo(savepoint);
    Fixture.put(first, "b", "q", "1");
    Fixture.put(second, "a", "q", "1");
    assertThat(fixture.join(second.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.join(first.commit())).isInstanceOf(Committed.class);
  }

  @Test
  void aConflictAtTheManagerNamesTheRowAndTheWinner() {
    OpenTransaction first = fixture.begin();
    OpenTransaction second = fixture.begin();
    Fixture.put(first, "a", "q", "1");
    Fixture.put(second, "a", "q", "2");
    Committed winner = (Committed) fixture.join(first.commit());
    assertThat(fixture.join(second.commit()))
        .isEqualTo(new Conflict(Fixture.place("a"), winner.commitTimestamp()));
    assertThat(state("a", second)).isEqualTo(TransactionState.ABORTED);
    assertThat(fixture.memory.log.lastIndexOf("abortLeader"))
        .as("M11: the leader is aborted before any follower is touched")
        .isLessThan(fixture.memory.log.lastIndexOf("heal"));
  }

  @Test
  void aRefusedFlushEndsTheTransactionAndNoCommitIsEverRequested() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.memory.refuseNextFlush =
        Optional.of(MemoryStore.conflict("t", Bytes.utf8("a"), 1L << 61));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Conflict.class);
    assertThat(fixture.manager.requests).isEmpty();
    assertThat(state("a", transaction)).isEqualTo(TransactionState.ABORTED);
    assertThatThrownBy(() -> Fixture.put(transaction, "a", "q", "2"))
        .isInstanceOf(TransactionEndedException.class);
  }

  @Test
  void aFloorThatHasRisenIsReportedAsSuch() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.memory.refuseNextFlush =
        Optional.of(
            new StoreRefusedException(
                "t", Refusal.of(Refusal.Code.BELOW_FLOOR, "a new manager"), null));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(CommitOutcome.Refused.class);
  }

  @Test
  void aRollbackBeforeAnyFlushTouchesNothing() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.rollback());
    assertThat(fixture.memory.log).isEmpty();
    assertThatThrownBy(transaction::commit).isInstanceOf(TransactionEndedException.class);
  }

  @Test
  void aRollbackAfterAFlushAbortsTheLeaderThenTheFollowers() {
    Fixture small = new Fixture(TINY_BUFFER);
    OpenTransaction transaction = small.begin();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    fixture.join(transaction.rollback());
    assertThat(small.memory.log).containsExactly("flush", "flush", "abortLeader", "heal");
  }

  /** A mutation of two families fails at the second: what the first was to send is not sent. */
  @Test
  void aFlushThatNoDriverRunsHoldsUpNothing() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.flush());
    Fixture.put(transaction, "b", "q", "1");
    assertThat(transaction.flush()).isNotInstanceOf(Step.Ended.class);
    fixture.join(transaction.rollback());
    assertThat(fixture.memory.log).containsExactly("flush", "abortLeader", "heal");
  }

  @Test
  void aReadOnlyTransactionRefusesWrites() {
    OpenTransaction transaction =
        new OpenTransaction(
            fixture.manager.begin().join(),
            new TransactionMode(true, true, true),
            fixture.services,
            Long.MAX_VALUE);
    assertThatThrownBy(() -> Fixture.put(transaction, "a", "q", "1"))
        .isInstanceOf(IllegalUseException.class)
        .hasMessageContaining("read-only");
  }

  @Test
  void tooManyCellsAreRefusedAndTheTransactionGoesOn() {
    Fixture small = new Fixture(new TransactionLimits(1 << 20, 2, 10));
    OpenTransaction transaction = small.begin();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    assertThatThrownBy(() -> Fixture.put(transaction, "c", "q", "1"))
        .isInstanceOf(IllegalUseException.class)
        .hasMessageContaining("lampone.client.transaction.cells");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
  }

  /** Its table was disabled and enabled meanwhile: what it has written would be refused. */
  @Test
  void aConflictLevelThatChangesUnderATransactionAbortsIt() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    Write write =
        new Write(IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("2"), FamilyRetention.FOREVER);
    assertThatThrownBy(
            () -> transaction.write(ConflictLevel.CELL, Fixture.place("b"), List.of(write)))
        .isInstanceOfSatisfying(
            TransactionEndedException.class,
            e -> assertThat(e.outcome()).isInstanceOf(CommitOutcome.Aborted.class));
  }

  @Test
  void aTransactionPastItsTimeoutDoesNothingMore() {
    OpenTransaction transaction = fixture.begin();
    Fixture.put(transaction, "a", "q", "1");
    fixture.clock.nanos += Fixture.TIMEOUT.toNanos() + 1;
    assertThatThrownBy(transaction::commit).isInstanceOf(TransactionTimeoutException.class);
    assertThat(fixture.memory.log).isEmpty();
  }

  @Test
  void theOverlayReplaysWritesInTheirOrder() {
    OpenTransaction transaction = fixture.begin();
    Bytes row = Bytes.utf8("a");
    Fixture.put(transaction, "a", "x", "1");
    fixture.join(
        transaction.write(
            ConflictLevel.ROW,
            Fixture.place("a"),
            List.of(
                new Write(
                    IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY, FamilyRetention.FOREVER))));
    Fixture.put(transaction, "a", "y", "2");
    Fixture.put(transaction, "a", "z", "3");
    Fixture.delete(transaction, "a", "z");
    RowOverlay.FamilyOverlay family = transaction.overlay("t", row).families().get(Fixture.FAMILY);
    assertThat(family.deleted()).isTrue();
    assertThat(family.columns())
        .containsEntry(Bytes.utf8("y"), Optional.of(Bytes.utf8("2")))
        .containsEntry(Bytes.utf8("z"), Optional.empty())
        .doesNotContainKey(Bytes.utf8("x"));
    assertThat(transaction.buffers("t", row)).isTrue();
    assertThat(transaction.buffersAny("t", Bytes.utf8("a"), false, Bytes.EMPTY, false)).isFalse();
    assertThat(transaction.buffersAny("t", Bytes.EMPTY, true, Bytes.utf8("a"), true)).isTrue();
    assertThat(transaction.buffersAny("t", Bytes.EMPTY, true, Bytes.utf8("a"), false)).isFalse();
    assertThat(transaction.buffersAny("u", Bytes.EMPTY, true, Bytes.EMPTY, false)).isFalse();
  }

  private TransactionState state(String row, OpenTransaction transaction) {
    return fixture.memory.at(Fixture.place(row), transaction.startTimestamp()).state;
  }
}
