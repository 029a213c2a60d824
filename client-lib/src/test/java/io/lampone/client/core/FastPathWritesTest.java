package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.FastPathFaults.Call;
import io.lampone.client.core.FastPathFaults.Fault;
import io.lampone.client.core.failure.OperationUnknownException;
import io.lampone.client.core.failure.RowBlockedException;
import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fast-path writes over a store whose calls go wrong: what the application is told is what
 * happened, and nothing happens twice (traps E4, E5; H9).
 */
class FastPathWritesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int FOR_EVER = 1_000_000;

  private final Fixture fixture = new Fixture();
  private final OperationNames names = new OperationNames(7);

  /** What is written, on which condition. */
  enum Form {
    INCREMENT,
    PUT_IF_UNCHANGED,
    CHECK_AND_PUT
  }

  record Case(Form form, Call call, List<Fault> script, boolean othersWrite) {
    @Override
    public String toString() {
      return form
          + " "
          + call
          + " "
          + script.subList(0, Math.min(3, script.size()))
          + " othersWrite="
          + othersWrite;
    }
  }

  static Stream<Case> cases() {
    Stream<Case> everyScript =
        Arrays.stream(Form.values())
            .flatMap(
                form ->
                    FastPathFaults.scripts(3).stream()
                        .flatMap(
                            script ->
                                Stream.of(true, false)
                                    .map(others -> new Case(form, Call.WRITE, script, others))));
    return Stream.concat(everyScript, monotonous());
  }

  private static Stream<Case> monotonous() {
    return Arrays.stream(Form.values())
        .flatMap(
            form ->
                Stream.of(Call.WRITE, Call.LOOKUP)
                    .flatMap(
                        call ->
                            Arrays.stream(Fault.values())
                                .flatMap(
                                    fault ->
                                        Stream.of(1, 2, 3, FOR_EVER)
                                            .flatMap(
                                                times ->
                                                    Stream.of(true, false)
                                                        .map(
                                                            others ->
                                                                new Case(
                                                                    form,
                                                                    call,
                                                                    Collections.nCopies(
                                                                        times, fault),
                                                                    others))))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whatIsReportedIsWhatHappenedAndNothingHappensTwice(Case test) {
    FastPathFaults faults = new FastPathFaults(fixture.fast, test.call(), test.script());
    // Others make the condition false and true again, so that a late attempt would find it true.
    boolean[] even = {false};
    if (test.othersWrite()) {
      faults.betweenAttempts =
          Optional.of(
              () -> {
                even[0] = !even[0];
                fixture.fast.putByAnother("r", even[0] ? 100 : 0);
              });
    }
    FastOperation operation = operation(test.form(), "r", 0);
    CompletableFuture<Outcome> end = write(faults, operation);
    faults.betweenAttempts = Optional.empty();
    if (test.othersWrite()) {
      fixture.fast.putByAnother("r", 0);
    }
    faults.deliver();

    assertThat(end).isDone();
    long applied = applied("r", operation);
    if (end.isCompletedExceptionally()) {
      assertThat(failure(end))
          .isInstanceOfAny(OperationUnknownException.class, StoreRefusedException.class);
      assertThat(applied).isLessThanOrEqualTo(1);
      if (!(failure(end) instanceof OperationUnknownException)) {
        assertThat(applied).isZero();
      }
    } else {
      assertThat(applied).isEqualTo(end.join().kind().isApplied() ? 1 : 0);
    }
    boolean endless = test.script().size() == FOR_EVER;
    if (!endless && end.isCompletedExceptionally()) {
      // Whatever was in doubt has been cleared up before it was told.
      assertThat(test.script()).contains(Fault.REFUSED);
      assertThat(failure(end)).as("%s", test).isInstanceOf(StoreRefusedException.class);
    }
  }

  @Test
  void aRepetitionIsMarkedAndKeepsItsNameAndFirstMark() {
    FastPathFaults faults = new FastPathFaults(fixture.fast, Call.WRITE, Fault.LOST_REPLY, 2);
    FastOperation operation = operation(Form.INCREMENT, "r", 0);
    assertThat(write(faults, operation).join().kind()).isEqualTo(FastReply.Kind.APPLIED_BEFORE);
    List<FastOperation> sent =
        fixture.fast.requests.stream().map(r -> ((FastWrite) r).operations().get(0)).toList();
    assertThat(sent).extracting(FastOperation::repeated).containsExactly(false, true, true);
    assertThat(sent).extracting(FastOperation::id).containsOnly(operation.id());
    assertThat(sent).extracting(FastOperation::firstMark).containsOnly(operation.firstMark());
  }

  /** Else a repetition after a move of the region would be refused until the deadline. */
  @Test
  void aRepetitionIsSentAgainWithTheMarkOfTheOpeningThatItDidNotKnowOf() {
    FastPathFaults faults = new FastPathFaults(fixture.fast, Call.WRITE, Fault.LOST_REQUEST, 1);
    fixture.fast.opening = 1_000;
    FastOperation operation = operation(Form.INCREMENT, "r", 0);
    assertThat(write(faults, operation).join().kind()).isEqualTo(FastReply.Kind.COMMITTED);
    List<FastWrite> sent = fixture.fast.requests.stream().map(r -> (FastWrite) r).toList();
    assertThat(sent).hasSize(2);
    assertThat(sent.get(0).mark()).isLessThan(1_000);
    assertThat(sent.get(1).mark()).isGreaterThanOrEqualTo(1_000);
    assertThat(sent.get(1).operations().get(0).firstMark()).isEqualTo(operation.firstMark());
  }

  /** A refusal is no doubt: the mark costs the server a search. */
  @Test
  void aRefusedAttemptIsNotMarkedAsRepeated() {
    FastPathFaults faults = new FastPathFaults(fixture.fast, Call.WRITE, Fault.NOT_READY, 2);
    write(faults, operation(Form.INCREMENT, "r", 0)).join();
    assertThat(((FastWrite) fixture.fast.requests.get(0)).operations().get(0).repeated()).isFalse();
  }

  /** Trap E5. */
  @Test
  void aDeadClientsIntentIsAbortedAfterThePatienceAndTheWriteGoesThrough() {
    OpenTransaction dead = flushed();
    Outcome outcome = write(fixture.fast, operation(Form.INCREMENT, "r", 0)).join();
    assertThat(outcome.kind()).isEqualTo(FastReply.Kind.COMMITTED);
    assertThat(fixture.clock.nanos).isGreaterThanOrEqualTo(PATIENCE.toNanos());
    assertThat(fixture.memory.at(Fixture.place("r"), dead.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void aDecidedTransactionInTheWayIsFinishedAtOnce() {
    OpenTransaction decided = flushed();
    fixture.manager.validate(
        new io.lampone.protocol.tm.Validator.Request(
            decided.startTimestamp(), decided.grant(), true, new long[] {1}, new long[] {1}));
    write(fixture.fast, operation(Form.INCREMENT, "r", 0)).join();
    assertThat(fixture.clock.nanos).isZero();
    assertThat(fixture.memory.at(Fixture.place("r"), decided.startTimestamp()).state)
        .isEqualTo(TransactionState.COMMITTED);
  }

  @Test
  void aWriteThatIsBlockedUntilItsDeadlineSaysSoAndChangesNothing() {
    flushed();
    FastPathFaults attempts = new FastPathFaults(fixture.fast, Call.WRITE, List.of());
    List<Long> times = new ArrayList<>();
    attempts.betweenAttempts = Optional.of(() -> times.add(fixture.clock.nanos));
    FastPathWrites writes =
        fixture.writes(attempts, fixture.memory, Fixture.TIMEOUT.multipliedBy(2));
    long deadline = fixture.deadline();
    CompletableFuture<Outcome> end =
        fixture.start(writes.applyOne("t", operation(Form.INCREMENT, "r", 0), deadline));
    assertThat(failure(end)).isInstanceOf(RowBlockedException.class);
    assertThat(fixture.fast.cellsOf("r")).isEmpty();
    // One that the deadline cuts off would leave it open whether it was applied.
    assertThat(times).hasSizeGreaterThan(2);
    assertThat(times.get(times.size() - 1))
        .isLessThanOrEqualTo(deadline - Duration.ofMillis(100).toNanos());
  }

  @Test
  void aBatchGoesOutAsOneRequestForEachRegionAndEachOperationHasItsOwnEnd() {
    fixture.fast.split = Optional.of(Bytes.utf8("m"));
    fixture.fast.believedSplit = fixture.fast.split;
    long seen = fixture.fast.putByAnother("b", 1);
    fixture.fast.putByAnother("b", 2);
    List<Step.Ended<Outcome>> ends =
        applied(
            List.of(
                operation(Form.INCREMENT, "z", 0),
                operation(Form.PUT_IF_UNCHANGED, "b", seen),
                operation(Form.INCREMENT, "a", 0)));
    assertThat(ends)
        .extracting(end -> end.value().kind())
        .containsExactly(
            FastReply.Kind.COMMITTED, FastReply.Kind.CONFLICT, FastReply.Kind.COMMITTED);
    assertThat(fixture.fast.requests).hasSize(2);
  }

  @Test
  void twoOperationsOfOneRowInABatchAreAppliedInTheirOrder() {
    List<Step.Ended<Outcome>> ends =
        applied(
            List.of(put("r", "5", new FastCondition.Always()), operation(Form.INCREMENT, "r", 0)));
    ends.forEach(end -> assertThat(end.failure()).isNull());
    assertThat(fixture.fast.number(Bytes.utf8("r"))).isEqualTo(6);
  }

  @Test
  void aRegionThatWasSplitMeanwhileIsLocatedAgain() {
    fixture.fast.split = Optional.of(Bytes.utf8("m"));
    List<Step.Ended<Outcome>> ends =
        applied(List.of(operation(Form.INCREMENT, "a", 0), operation(Form.INCREMENT, "z", 0)));
    ends.forEach(end -> assertThat(end.value().kind()).isEqualTo(FastReply.Kind.COMMITTED));
  }

  @Test
  void rowsTogetherAreChangedAtOneVersionOrNotAtAll() {
    FastOperation a = operation(Form.INCREMENT, "a", 0);
    List<Outcome> outcomes = together(fixture.fast, List.of(a, sameName(a, "b"))).join();
    assertThat(outcomes).extracting(Outcome::version).hasSize(2);
    assertThat(outcomes.get(0).version()).isEqualTo(outcomes.get(1).version());

    FastOperation blocked = put("a", "9", new FastCondition.Unchanged(1, List.of()));
    outcomes = together(fixture.fast, List.of(blocked, sameName(blocked, "b"))).join();
    assertThat(outcomes)
        .extracting(Outcome::kind)
        .containsExactly(FastReply.Kind.CONFLICT, FastReply.Kind.CONFLICT);
    assertThat(fixture.fast.number(Bytes.utf8("a"))).isOne();
  }

  /** A row that is only checked holds no trace of the operation. */
  @Test
  void theFateOfRowsTogetherIsLookedUpWhereSomethingWasWritten() {
    FastOperation b = operation(Form.INCREMENT, "b", 0);
    FastOperation check =
        new FastOperation(
            Bytes.utf8("a"), b.id(), false, b.firstMark(), b.condition(), false, List.of());
    FastPathFaults faults =
        new FastPathFaults(fixture.fast, Call.WRITE, List.of(Fault.LOST_REPLY, Fault.REFUSED));
    List<Outcome> outcomes = together(faults, List.of(check, b)).join();
    assertThat(outcomes).allMatch(outcome -> outcome.kind().isApplied());
    assertThat(applied("b", b)).isOne();
  }

  @Test
  void rowsOfTwoRegionsTogetherAreRefusedAfterASecondLook() {
    fixture.fast.split = Optional.of(Bytes.utf8("m"));
    FastOperation a = operation(Form.INCREMENT, "a", 0);
    CompletableFuture<List<Outcome>> end = together(fixture.fast, List.of(a, sameName(a, "z")));
    assertThat(failure(end)).isInstanceOf(IllegalArgumentException.class);
    assertThat(fixture.fast.cellsOf("a")).isEmpty();
  }

  private OpenTransaction flushed() {
    OpenTransaction other = fixture.begin();
    Fixture.put(other, "r", "q", "1");
    fixture.join(other.flush());
    return other;
  }

  /** A client that nobody has told a timestamp yet, or that has been idle for long. */
  @Test
  void aSessionThatKnowsOfNothingLearnsTheSafePointAndItsOperationCanBeFound() {
    fixture.fast.safePoint = 1_000;
    FastPathFaults faults = new FastPathFaults(fixture.fast, Call.WRITE, List.of());
    FastOperation operation = operation(Form.INCREMENT, "r", 0).withFirstMark(0);
    assertThat(write(faults, operation).join().kind()).isEqualTo(FastReply.Kind.COMMITTED);
    assertThat(fixture.session.mark()).isGreaterThanOrEqualTo(1_000);
    List<Long> marks =
        fixture.fast.requests.stream()
            .map(request -> ((FastWrite) request).operations().get(0).firstMark())
            .toList();
    assertThat(marks).containsExactly(0L, 1_000L);
    assertThat(((FastWrite) fixture.fast.requests.get(1)).mark()).isGreaterThanOrEqualTo(1_000);
    // From now on the session has a mark, and it takes one call again.
    write(fixture.fast, operation(Form.INCREMENT, "r", 0)).join();
    assertThat(fixture.fast.requests).hasSize(3);
  }

  /** A safe point that rises while the session waits would refuse it again and again. */
  @Test
  void anIdleSessionGoesOnAtOnceWithTheMarkThatItIsTold() {
    fixture.fast.safePoint = 1_000;
    fixture.fast.risen = () -> fixture.clock.nanos / 1_000_000; // ManualClock waits 1 ms at least
    FastOperation operation = operation(Form.INCREMENT, "r", 0).withFirstMark(0);
    assertThat(write(fixture.fast, operation).join().kind()).isEqualTo(FastReply.Kind.COMMITTED);
    assertThat(fixture.fast.requests).hasSize(2);
    assertThat(fixture.clock.nanos).as("waited").isZero();
  }

  /** The version would be above the mark; whatever is below the safe point may be gone. */
  @Test
  void whatIsNotFoundBelowTheSafePointMayHaveBeenAppliedAndIsNotRepeated() {
    FastPathFaults faults = new FastPathFaults(fixture.fast, Call.WRITE, List.of(Fault.LOST_REPLY));
    faults.betweenAttempts =
        Optional.of(() -> fixture.fast.collect("r", fixture.fast.putByAnother("r", 5)));
    FastOperation operation = operation(Form.INCREMENT, "r", 0);
    assertThat(failure(write(faults, operation)))
        .isInstanceOfSatisfying(
            OperationUnknownException.class,
            unknown -> assertThat(unknown.above()).isEqualTo(operation.firstMark()));
    assertThat(fixture.fast.number(Bytes.utf8("r"))).isEqualTo(5);
  }

  private CompletableFuture<Outcome> write(FastPathStore store, FastOperation operation) {
    return fixture.start(
        fixture
            .writes(store, fixture.memory, PATIENCE)
            .applyOne("t", operation, fixture.deadline()));
  }

  private List<Step.Ended<Outcome>> applied(List<FastOperation> operations) {
    return fixture.join(
        fixture
            .writes(fixture.fast, fixture.memory, PATIENCE)
            .apply("t", operations, fixture.deadline()));
  }

  private CompletableFuture<List<Outcome>> together(
      FastPathStore store, List<FastOperation> operations) {
    return fixture.start(
        fixture
            .writes(store, fixture.memory, PATIENCE)
            .applyTogether("t", operations, fixture.deadline()));
  }

  private FastOperation operation(Form form, String row, long version) {
    return switch (form) {
      case INCREMENT ->
          new FastOperation(
              Bytes.utf8(row),
              names.next(),
              false,
              fixture.session.mark(),
              new FastCondition.Always(),
              false,
              List.of(
                  new Mutation(
                      Kind.INCREMENT,
                      Fixture.FAMILY,
                      Bytes.utf8("q"),
                      Bytes.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 1}))));
      case PUT_IF_UNCHANGED -> put(row, "7", new FastCondition.Unchanged(version, List.of()));
      case CHECK_AND_PUT ->
          put(
              row,
              "7",
              new FastCondition.Compare(
                  Fixture.FAMILY, Bytes.utf8("q"), FastCondition.Operator.EQUAL, Bytes.utf8("0")));
    };
  }

  private FastOperation put(String row, String value, FastCondition condition) {
    return new FastOperation(
        Bytes.utf8(row),
        names.next(),
        false,
        fixture.session.mark(),
        condition,
        false,
        List.of(new Mutation(Kind.PUT, Fixture.FAMILY, Bytes.utf8("q"), Bytes.utf8(value))));
  }

  private static FastOperation sameName(FastOperation one, String row) {
    return new FastOperation(
        Bytes.utf8(row),
        one.id(),
        false,
        one.firstMark(),
        one.condition(),
        one.returnsCells(),
        one.mutations());
  }

  private long applied(String row, FastOperation operation) {
    return fixture.fast.cellsOf(row).stream()
        .filter(version -> version.id().equals(operation.id()))
        .count();
  }

  private static Throwable failure(CompletableFuture<?> end) {
    try {
      end.join();
      return new AssertionError("did not fail");
    } catch (java.util.concurrent.CompletionException e) {
      return e.getCause();
    }
  }
}
