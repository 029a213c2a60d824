package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.step.Step;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a commit makes of what the transaction manager and the leader say. */
class CommitOutcomesTest {

  private final Fixture fixture = new Fixture();

  /** M9: committed, overwritten and collected, or never there: nobody can say. */
  @Test
  void anAbsentLeaderIsNoProofOfAnAbort() {
    OpenTransaction transaction =
        begin(
            request -> {
              fixture.memory.cells.remove(Fixture.place("a"));
              return fixture.manager.port().validate(request);
            });
    CommitOutcome outcome = fixture.join(transaction.commit());
    assertThat(outcome).isInstanceOf(CommitOutcome.Unknown.class);
    assertThat(((CommitOutcome.Unknown) outcome).id()).isEqualTo(transaction.id().orElseThrow());
  }

  @Test
  void aRefusalByTheManagerIsNoDecisionSoTheLeaderIsMadeToDecide() {
    for (Reason reason : Reason.values()) {
      if (reason.isTransient()) {
        continue;
      }
      OpenTransaction transaction = begin(request -> Step.done(new Validation.Refused(reason, 0)));
      assertThat(fixture.join(transaction.commit()))
          .as("%s", reason)
          .isInstanceOf(CommitOutcome.Aborted.class);
      assertThat(fixture.memory.at(Fixture.place("a"), transaction.startTimestamp()).state)
          .isEqualTo(TransactionState.ABORTED);
    }
  }

  /** M4: another manager had decided before this one refused, and a reader finished the commit. */
  @Test
  void aRefusalAfterAReaderHasFinishedTheCommitEndsCommitted() {
    long[] commit = new long[1];
    OpenTransaction[] self = new OpenTransaction[1];
    self[0] =
        begin(
            request -> {
              commit[0] = fixture.manager.next();
              fixture.join(
                  fixture.memory.commitLeader(self[0].id().orElseThrow(), 0, commit[0], Tag.NONE));
              return Step.done(new Validation.Refused(Reason.BELOW_FLOOR, 0));
            });
    assertThat(fixture.join(self[0].commit()))
        .isInstanceOfSatisfying(
            CommitOutcome.Committed.class,
            committed -> assertThat(committed.commitTimestamp()).isEqualTo(commit[0]));
  }

  @Test
  void anOverloadedManagerIsAskedAgainAndToldThatItIsARepetition() {
    List<Boolean> first = new ArrayList<>();
    OpenTransaction transaction =
        begin(
            request -> {
              first.add(request.firstSending());
              return first.size() < 3
                  ? Step.done(new Validation.Refused(Reason.OVERLOADED, 5))
                  : fixture.manager.port().validate(request);
            });
    assertThat(fixture.join(transaction.commit())).isInstanceOf(CommitOutcome.Committed.class);
    assertThat(first).containsExactly(true, false, false);
  }

  @Test
  void aManagerThatStaysOverloadedUntilTheDeadlineMeansAnAbortOnTheLeader() {
    OpenTransaction transaction =
        begin(request -> Step.done(new Validation.Refused(Reason.OVERLOADED, 10_000)));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(CommitOutcome.Aborted.class);
  }

  private OpenTransaction begin(Fixture.Validates validator) {
    OpenTransaction transaction =
        fixture.begin(fixture.services(fixture.memory, validator, TransactionLimits.DEFAULT));
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "b", "q", "1");
    return transaction;
  }
}
