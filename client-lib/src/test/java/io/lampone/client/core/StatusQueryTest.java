package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.TransactionOutcome;
import io.lampone.client.core.FastPathFaults.Call;
import io.lampone.client.core.FastPathFaults.Fault;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.status.StatusQuery;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@code status(id)} answers, case by case. */
class StatusQueryTest {

  private Fixture fixture = new Fixture(new TransactionLimits(0, 100, 10));

  @Test
  void theLeaderIsBelievedWhereItKnows() {
    OpenTransaction committed = writer();
    long commit = fixture.manager.next();
    fixture.join(fixture.memory.commitLeader(id(committed), 0, commit, Tag.NONE));
    assertThat(ask(committed)).isEqualTo(new TransactionOutcome.Committed(commit));
    OpenTransaction aborted = writer();
    fixture.join(fixture.memory.abortLeader(id(aborted), 0, false, Proof.NONE));
    assertThat(ask(aborted)).isEqualTo(new TransactionOutcome.Aborted());
  }

  @Test
  void aTransactionThatHasNotAskedToCommitIsRunning() {
    assertThat(ask(writer())).isEqualTo(new TransactionOutcome.Running());
  }

  /** Nobody is at work on it any more: what has not happened never will. */
  @Test
  void aOneRegionCommitThatItsOwnerHasGivenUpIsAbortedUnlessItWasApplied() {
    for (Fault fault : List.of(Fault.LATE, Fault.LOST_REPLY)) {
      fixture = new Fixture();
      FastPathFaults faults = new FastPathFaults(fixture.fast, Call.ONE_REGION, fault, 1_000_000);
      OpenTransaction small = fixture.begin(fixture.services(faults), true);
      Fixture.put(small, "a", "q", "1");
      assertThat(fixture.join(small.commit())).isInstanceOf(CommitOutcome.Unknown.class);
      Class<?> expected =
          fault == Fault.LATE
              ? TransactionOutcome.Aborted.class
              : TransactionOutcome.Committed.class;

      assertThat(ask(small, true)).isInstanceOf(expected);
      faults.late.forEach(Runnable::run);

      assertThat(fixture.fast.cellsOf("a").isEmpty()).isEqualTo(fault == Fault.LATE);
      assertThat(ask(small, false)).as("for everybody").isInstanceOf(expected);
    }
  }

  @Test
  void aOneRegionCommitThatSomebodyMayBeAtWorkOnIsRunning() {
    fixture = new Fixture();
    FastPathFaults faults =
        new FastPathFaults(fixture.fast, Call.ONE_REGION, Fault.LATE, 1_000_000);
    OpenTransaction small = fixture.begin(fixture.services(faults), true);
    Fixture.put(small, "a", "q", "1");
    fixture.join(small.commit());
    assertThat(ask(small, false)).isEqualTo(new TransactionOutcome.Running());
    assertThat(fixture.memory.cells).isEmpty();
  }

  /** Neither the request to commit nor what came after it has arrived anywhere. */
  @Test
  void whatHasBeenWrittenByAnOwnerWhoHasGivenUpIsAborted() {
    OpenTransaction writer = writer();
    assertThat(ask(writer, true)).isEqualTo(new TransactionOutcome.Aborted());
    assertThat(fixture.memory.at(Fixture.place("a"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
    assertThat(ask(writer, false)).isEqualTo(new TransactionOutcome.Aborted());
  }

  @Test
  void aDecidedCommitIsFinished() {
    OpenTransaction writer = writer();
    long commit = fixture.manager.next();
    fixture.manager.decisions.put(writer.startTimestamp(), new Validation.Passed(commit, Tag.NONE));
    assertThat(ask(writer)).isEqualTo(new TransactionOutcome.Committed(commit));
    assertThat(fixture.memory.at(Fixture.place("a"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.COMMITTED);
  }

  /** Only its own client commits it; one that has given it up aborts it. */
  @Test
  void anAssignedTransactionIsRunningUntilItsOwnerHasGivenItUp() {
    OpenTransaction writer = writer();
    fixture.manager.decisions.put(
        writer.startTimestamp(), new Validation.Assigned(fixture.manager.next(), Tag.NONE));
    assertThat(ask(writer)).isEqualTo(new TransactionOutcome.Running());
    assertThat(fixture.memory.at(Fixture.place("a"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.PENDING);
    assertThat(ask(writer, true)).isEqualTo(new TransactionOutcome.Aborted());
  }

  @Test
  void aForgottenTransactionIsAborted() {
    OpenTransaction writer = writer();
    fixture.manager.forgetful = true;
    assertThat(ask(writer)).isEqualTo(new TransactionOutcome.Aborted());
  }

  @Test
  void anAbsentLeaderOfAForgottenTransactionIsMarkedSoThatItCannotComeLate() {
    OpenTransaction writer = writer();
    fixture.memory.cells.clear();
    fixture.manager.forgetful = true;
    assertThat(ask(writer)).isEqualTo(new TransactionOutcome.Aborted());
    assertThat(fixture.memory.at(Fixture.place("a"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  /** M10: below the safe point the leader may have been committed and collected. */
  @Test
  void anAbsentLeaderBelowTheSafePointIsTooOldToSay() {
    OpenTransaction writer = writer();
    fixture.memory.cells.clear();
    fixture.manager.forgetful = true;
    StatusQuery query =
        new StatusQuery(
            new BelowSafePoint(fixture.memory),
            fixture.manager.port(),
            fixture.fates(fixture.fast));
    assertThat(fixture.join(query.ask(id(writer), 0, Proof.NONE, fixture.deadline())))
        .isEqualTo(new TransactionOutcome.TooOld());
  }

  @Test
  void aTransactionThatCommittedInOneRegionIsFoundByItsIdAtTheRowThatWouldHaveBeenItsLeaders() {
    fixture = new Fixture();
    OpenTransaction small = fixture.begin(fixture.services, true);
    Fixture.put(small, "a", "q", "1");
    CommitOutcome.Committed committed = (CommitOutcome.Committed) fixture.join(small.commit());
    assertThat(fixture.memory.log).doesNotContain("flush");
    assertThat(ask(small)).isEqualTo(new TransactionOutcome.Committed(committed.commitTimestamp()));
  }

  /** Else "aborted" would be said of a transaction that commits a moment later. */
  @Test
  void whoeverWasToldAbortedMayRelyOnItThoughAOneRegionCommitIsStillOnItsWay() {
    fixture = new Fixture();
    FastPathFaults faults =
        new FastPathFaults(fixture.fast, Call.ONE_REGION, Fault.LATE, 1_000_000);
    OpenTransaction small = fixture.begin(fixture.services(faults), true);
    Fixture.put(small, "a", "q", "1");
    assertThat(fixture.join(small.commit())).isInstanceOf(CommitOutcome.Unknown.class);
    fixture.manager.forgetful = true;

    assertThat(ask(small)).isEqualTo(new TransactionOutcome.Aborted());
    faults.late.forEach(Runnable::run);

    assertThat(fixture.fast.cellsOf("a")).isEmpty();
    assertThat(ask(small)).isEqualTo(new TransactionOutcome.Aborted());
  }

  /** The server lets no other client end a one-region commit that may be on its way. */
  @Test
  void aTransactionOfAnotherClient_thatMayYetCommitInOneRegion_isRunning() {
    OpenTransaction writer = writer();
    assertThat(refusedLookUp(writer)).isEqualTo(new TransactionOutcome.Running());
    fixture.join(fixture.memory.abortLeader(id(writer), 0, true, Proof.NONE));
    assertThat(refusedLookUp(writer)).isEqualTo(new TransactionOutcome.Aborted());
  }

  private TransactionOutcome refusedLookUp(OpenTransaction transaction) {
    FastPathStore refusing =
        new FastPathStore() {
          @Override
          public Step<List<List<Bytes>>> regionsOf(String table, List<Bytes> rows, boolean again) {
            return Step.done(List.of(rows));
          }

          @Override
          public Step<Boolean> mayCommitInOneRegion(String table, List<Bytes> rows) {
            return Step.done(true);
          }

          @Override
          public Step<List<End>> send(
              String table, List<? extends RegionRequest> requests, long deadlineNanos) {
            return Step.done(
                List.of(
                    new End.NotExecuted(
                        new StoreRefusedException(
                            table, Refusal.of(Refusal.Code.UNPROVED, "test"), null))));
          }
        };
    return fixture.join(
        new StatusQuery(fixture.memory, fixture.manager.port(), fixture.fates(refusing))
            .ask(id(transaction), 0, Proof.NONE, fixture.deadline()));
  }

  private OpenTransaction writer() {
    OpenTransaction writer = fixture.begin();
    Fixture.put(writer, "a", "q", "1");
    return writer;
  }

  private static TransactionId id(OpenTransaction transaction) {
    return transaction.id().orElseThrow();
  }

  private TransactionOutcome ask(OpenTransaction transaction) {
    return ask(transaction, false);
  }

  private TransactionOutcome ask(OpenTransaction transaction, boolean givenUp) {
    return fixture.join(
        new StatusQuery(fixture.memory, fixture.manager.port(), fixture.fates(fixture.fast))
            .ask(
                id(transaction),
                0,
                givenUp ? Proofs.OPEN.grant(id(transaction).startTimestamp(), 0) : Proof.NONE,
                fixture.deadline()));
  }

  /** Refuses to plant ABORTED, as a server does below its safe point. */
  private static final class BelowSafePoint extends ForwardingStore {

    BelowSafePoint(MemoryStore store) {
      super(store);
    }

    @Override
    public Step<Outcome> abortLeader(TransactionId id, long floor, boolean plant, Proof proof) {
      return Step.failed(
          new StoreRefusedException(
              id.leader().table(),
              Refusal.of(Refusal.Code.BELOW_SAFE_POINT, "collected, maybe"),
              null));
    }
  }
}
