package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.ReadSet.Point;
import io.lampone.client.core.TransactionStore.Certification;
import io.lampone.client.core.TransactionStore.RangeCertification;
import io.lampone.client.core.TransactionStore.RangeFindings;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.driver.Driver;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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
    OpenTransaction transaction = fixture.beginSerializableInOneRegion();
    transaction.reads().add(ReadSetTest.row("a"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).hasSize(1);
    assertThat(fixture.manager.requests).isEmpty();
  }

  @Test
  void theRegionCertifiesWhatWasReadThere() {
    OpenTransaction transaction = fixture.beginSerializableInOneRegion();
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.fast.requests).hasSize(1);
    OneRegionCommit request = (OneRegionCommit) fixture.fast.requests.get(0);
    assertThat(request.reads()).containsExactly(ReadSetTest.row("x").read());
    assertThat(request.rows()).containsExactly(Bytes.utf8("a"));
    assertThat(fixture.manager.requests).isEmpty();
    assertThat(fixture.memory.certified).isEmpty();
  }

  @Test
  void whatHasChangedInTheRegionIsAConflictOfReads() {
    OpenTransaction transaction = fixture.beginSerializableInOneRegion();
    transaction.reads().add(ReadSetTest.row("x"));
    transaction.reads().add(ReadSetTest.row("y"));
    Fixture.put(transaction, "a", "q", "1");
    long winner = fixture.fast.putByAnother("y", 1);
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(
            new Conflict(
                new RowFamily("t", Bytes.utf8("y"), Bytes.EMPTY), winner, Kind.READ_WRITE));
    assertThat(fixture.fast.requests).hasSize(1);
    assertThat(fixture.manager.requests).isEmpty();
  }

  /** A certification finds out whether an intent is a change. */
  @Test
  void whatMayHaveChangedInTheRegionIsCertifiedTheOrdinaryWay() {
    OpenTransaction transaction = fixture.beginSerializableInOneRegion();
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    OpenTransaction other = fixture.begin();
    Fixture.put(other, "x", "q", "1");
    fixture.join(other.flush());
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class); // by the fake
    assertThat(fixture.fast.requests).hasSize(1);
    assertThat(last().conditional()).isTrue();
    assertThat(fixture.memory.certified.get(0).points()).containsExactly(ReadSetTest.row("x"));
  }

  @Test
  void aOneRegionCommitIsNotTriedWhereTheRegionCannotCertify() {
    OpenTransaction elsewhere = fixture.beginSerializableInOneRegion();
    Point read = ReadSetTest.row("x");
    elsewhere.reads().add(new Point("other", read.level(), read.row(), read.columns()));
    Fixture.put(elsewhere, "a", "q", "1");
    assertThat(fixture.join(elsewhere.commit())).isInstanceOf(Committed.class);

    OpenTransaction scanned = fixture.beginSerializableInOneRegion();
    scanned.reads().scan(ReadSetTest.range("x", "z"), false, 0).completed();
    Fixture.put(scanned, "b", "q", "1");
    assertThat(fixture.join(scanned.commit())).isInstanceOf(Committed.class);

    fixture.fast.split = Optional.of(Bytes.utf8("m"));
    fixture.fast.regionsOf("t", List.of(), true);
    OpenTransaction wide = fixture.beginSerializableInOneRegion();
    wide.reads().add(ReadSetTest.row("x"));
    Fixture.put(wide, "c", "q", "1");
    assertThat(fixture.join(wide.commit())).isInstanceOf(Committed.class);

    assertThat(fixture.fast.requests).isEmpty();
    assertThat(fixture.memory.certified).as("the points").hasSize(2);
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
            new TransactionMode(false, true, false, true));
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
            new TransactionMode(false, true, false, true));
    transaction.reads().add(ReadSetTest.row("x"));
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    assertThat(fixture.manager.decisions.values())
        .allMatch(decision -> decision instanceof Validation.Passed);
  }

  @Test
  void aRangeIsCertifiedAtTheAssignedTimestamp() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().scan(ReadSetTest.range("b", "d"), false, 0).completed();
    Fixture.put(transaction, "a", "q", "1");
    Fixture.put(transaction, "c", "q", "1");
    Committed committed = (Committed) fixture.join(transaction.commit());
    assertThat(last().conditional()).isTrue();
    assertThat(fixture.fast.requests).as("no commit in one region").isEmpty();
    assertThat(fixture.memory.certifiedRanges)
        .singleElement()
        .satisfies(
            wanted -> {
              assertThat(wanted.at().commitTimestamp()).isEqualTo(committed.commitTimestamp());
              assertThat(wanted.range()).isEqualTo(ReadSetTest.range("b", "d"));
            });
    assertThat(fixture.memory.log).containsSubsequence("flush", "certifyRange", "commitLeader");
  }

  /**
   * Readers may abort what was assigned a timestamp 100 ms before, unless its client asks again.
   */
  @Test
  void aLongCertificationOfARangeRepeatsTheValidationMeanwhile() {
    CompletableFuture<Void> scanned = new CompletableFuture<>();
    TransactionStore slow =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<RangeFindings> certify(RangeCertification wanted) {
            return AsyncRequest.step(() -> scanned).then(done -> super.certify(wanted));
          }
        };
    List<CompletableFuture<Void>> pauses = new ArrayList<>();
    Driver driver =
        new Driver(
            delay -> {
              assertThat(delay).isEqualTo(Duration.ofMillis(pauses.isEmpty() ? 25 : 250));
              pauses.add(new CompletableFuture<>());
              return pauses.get(pauses.size() - 1);
            },
            fixture.clock);
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(slow, fixture.manager.port()::validate, TransactionLimits.DEFAULT),
            new TransactionMode(false, true, false, true));
    transaction.reads().scan(ReadSetTest.range("b", "d"), false, 0).completed();
    Fixture.put(transaction, "a", "q", "1");
    CompletableFuture<CommitOutcome> committing = driver.start(transaction.commit());
    for (int i = 0; i < 3; i++) {
      pauses.get(i).complete(null);
      assertThat(fixture.manager.requests).hasSize(i + 2);
      assertThat(last().conditional()).isTrue();
      assertThat(last().firstSending()).isFalse();
    }
    scanned.complete(null);
    assertThat(committing.join()).isInstanceOf(Committed.class);
    pauses.get(3).complete(null);
    assertThat(fixture.manager.requests).hasSize(4);
    assertThat(pauses).hasSize(4);
  }

  /** A phantom: nothing was there when the range was scanned. */
  @Test
  void aBirthInARangeAborts() {
    OpenTransaction transaction = fixture.beginSerializable();
    transaction.reads().scan(ReadSetTest.range("b", "d"), false, 0).completed();
    long born = fixture.manager.next() + 128;
    fixture.memory.born.put(Fixture.place("c"), born);
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(
            new Conflict(
                Fixture.place("c"),
                born,
                Kind.RANGE,
                Optional.of(ReadSetTest.range("b", "d").rows())));
    assertThat(fixture.memory.at(Fixture.place("a"), transaction.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void phantomsBothWaysEndWithOneCommit() {
    OpenTransaction first = fixture.beginSerializable();
    OpenTransaction second = fixture.beginSerializable();
    first.reads().scan(ReadSetTest.range("a", "d"), false, 0).completed();
    second.reads().scan(ReadSetTest.range("a", "d"), false, 0).completed();
    Fixture.put(first, "b", "q", "1");
    Fixture.put(second, "c", "q", "1");
    assertThat(fixture.join(first.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.join(second.commit()))
        .isInstanceOfSatisfying(
            Conflict.class, conflict -> assertThat(conflict.kind()).isEqualTo(Kind.RANGE));
  }

  /** U is assigned below, and commits while it is waited for. */
  @Test
  void z8_anAssignedTransactionBelowIsWaitedFor() {
    assertThat(endAfterAnAssignedOne(true))
        .isInstanceOfSatisfying(
            Conflict.class, conflict -> assertThat(conflict.kind()).isEqualTo(Kind.RANGE));
    assertThat(fixture.memory.certifiedRanges.stream().map(wanted -> wanted.range().rows()))
        .as("from the row with the intent on")
        .containsExactly(ReadSetTest.range("b", "d").rows(), ReadSetTest.range("c", "d").rows());
  }

  @Test
  void z8_anAssignedTransactionBelowWhoseClientIsGoneIsAborted() {
    assertThat(endAfterAnAssignedOne(false)).isInstanceOf(Committed.class);
    assertThat(fixture.memory.log).contains("abortLeader");
  }

  /** It was invisible at the snapshot; that says nothing about the commit timestamp. */
  @Test
  void z31_aCertificationBeginsWithoutJudgments() {
    OpenTransaction transaction = fixture.beginSerializable();
    OpenTransaction other = fixture.beginSerializable();
    other.reads().add(ReadSetTest.row("x"));
    Fixture.put(other, "c", "q", "1");
    fixture.join(other.flush());
    IntentResolver.Intent met =
        new IntentResolver.Intent(other.id().orElseThrow(), Fixture.place("c"));
    assertThat(fixture.join(transaction.resolve(List.of(met)))).containsValue(Fate.INVISIBLE);
    transaction.reads().scan(ReadSetTest.range("b", "d"), false, 0).completed();
    Fixture.put(transaction, "a", "q", "1");
    assertThat(fixture.join(other.commit())).isInstanceOf(Committed.class);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Conflict.class);
    assertThat(fixture.memory.certifiedRanges.get(0).judgments()).isEmpty();
  }

  /** Of a transaction whose range holds an intent of one that is assigned a timestamp below. */
  private CommitOutcome endAfterAnAssignedOne(boolean commits) {
    OpenTransaction[] assigned = new OpenTransaction[1];
    long[] commit = new long[1];
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Map<TransactionId, Outcome>> readLeaders(
              Collection<TransactionId> ids, long floor) {
            if (commits && fixture.memory.log.contains("readLeaders")) {
              fixture.memory.commitLeader(
                  assigned[0].id().orElseThrow(), floor, commit[0], Tag.NONE);
            }
            return super.readLeaders(ids, floor);
          }
        };
    OpenTransaction transaction =
        fixture.begin(
            fixture.services(store, fixture.manager.port()::validate, TransactionLimits.DEFAULT),
            new TransactionMode(false, true, false, true));
    transaction.reads().scan(ReadSetTest.range("b", "d"), false, 0).completed();
    assigned[0] = fixture.beginSerializable();
    Fixture.put(assigned[0], "c", "q", "1");
    fixture.join(assigned[0].flush());
    fixture.manager.validate(
        new Request(
            assigned[0].startTimestamp(),
            assigned[0].grant(),
            true,
            new long[0],
            new long[0],
            true));
    commit[0] = fixture.manager.last;
    Fixture.put(transaction, "a", "q", "1");
    return fixture.join(transaction.commit());
  }

  private Request last() {
    return fixture.manager.requests.get(fixture.manager.requests.size() - 1);
  }
}
