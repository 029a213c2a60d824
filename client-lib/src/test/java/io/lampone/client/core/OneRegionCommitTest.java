package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.CommitOutcome.Unknown;
import io.lampone.client.core.FastPathFaults.Call;
import io.lampone.client.core.FastPathFaults.Fault;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.slow.TransactionTrace.Phase;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.Reserver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.Validator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Commits in one region over a store whose calls go wrong: committed once, by one way, or not at
 * all, and told so (H9).
 */
class OneRegionCommitTest {

  private static final int FOR_EVER = 1_000_000;

  private static final Fixture.Validates REFUSING =
      request -> Step.done(new Validator.Validation.Refused(Validator.Reason.BELOW_WATERMARK, 0));

  private final Fixture fixture = new Fixture();
  private final List<OpenTransaction> others = new ArrayList<>();

  /** What the transaction meets. */
  enum Meets {
    NOTHING,
    /** A later commit on one of its rows. */
    A_CONFLICT,
    /** An intent of somebody else, which is decided while the transaction looks for its own way. */
    AN_INTENT,
    /** The same, and a manager that refuses it on the ordinary way: it leaves an aborted leader. */
    AN_INTENT_AND_A_REFUSAL,
    /** Its region is split while it commits. */
    A_SPLIT
  }

  record Case(Meets meets, Call call, List<Fault> script) {
    @Override
    public String toString() {
      return meets + " " + call + " " + script.subList(0, Math.min(3, script.size()));
    }
  }

  static Stream<Case> cases() {
    Stream<Case> everyScript =
        Arrays.stream(Meets.values())
            .flatMap(
                meets ->
                    FastPathFaults.scripts(3).stream()
                        .map(script -> new Case(meets, Call.ONE_REGION, script)));
    return Stream.concat(everyScript, monotonous());
  }

  private static Stream<Case> monotonous() {
    return Arrays.stream(Meets.values())
        .flatMap(
            meets ->
                Stream.of(Call.ONE_REGION, Call.LOOKUP, Call.REGIONS)
                    .flatMap(
                        call ->
                            Arrays.stream(Fault.values())
                                .flatMap(
                                    fault ->
                                        Stream.of(1, 2, FOR_EVER)
                                            .map(
                                                times ->
                                                    new Case(
                                                        meets,
                                                        call,
                                                        Collections.nCopies(times, fault))))));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whatIsReportedIsWhatHappenedAndNothingHappensTwice(Case test) {
    FastPathFaults faults = new FastPathFaults(fixture.fast, test.call(), test.script());
    OpenTransaction.Services services =
        fixture.services(
            fixture.memory,
            test.meets() == Meets.AN_INTENT_AND_A_REFUSAL
                ? REFUSING
                : fixture.manager.port()::validate,
            TransactionLimits.DEFAULT);
    OpenTransaction transaction = fixture.begin(fixture.services(services, faults), true);
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "z", "q", "1");
    meet(test.meets(), faults);

    CommitOutcome outcome = fixture.join(transaction.commit());
    others.forEach(OpenTransaction::rollback);
    faults.deliver();

    long start = transaction.startTimestamp();
    long inOneRegion =
        fixture.fast.cellsOf("a").stream().filter(v -> v.id().counter() == start).count();
    MemoryStore.Stored leader = fixture.memory.at(Fixture.place("a"), start);
    boolean byIntents = leader != null && leader.state.isCommitted();
    long times = inOneRegion + (byIntents ? 1 : 0);
    if (outcome instanceof Unknown) {
      assertThat(times).as("%s", test).isLessThanOrEqualTo(1);
      assertThat(byIntents).as("%s", test).isFalse();
    } else {
      assertThat(times).as("%s %s", test, outcome).isEqualTo(outcome instanceof Committed ? 1 : 0);
    }
    assertThat(fixture.fast.cellsOf("z").stream().filter(v -> v.id().counter() == start).count())
        .as("all or nothing")
        .isEqualTo(inOneRegion);
    boolean endless = test.script().size() == FOR_EVER;
    if (!endless) {
      assertThat(outcome).as("%s", test).isNotInstanceOf(Unknown.class);
    }
  }

  private void meet(Meets meets, FastPathFaults faults) {
    switch (meets) {
      case A_CONFLICT -> fixture.fast.putByAnother("z", 5);
      case AN_INTENT, AN_INTENT_AND_A_REFUSAL -> {
        OpenTransaction other = fixture.begin();
        Fixture.put(other, "z", "q", "2");
        fixture.join(other.flush());
        if (meets == Meets.AN_INTENT) {
          faults.betweenAttempts = Optional.of(other::rollback);
        } else {
          others.add(other); // stays until the commit has ended
        }
      }
      case A_SPLIT ->
          faults.betweenAttempts =
              Optional.of(() -> fixture.fast.split = Optional.of(Bytes.utf8("m")));
      default -> {}
    }
  }

  @Test
  void aTransactionOfOneRegionCommitsInOneRequestWithoutTheManager() {
    OpenTransaction transaction = small();
    Committed committed = (Committed) fixture.join(transaction.commit());
    assertThat(fixture.fast.requests).hasSize(1);
    assertThat(fixture.memory.log).isEmpty();
    assertThat(fixture.manager.requests).isEmpty();
    assertThat(fixture.session.mark()).isEqualTo(committed.commitTimestamp());
    assertThat(transaction.id()).isPresent();
  }

  /** Else a repetition after a move of the region would be refused until the deadline. */
  @Test
  void aRepetitionIsSentAgainWithTheMarkOfTheOpeningThatItDidNotKnowOf() {
    FastPathFaults faults =
        new FastPathFaults(fixture.fast, Call.ONE_REGION, List.of(Fault.LOST_REQUEST));
    OpenTransaction transaction = fixture.begin(fixture.services(fixture.services, faults), true);
    Fixture.put(transaction, "a", "q", "1");
    fixture.fast.opening = transaction.startTimestamp() + 1_000_000;
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests)
        .extracting(request -> ((OneRegionCommit) request).mark() >= fixture.fast.opening)
        .containsExactly(false, true);
    assertThat(fixture.memory.log).isEmpty();
  }

  @Test
  void aConflictIsToldWithItsRowAndNobodyIsAskedAnyMore() {
    OpenTransaction transaction = small();
    long winner = fixture.fast.putByAnother("z", 1);
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(
            new Conflict(
                new io.lampone.protocol.RowFamily("t", Bytes.utf8("z"), Bytes.EMPTY), winner));
    assertThat(fixture.memory.log).isEmpty();
  }

  @Test
  void rowsOfTwoRegionsGoTheOrdinaryWayWithoutATry() {
    fixture.fast.split = Optional.of(Bytes.utf8("m"));
    fixture.fast.believedSplit = fixture.fast.split;
    assertThat(fixture.join(small().commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).isEmpty();
    assertThat(fixture.memory.log).contains("flush", "commitLeader");
  }

  @Test
  void whoHasFlushedAnIntentGoesTheOrdinaryWay() {
    OpenTransaction transaction = small();
    fixture.join(transaction.flush());
    Fixture.put(transaction, "a", "q", "2");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).isEmpty();
  }

  @Test
  void itCanBeSwitchedOff() {
    OpenTransaction transaction = fixture.begin(fixture.services, false);
    Fixture.put(transaction, "a", "q", "1");
    fixture.join(transaction.commit());
    assertThat(fixture.fast.requests).isEmpty();
  }

  /** Savepoints are gone by then: each column once, its last write, in slot 0. */
  @Test
  void theWritesOfAllSavepointsBecomeOneVersion() {
    OpenTransaction transaction = fixture.begin(fixture.services, true);
    Fixture.put(transaction, "a", "kept", "1");
    Fixture.put(transaction, "a", "twice", "1");
    int savepoint = transaction.savepoint();
    Fixture.put(transaction, "a", "undone", "1");
    transaction.rollbackTo(savepoint);
    Fixture.put(transaction, "a", "twice", "2");
    Fixture.delete(transaction, "a", "gone");
    fixture.join(transaction.commit());
    OneRegionCommit sent = (OneRegionCommit) fixture.fast.requests.get(0);
    assertThat(sent.intents().get(0).families().get(0).cells())
        .allSatisfy(cell -> assertThat(cell.slot()).isZero())
        .extracting(cell -> cell.kind() + " " + cell.qualifier().toUtf8() + cell.value().toUtf8())
        .containsExactly(
            IntentKind.DELETE_COLUMN + " gone",
            IntentKind.PUT + " kept1",
            IntentKind.PUT + " twice2");
  }

  @Test
  void onlyCommitsThatAreSentToOneRegionAreMeasured() {
    assertThat(phasesOfCommit(fixture.fast)).contains(Phase.ONE_REGION);
    FastPathFaults noRegionKnown =
        new FastPathFaults(fixture.fast, Call.REGIONS, List.of(Fault.LOST_REQUEST));
    assertThat(phasesOfCommit(noRegionKnown))
        .contains(Phase.LEADER)
        .doesNotContain(Phase.ONE_REGION);
  }

  private Set<Phase> phasesOfCommit(FastPathStore store) {
    Set<Phase> phases = EnumSet.noneOf(Phase.class);
    OpenTransaction.Services unmeasured = fixture.services;
    OpenTransaction transaction =
        fixture.begin(
            new OpenTransaction.Services(
                unmeasured.store(),
                unmeasured.resolver(),
                unmeasured.protocol(),
                unmeasured.postCommit(),
                unmeasured.clock(),
                unmeasured.limits(),
                unmeasured.session(),
                fixture.oneRegion(store),
                TransactionTrace.begin((phase, nanos) -> phases.add(phase)),
                Reserver.NONE),
            true);
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "z", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    return phases;
  }

  private OpenTransaction small() {
    OpenTransaction transaction = fixture.begin(fixture.services, true);
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "z", "q", "1");
    return transaction;
  }
}
