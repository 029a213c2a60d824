package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.FastPathFaults.Call;
import io.lampone.client.core.FastPathFaults.Fault;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.BucketMap.Era;
import io.lampone.protocol.tm.BucketMap.Node;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a client reserves for its transactions, and what becomes of them by the answers. */
class EarlyConflictTest {

  private static final Node A = new Node("a", "a:1", 1);
  private static final Validation YES = new Validation.Voted();

  private final Fixture fixture = new Fixture();
  private final List<Asked> asked = new ArrayList<>();
  private Step<Validation> answer = Step.done(YES);
  private BucketMap map = BucketMap.OF_PRIMARY;
  private boolean sendsWhileValidating;
  private final Reserving manager = new Reserving();
  private final CommitProtocol protocol =
      new CommitProtocol(fixture.memory, manager, new Random(1), Fixture.noReports());
  private final Reserver reserver = new Reserver(manager, protocol::map, protocol::refreshMap);
  private final OpenTransaction transaction = begin();

  private record Asked(Optional<Node> at, Request request, boolean release) {}

  private final class Reserving implements TransactionManagerPort {

    private final TransactionManagerPort primary = fixture.manager.port();

    @Override
    public Step<Begin> begin() {
      return primary.begin();
    }

    @Override
    public Step<Validation> validate(Request request) {
      return sendsWhileValidating
          ? reserver.send().then(sent -> primary.validate(request))
          : primary.validate(request);
    }

    @Override
    public Step<BucketMap> buckets() {
      return Step.done(map);
    }

    @Override
    public Step<Validation> reserve(Optional<Node> at, Request request, boolean release) {
      asked.add(new Asked(at, request, release));
      return release ? Step.done(YES) : answer;
    }

    @Override
    public Step<Status> status(long startTimestamp, long snapshot) {
      return primary.status(startTimestamp, snapshot);
    }
  }

  @Test
  void whatIsWritten_isReservedOnce_andRenewedWhileItRuns() {
    send();
    assertThat(asked).isEmpty();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "a", "other", "1");
    Fixture.put(transaction, "b", "q", "1");
    send();
    send();
    assertThat(asked).hasSize(1);
    Asked first = asked.get(0);
    assertThat(first.at).isEmpty();
    assertThat(first.release).isFalse();
    assertThat(first.request.startTimestamp()).isEqualTo(transaction.startTimestamp());
    assertThat(first.request.grant()).isEqualTo(transaction.grant());
    assertThat(first.request.record()).hasSize(2).isEqualTo(first.request.check());
    Fixture.put(transaction, "c", "q", "1");
    send();
    assertThat(asked).hasSize(2);
    assertThat(asked.get(1).request.record()).hasSize(1);
    fixture.clock.nanos += Duration.ofMillis(400).toNanos();
    send();
    assertThat(asked).hasSize(4);
    assertThat(asked.get(2)).usingRecursiveComparison().isEqualTo(first);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    fixture.clock.nanos += Duration.ofMillis(400).toNanos();
    send();
    assertThat(asked).as("the validation ends what was reserved").hasSize(4);
    Request validated = fixture.manager.requests.get(0);
    assertThat(validated.record())
        .startsWith(first.request.record())
        .endsWith(asked.get(1).request.record());
  }

  @Test
  void whatIsHeldByAnother_endsTheTransactionBeforeItHasWrittenAnything() {
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    answer = Step.done(new Validation.Held(1, 77));
    send();
    Conflict lost = new Conflict(Fixture.place("b"), 0, Kind.HELD);
    assertThat(transaction.outcome()).contains(lost);
    assertThatThrownBy(() -> Fixture.put(transaction, "c", "q", "1"))
        .isInstanceOf(TransactionEndedException.class);
    assertThatThrownBy(transaction::commit)
        .isInstanceOfSatisfying(
            TransactionEndedException.class, ended -> assertThat(ended.outcome()).isEqualTo(lost));
    assertThat(fixture.memory.flushes).isEmpty();
    assertThat(fixture.manager.requests).isEmpty();
    requireReleased(asked.get(0));
  }

  /** Else a client that holds a row for good keeps all others from it. */
  @Test
  void aRepetition_isDecidedByItsValidation_whateverAnotherHolds() {
    OpenTransaction repeated = begin(new TransactionMode(false, true, false, false, true));
    Fixture.put(repeated, "a", "q", "1");
    answer = Step.done(new Validation.Held(0, 77));
    send();
    assertThat(asked).hasSize(1);
    assertThat(repeated.outcome()).isEmpty();
    assertThat(fixture.join(repeated.commit())).isInstanceOf(Committed.class);
    OpenTransaction lost = begin(new TransactionMode(false, true, false, false, true));
    Fixture.put(lost, "b", "q", "1");
    answer = Step.done(new Validation.Conflict(0, 99));
    send();
    assertThat(lost.outcome()).contains(new Conflict(Fixture.place("b"), 99, Kind.WRITE_WRITE));
  }

  @Test
  void aWriteThatWasCommittedMeanwhile_isAConflictOfWrites() {
    Fixture.put(transaction, "a", "q", "1");
    answer = Step.done(new Validation.Conflict(0, 99));
    send();
    assertThat(transaction.outcome())
        .contains(new Conflict(Fixture.place("a"), 99, Kind.WRITE_WRITE));
  }

  /** Its intents are in the way of others: they are aborted at once. */
  @Test
  void aTransactionThatHasFlushedEarly_isAbortedOnItsLeader() {
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.flush());
    answer = Step.done(new Validation.Held(0, 77));
    send();
    assertThat(transaction.outcome()).isPresent();
    assertThat(fixture.memory.at(Fixture.place("a"), transaction.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void aCommitUnderWay_isDecidedByTheValidationAlone() {
    Fixture.put(transaction, "a", "q", "1");
    answer = Step.done(new Validation.Held(0, 77));
    sendsWhileValidating = true;
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(asked).hasSize(1);
    assertThat(transaction.outcome().orElseThrow()).isInstanceOf(Committed.class);
  }

  @Test
  void aRollback_releasesWhatWasReserved_andNothingElse() {
    Fixture.put(transaction, "a", "q", "1");
    send();
    Fixture.put(transaction, "b", "q", "1");
    fixture.join(transaction.rollback());
    assertThat(transaction.outcome().orElseThrow()).isInstanceOf(Aborted.class);
    requireReleased(asked.get(0));
    send();
    assertThat(asked).hasSize(2);
  }

  @Test
  void aTransactionThatEndsWithinThePeriod_sendsNothing() {
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    OpenTransaction other = begin();
    Fixture.put(other, "a", "q", "1");
    fixture.join(other.rollback());
    send();
    assertThat(asked).isEmpty();
  }

  @Test
  void manyWrites_areSentAtOnce_inRequestsWithinTheLimit_upToALimit() {
    for (int i = 0; i < 64; i++) {
      assertThat(asked).isEmpty();
      Fixture.put(transaction, "row-" + i, "q", "1");
    }
    assertThat(asked).hasSize(1);
    assertThat(asked.get(0).request.record()).hasSize(64);
    for (int i = 64; i < 2000; i++) {
      Fixture.put(transaction, "row-" + i, "q", "1");
    }
    send();
    assertThat(asked).hasSize(16);
  }

  @Test
  void anOlderTransactionManager_isNotAskedAgainForAWhile() {
    answer =
        Step.failed(
            new TransactionManagerException(
                TransactionManagerException.Kind.INCOMPATIBLE, "older"));
    Fixture.put(transaction, "a", "q", "1");
    send();
    Fixture.put(transaction, "b", "q", "1");
    send();
    assertThat(asked).hasSize(1);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    answer = Step.done(YES);
    fixture.clock.nanos += Duration.ofSeconds(31).toNanos();
    Fixture.put(begin(), "c", "q", "1");
    send();
    assertThat(asked).hasSize(2);
  }

  @Test
  void noAnswer_changesNothing() {
    answer =
        Step.failed(
            new TransactionManagerException(
                TransactionManagerException.Kind.UNAVAILABLE, "silent"));
    Fixture.put(transaction, "a", "q", "1");
    send();
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
  }

  @Test
  void hashesOfAnotherValidator_areReservedThere() {
    Fixture.put(transaction, "a", "q", "1");
    answer = Step.done(new Validation.Refused(Reason.MOVED, 0));
    map =
        new BucketMap(
            1, List.of(A), List.of(new BucketMap.Run(BucketMap.BUCKETS, List.of(new Era(1, 1)))));
    send();
    assertThat(asked.get(0).at).isEmpty();
    answer = Step.done(new Validation.Held(0, 77));
    send();
    assertThat(asked).hasSize(2);
    assertThat(asked.get(1).at).contains(A);
    assertThat(asked.get(1).request.record()).isEqualTo(asked.get(0).request.record());
    assertThat(transaction.outcome()).contains(new Conflict(Fixture.place("a"), 0, Kind.HELD));
    requireReleased(asked.get(1));
  }

  @Test
  void afterAValidatorThatIsGone_theOwnerOfNowIsAsked() {
    hashesOfAnotherValidator_areReservedThere();
    asked.clear();
    OpenTransaction next = begin();
    Fixture.put(next, "b", "q", "1");
    map = BucketMap.OF_PRIMARY;
    answer =
        Step.failed(
            new TransactionManagerException(TransactionManagerException.Kind.UNAVAILABLE, "gone"));
    send();
    assertThat(asked.get(0).at).contains(A);
    answer = Step.done(YES);
    send();
    assertThat(asked).hasSize(2);
    assertThat(asked.get(1).at).isEmpty();
    assertThat(asked.get(1).request.record()).isEqualTo(asked.get(0).request.record());
  }

  /**
   * The region, not the decider, has answered: what is reserved would be renewed to the deadline.
   */
  @Test
  void aCommitOfUnknownOutcomeInOneRegion_isReleased() {
    FastPathFaults faults =
        new FastPathFaults(fixture.fast, Call.ONE_REGION, Fault.LOST_REPLY, 1_000_000);
    OpenTransaction small = begin(fixture.oneRegion(faults), true);
    Fixture.put(small, "a", "q", "1");
    send();
    assertThat(fixture.join(small.commit())).isInstanceOf(CommitOutcome.Unknown.class);
    requireReleased(asked.get(0));
    requireSilence();
  }

  @Test
  void aConflictInOneRegion_isReleased() {
    OpenTransaction small = begin(fixture.oneRegion(fixture.fast), true);
    OpenTransaction winner = fixture.begin(fixture.services(fixture.fast), true);
    Fixture.put(winner, "a", "q", "0");
    assertThat(fixture.join(winner.commit())).isInstanceOf(Committed.class);
    Fixture.put(small, "a", "q", "1");
    send();
    assertThat(fixture.join(small.commit())).isInstanceOf(Conflict.class);
    requireReleased(asked.get(0));
    requireSilence();
  }

  @Test
  void aTransactionWhoseWritesWereAllRolledBack_isReleased() {
    int savepoint = transaction.savepoint();
    Fixture.put(transaction, "a", "q", "1");
    send();
    transaction.rollbackTo(savepoint);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    requireReleased(asked.get(0));
    requireSilence();
  }

  private void requireSilence() {
    int before = asked.size();
    fixture.clock.nanos += Duration.ofSeconds(1).toNanos();
    send();
    assertThat(asked).hasSize(before);
  }

  private void requireReleased(Asked reserved) {
    int before = asked.size();
    send();
    assertThat(asked).hasSize(before + 1);
    Asked last = asked.get(before);
    assertThat(last.release).isTrue();
    assertThat(last.at).isEqualTo(reserved.at);
    assertThat(last.request.record()).isEqualTo(reserved.request.record());
  }

  private void send() {
    fixture.join(reserver.send());
  }

  private OpenTransaction begin() {
    return begin(fixture.services.oneRegion(), false);
  }

  private OpenTransaction begin(OneRegionCommitter oneRegion, boolean oneRegionCommit) {
    return fixture.begin(services(oneRegion), oneRegionCommit);
  }

  private OpenTransaction begin(TransactionMode mode) {
    return fixture.begin(services(fixture.services.oneRegion()), mode);
  }

  private OpenTransaction.Services services(OneRegionCommitter oneRegion) {
    OpenTransaction.Services other = fixture.services;
    return new OpenTransaction.Services(
        other.store(),
        other.resolver(),
        protocol,
        other.postCommit(),
        other.clock(),
        other.limits(),
        other.session(),
        oneRegion,
        TransactionTrace.NONE,
        reserver);
  }
}
