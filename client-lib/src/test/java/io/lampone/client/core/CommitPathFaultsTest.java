package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Refused;
import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Tag;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every external call of the commit path fails, is refused, or succeeds with its reply lost, once
 * or for ever. Whatever happens, what commit() reports and what the store says in the end are the
 * same; and a known outcome is reported wherever one can be had (traps A1 to A3, A6, A9). Each case
 * shows that its fault was met.
 */
class CommitPathFaultsTest {

  enum Call {
    FLUSH,
    VALIDATE,
    CERTIFY,
    CERTIFY_RANGE,
    COMMIT_LEADER,
    ABORT_LEADER,
    HEAL,
    FINISH_LEADER
  }

  enum Fault {
    /** The call never arrives. */
    LOST_REQUEST,
    /** The call is carried out; its answer never arrives. */
    LOST_REPLY,
    /** The call is carried out twice, as HBase's own client does after a timeout. */
    DOUBLED,
    /** The first answer is lost; the call is carried out after everything else. */
    LATE,
    /** The answer is a definite no, nothing was changed; the same request may be sent again. */
    NOT_READY,
    /** The answer is a definite no for good, nothing was changed. */
    REFUSED
  }

  /** What a commit calls that nothing disturbs. */
  private static final Set<Call> OF_A_COMMIT =
      EnumSet.complementOf(EnumSet.of(Call.ABORT_LEADER, Call.CERTIFY, Call.CERTIFY_RANGE));

  /** What it calls besides if it is serializable. */
  private static final Set<Call> OF_A_CERTIFICATION =
      EnumSet.of(Call.VALIDATE, Call.CERTIFY, Call.CERTIFY_RANGE);

  /** What it calls when the transaction manager says nothing. */
  private static final Set<Call> OF_AN_ABORT = EnumSet.of(Call.FLUSH, Call.ABORT_LEADER, Call.HEAL);

  record Case(Call call, Fault fault, boolean forEver) {}

  static Stream<Case> ofACommit() {
    return cases(OF_A_COMMIT);
  }

  static Stream<Case> ofACertification() {
    return cases(OF_A_CERTIFICATION);
  }

  static Stream<Case> ofAnAbort() {
    return cases(OF_AN_ABORT);
  }

  private static Stream<Case> cases(Set<Call> calls) {
    return calls.stream()
        .flatMap(
            call ->
                Arrays.stream(Fault.values())
                    .flatMap(
                        fault ->
                            Stream.of(new Case(call, fault, false), new Case(call, fault, true))));
  }

  @Test
  void noCallIsLeftOut() {
    Set<Call> met = EnumSet.copyOf(OF_A_COMMIT);
    met.addAll(OF_AN_ABORT);
    met.addAll(OF_A_CERTIFICATION);
    assertThat(met).containsExactlyInAnyOrder(Call.values());
  }

  @ParameterizedTest
  @MethodSource("ofACommit")
  void theReportedOutcomeIsTheStoredOne(Case test) {
    Fixture fixture = new Fixture();
    Faults faults = new Faults(test);
    FaultyStore store = new FaultyStore(fixture.memory, faults);
    Fixture.Validates validator =
        request ->
            faults.around(
                Call.VALIDATE,
                () -> fixture.manager.port().validate(request),
                () ->
                    new TransactionManagerException(
                        TransactionManagerException.Kind.UNAVAILABLE, "no answer"),
                CommitPathFaultsTest::refusedByTheManager);
    OpenTransaction transaction =
        fixture.begin(fixture.services(store, validator, TransactionLimits.DEFAULT));
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "2");

    CommitOutcome outcome = fixture.join(transaction.commit());
    faults.late.forEach(Runnable::run);

    assertThat(faults.met).as("the fault was met").isTrue();
    assertAtomic(fixture, transaction, outcome);
    boolean isLastWord = test.forEver || test.fault == Fault.REFUSED;
    if (test.call != Call.COMMIT_LEADER || !isLastWord) {
      assertThat(outcome).as("%s", test).isNotInstanceOf(CommitOutcome.Unknown.class);
    }
    if (test.fault == Fault.DOUBLED
        || test.call == Call.HEAL
        || test.call == Call.FINISH_LEADER
        || test.fault == Fault.NOT_READY && test.call != Call.FLUSH && !test.forEver) {
      assertThat(outcome).as("%s", test).isInstanceOf(Committed.class);
    }
    if (test.call == Call.FLUSH && test.fault != Fault.DOUBLED
        || test.call == Call.VALIDATE && test.fault == Fault.REFUSED) {
      assertThat(outcome).as("%s", test).isInstanceOf(withoutTrace(test));
    }
  }

  /**
   * A serializable transaction with a row and a range to be certified: it never commits without
   * that.
   */
  @ParameterizedTest
  @MethodSource("ofACertification")
  void theReportedOutcomeOfASerializableTransactionIsTheStoredOne(Case test) {
    Fixture fixture = new Fixture();
    Faults faults = new Faults(test);
    FaultyStore store = new FaultyStore(fixture.memory, faults);
    Fixture.Validates validator =
        request ->
            faults.around(
                Call.VALIDATE,
                () -> fixture.manager.port().validate(request),
                () ->
                    new TransactionManagerException(
                        TransactionManagerException.Kind.UNAVAILABLE, "no answer"),
                CommitPathFaultsTest::refusedByTheManager);
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(store, validator, TransactionLimits.DEFAULT),
            new TransactionMode(false, true, true, true));
    transaction.reads().add(ReadSetTest.row("x"));
    transaction.reads().scan(ReadSetTest.range("c", "d"), false, 0).completed();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "2");

    CommitOutcome outcome = fixture.join(transaction.commit());
    faults.late.forEach(Runnable::run);

    assertThat(faults.met).as("the fault was met").isTrue();
    boolean commits =
        test.fault == Fault.DOUBLED
            || test.call == Call.VALIDATE && test.fault == Fault.NOT_READY && !test.forEver;
    assertThat(outcome).as("%s", test).isInstanceOf(commits ? Committed.class : Aborted.class);
    if (commits) {
      assertThat(fixture.memory.certified).as("certified before it committed").isNotEmpty();
      assertThat(fixture.memory.certifiedRanges).as("the range, too").isNotEmpty();
    }
    assertAtomic(fixture, transaction, outcome);
  }

  /** The same with a commit that nobody answers, so that the leader has to be made to decide. */
  @ParameterizedTest
  @MethodSource("ofAnAbort")
  void theReportedOutcomeIsTheStoredOneWhenTheManagerIsSilentToo(Case test) {
    Fixture fixture = new Fixture();
    Faults faults = new Faults(test);
    FaultyStore store = new FaultyStore(fixture.memory, faults);
    Fixture.Validates silent =
        request -> {
          fixture.manager.validate(request); // decided, and never told
          return Step.failed(
              new TransactionManagerException(
                  TransactionManagerException.Kind.UNAVAILABLE, "no answer"));
        };
    OpenTransaction transaction =
        fixture.begin(fixture.services(store, silent, TransactionLimits.DEFAULT));
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "2");

    CommitOutcome outcome = fixture.join(transaction.commit());
    faults.late.forEach(Runnable::run);

    assertThat(faults.met).as("the fault was met").isTrue();
    assertThat(outcome).isNotInstanceOf(Committed.class);
    if (test.call != Call.ABORT_LEADER) {
      assertThat(outcome).as("%s", test).isInstanceOf(withoutTrace(test));
    }
    assertAtomic(fixture, transaction, outcome);
  }

  /** Whoever repeats it must hear that the next attempt would end alike. */
  @ParameterizedTest
  @EnumSource(
      value = TransactionManagerException.Kind.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = "UNAVAILABLE")
  void whatTheManagerWillNeverTakeIsNotAdvisedToBeDoneAgain(TransactionManagerException.Kind kind) {
    Fixture fixture = new Fixture();
    TransactionManagerException never = new TransactionManagerException(kind, "never");
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(
                fixture.memory, request -> Step.failed(never), TransactionLimits.DEFAULT));
    Fixture.put(transaction, "a", "q", "1");

    CommitOutcome outcome = fixture.join(transaction.commit());

    assertThat(outcome)
        .isInstanceOfSatisfying(
            Aborted.class, aborted -> assertThat(aborted.cause()).isSameAs(never));
    assertThat(FailureTranslator.ofOutcome(outcome, 7))
        .isInstanceOfSatisfying(
            LamponeException.class,
            seen -> assertThat(seen.retryAdvice()).isEqualTo(RetryAdvice.NEVER));
    assertAtomic(fixture, transaction, outcome);
  }

  /** How a transaction ends that nobody lets commit. */
  private static Class<? extends CommitOutcome> withoutTrace(Case test) {
    boolean isRefused = test.fault == Fault.NOT_READY || test.fault == Fault.REFUSED;
    return test.call == Call.FLUSH && isRefused ? Refused.class : Aborted.class;
  }

  private static void assertAtomic(
      Fixture fixture, OpenTransaction transaction, CommitOutcome outcome) {
    TransactionId id = transaction.id().orElseThrow();
    MemoryStore.Stored leader = fixture.memory.at(id.leader(), id.startTimestamp());
    if (outcome instanceof Committed committed) {
      assertThat(leader.state.isCommitted()).isTrue();
      assertThat(leader.commitTimestamp).isEqualTo(committed.commitTimestamp());
    }
    boolean leavesNothing = outcome instanceof Aborted || outcome instanceof Refused;
    if (leavesNothing) {
      assertThat(leader == null || !leader.state.isCommitted()).isTrue();
    }
    // Whoever reads both rows now judges them alike, with the help of the resolver.
    long snapshot = fixture.manager.next();
    boolean a = visible(fixture, id, Fixture.place("a"), snapshot);
    boolean b = visible(fixture, id, Fixture.place("b"), snapshot);
    assertThat(a).isEqualTo(b);
    if (outcome instanceof Committed) {
      assertThat(a).isTrue();
    }
    if (leavesNothing) {
      assertThat(a).isFalse();
    }
  }

  /**
   * What a reader sees, following the rules of the protocol page, section 5, over the plain store.
   */
  private static boolean visible(
      Fixture fixture, TransactionId id, RowFamily place, long snapshot) {
    MemoryStore.Stored stored = fixture.memory.at(place, id.startTimestamp());
    if (stored == null) {
      return false;
    }
    if (stored.state == TransactionState.PENDING) {
      long judgment =
          fixture
              .join(
                  new IntentResolver(
                          fixture.memory,
                          fixture.manager.port(),
                          new PostCommit(fixture.memory, 10))
                      .resolve(List.of(new IntentResolver.Intent(id, place)), snapshot, 0))
              .get(id)
              .commitTimestamp();
      return judgment != 0 && judgment < snapshot;
    }
    return stored.state.isCommitted() && stored.commitTimestamp < snapshot;
  }

  private static Step<Validation> refusedByTheManager(Fault fault) {
    Validator.Reason reason =
        fault == Fault.NOT_READY ? Validator.Reason.OVERLOADED : Validator.Reason.BELOW_WATERMARK;
    return Step.done(new Validation.Refused(reason, 1));
  }

  /** Lets one kind of call go wrong. */
  private static final class Faults {
    final Case test;
    final List<Runnable> late = new java.util.ArrayList<>();
    boolean met;

    Faults(Case test) {
      this.test = test;
    }

    <T> Step<T> around(
        Call call,
        Supplier<Step<T>> action,
        Supplier<RuntimeException> failure,
        Function<Fault, Step<T>> refusal) {
      if (call != test.call || met && !test.forEver) {
        return action.get();
      }
      met = true;
      switch (test.fault) {
        case LOST_REQUEST -> {
          return Step.failed(failure.get());
        }
        case LOST_REPLY -> {
          action.get();
          return Step.failed(failure.get());
        }
        case DOUBLED -> {
          action.get();
          return action.get();
        }
        case NOT_READY, REFUSED -> {
          return refusal.apply(test.fault);
        }
        default -> {
          late.add(action::get);
          return Step.failed(failure.get());
        }
      }
    }
  }

  private record FaultyStore(MemoryStore store, Faults faults) implements TransactionStore {

    private static RuntimeException timeout() {
      return new StoreUnavailableException("no answer in time", null);
    }

    private static <T> Step<T> refused(Fault fault) {
      Refusal.Code code = fault == Fault.NOT_READY ? Refusal.Code.NOT_READY : Refusal.Code.INTERNAL;
      return Step.failed(new StoreRefusedException("t", Refusal.of(code, "planted"), null));
    }

    @Override
    public Step<Void> flush(FlushBatch batch) {
      return faults.around(
          Call.FLUSH, () -> store.flush(batch), FaultyStore::timeout, FaultyStore::refused);
    }

    @Override
    public Step<Outcome> commitLeader(TransactionId id, long floor, long commit, Tag pass) {
      return faults.around(
          Call.COMMIT_LEADER,
          () -> store.commitLeader(id, floor, commit, pass),
          FaultyStore::timeout,
          FaultyStore::refused);
    }

    @Override
    public Step<Outcome> abortLeader(TransactionId id, long floor, boolean plant, Proof proof) {
      return faults.around(
          Call.ABORT_LEADER,
          () -> store.abortLeader(id, floor, plant, proof),
          FaultyStore::timeout,
          FaultyStore::refused);
    }

    @Override
    public Step<Outcome> finishLeader(TransactionId id, long floor, long commit, Proof proof) {
      return faults.around(
          Call.FINISH_LEADER,
          () -> store.finishLeader(id, floor, commit, proof),
          FaultyStore::timeout,
          FaultyStore::refused);
    }

    @Override
    public Step<Void> heal(
        TransactionId id, long floor, Collection<RowFamily> followers, Fate fate) {
      return faults.around(
          Call.HEAL,
          () -> store.heal(id, floor, followers, fate),
          FaultyStore::timeout,
          FaultyStore::refused);
    }

    @Override
    public Step<Optional<Changed>> certify(Certification wanted) {
      return faults.around(
          Call.CERTIFY, () -> store.certify(wanted), FaultyStore::timeout, FaultyStore::refused);
    }

    @Override
    public Step<RangeFindings> certify(RangeCertification wanted) {
      return faults.around(
          Call.CERTIFY_RANGE,
          () -> store.certify(wanted),
          FaultyStore::timeout,
          FaultyStore::refused);
    }

    @Override
    public Step<Outcome> resolve(Intent intent, long floor) {
      return store.resolve(intent, floor);
    }

    @Override
    public Step<Map<TransactionId, Outcome>> readLeaders(
        Collection<TransactionId> ids, long floor) {
      return store.readLeaders(ids, floor);
    }
  }
}
