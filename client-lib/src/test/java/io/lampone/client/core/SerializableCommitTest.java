package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The commit of serializable transactions, over a store and a transaction manager in memory. */
class SerializableCommitTest {

  private final Fixture fixture = new Fixture();

  @Test
  void theReadsAreCertifiedAtTheAssignedTimestampBeforeTheLeaderCommits() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("x"));
    transaction.reads().add(ReadSetTest.row("a"));
    Fixture.put(transaction, "a", "q", "1");
    Committed committed = (Committed) fixture.join(transaction.commit());

    assertThat(last().conditional()).isTrue();
    assertThat(last().check()).as("the row that is written, and the other one").hasSize(2);
    Certification certified = fixture.memory.certified.get(0);
    assertThat(certified.commitTimestamp()).isEqualTo(committed.commitTimestamp());
    assertThat(certified.startTimestamp()).isEqualTo(transaction.startTimestamp());
    assertThat(certified.points()).containsExactly(ReadSetTest.row("x"));
    assertThat(fixture.memory.log).containsSubsequence("flush", "certify", "commitLeader");
  }

  @Test
  void aBirthInBetweenAborts() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("x"));
    long born = fixture.manager.next() + 128;
    fixture.memory.born.put(ReadSetTest.row("x").place(), born);
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(new Conflict(ReadSetTest.row("x").place(), born, Kind.READ_WRITE));
    assertThat(fixture.memory.at(Fixture.place("a"), transaction.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void writeSkewEndsWithTheSecondToBeValidated() {
    OpenTransaction first = fixture.beginSerializable();
    OpenTransaction second = fixture.beginSerializable();
    first.reads().add(ReadSetTest.row("x"));
    first.reads().add(ReadSetTest.row("y"));
    second.reads().add(ReadSetTest.row("x"));
    second.reads().add(ReadSetTest.row("y"));
    Fixture.put(first, "x", "q", "1");
    Fixture.put(second, "y", "q", "1");
    assertThat(fixture.join(first.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.join(second.commit()))
        .isInstanceOfSatisfying(
            Conflict.class,
            conflict -> {
              assertThat(conflict.kind()).isEqualTo(Kind.READ_WRITE);
              assertThat(conflict.place().row()).isEqualTo(ReadSetTest.row("x").row());
            });
  }

  /** The test of the test. */
  @Test
  void writeSkewIsPossibleUnderSnapshotIsolation() {
    OpenTransaction first = fixture.begin();
    OpenTransaction second = fixture.begin();
    first.reads().add(ReadSetTest.row("y"));
    second.reads().add(ReadSetTest.row("x"));
    Fixture.put(first, "x", "q", "1");
    Fixture.put(second, "y", "q", "1");
    assertThat(fixture.join(first.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.join(second.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.memory.certified).isEmpty();
    assertThat(last().conditional()).isFalse();
  }

  /** It commits in its region, without the transaction manager. */
  @Test
  void whereAllThatWasReadIsWrittenNothingDiffersFromSnapshotIsolation() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("a"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).hasSize(1);
    assertThat(fixture.manager.requests).isEmpty();
  }

  @Test
  void aOneRegionCommitIsNotTriedWhereOtherRowsWereRead() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).isEmpty();
    assertThat(fixture.memory.certified).hasSize(1);
  }

  @Test
  void z25_aRowWhoseWriteWasRolledBackIsCertified() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("x"));
    int savepoint = transaction.savepoint();
    Fixture.put(transaction, "x", "q", "1");
    transaction.rollbackTo(savepoint);
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.memory.certified.get(0).points()).containsExactly(ReadSetTest.row("x"));
  }

  @Test
  void readOnlyTransaction_sendsNothingAtCommit() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().add(ReadSetTest.row("x"));
    assertThat(fixture.join(transaction.commit())).isEqualTo(new Committed(0));
    assertThat(fixture.manager.requests).isEmpty();
    assertThat(fixture.memory.log).isEmpty();
  }

  /** A reader has lost patience with it. */
  @Test
  void whatTheLeaderHoldsAfterTheCertificationIsBelieved() {
    TransactionStore late =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Optional<Changed>> certify(Certification wanted) {
            fixture.memory.at(Fixture.place("a"), wanted.startTimestamp()).state =
                TransactionState.ABORTED;
            return super.certify(wanted);
          }
        };
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(late, fixture.manager.port()::validate, TransactionLimits.DEFAULT),
            new TransactionMode(false, true, true, true));
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
  }

  /** A reader may finish what a manager that does not know conditions has passed. */
  @Test
  void managerDoesNotKnowConditions_transactionAborts() {
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(
                fixture.memory,
                request ->
                    fixture
                        .manager
                        .port()
                        .validate(
                            new Request(
                                request.startTimestamp(),
                                request.grant(),
                                request.firstSending(),
                                request.check(),
                                request.record())),
                TransactionLimits.DEFAULT),
            new TransactionMode(false, true, true, true));
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    assertThat(fixture.manager.decisions.values())
        .allMatch(decision -> decision instanceof Validation.Passed);
  }

  private Request last() {
    return fixture.manager.requests.get(fixture.manager.requests.size() - 1);
  }
}
