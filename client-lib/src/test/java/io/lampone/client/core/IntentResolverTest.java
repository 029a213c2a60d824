package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.IntentResolver.Intent;
import io.lampone.client.core.failure.StoreDeniedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Section 4, rule by rule. */
class IntentResolverTest {

  private final Fixture fixture = new Fixture(new TransactionLimits(0, 100, 10));

  @Test
  void aWriterThatHasNotRequestedItsCommitIsSkippedAndNotAborted() {
    OpenTransaction writer = writer();
    assertThat(judgment(writer, fixture.manager.next())).isZero();
    assertThat(leader(writer).state).isEqualTo(TransactionState.PENDING);
    assertThat(fixture.join(writer.commit())).isInstanceOf(CommitOutcome.Committed.class);
  }

  @Test
  void aDecidedCommitBelowTheSnapshotIsFinishedForItsDeadWriter() {
    OpenTransaction writer = writer();
    long commit = decide(writer);
    assertThat(judgment(writer, fixture.manager.next())).isEqualTo(commit);
    assertThat(leader(writer).state).isEqualTo(TransactionState.COMMITTED);
    assertThat(leader(writer).commitTimestamp).isEqualTo(commit);
    assertThat(fixture.memory.at(Fixture.place("b"), writer.startTimestamp()).state)
        .as("the intent that was met is healed")
        .isEqualTo(TransactionState.COMMITTED);
  }

  @Test
  void aDecidedCommitAboveTheSnapshotIsSkippedAndLeftToItsWriter() {
    OpenTransaction writer = writer();
    long snapshot = fixture.manager.next();
    decide(writer);
    assertThat(judgment(writer, snapshot)).isZero();
    assertThat(leader(writer).state).isEqualTo(TransactionState.PENDING);
  }

  /** Z1: its client has something to check yet, and may find that it must not commit. */
  @Test
  void z1AnAssignedCommitBelowTheSnapshotIsNeverFinishedButAbortedAfterThePatience() {
    OpenTransaction writer = writer();
    assign(writer);
    fixture.memory.log.clear();
    assertThat(judgment(writer, fixture.manager.next())).isZero();
    assertThat(leader(writer).state).isEqualTo(TransactionState.ABORTED);
    assertThat(fixture.memory.log).doesNotContain("commitLeader").contains("abortLeader");
    assertThat(fixture.memory.log.stream().filter("readLeaders"::equals).count())
        .as("looks at the leader after 0, 1, 2, 4, 8, 10, 10 ... ms")
        .isBetween(13L, 16L);
  }

  @Test
  void anAssignedCommitThatItsClientDecidesMeanwhileIsBelieved() {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    long commit = assign(writer);
    List<Integer> looks = new ArrayList<>();
    TransactionStore racing =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Map<TransactionId, Outcome>> readLeaders(
              Collection<TransactionId> ids, long floor) {
            looks.add(looks.size());
            if (looks.size() == 4) {
              fixture.join(fixture.memory.commitLeader(id, 0, commit, Tag.NONE));
            }
            return super.readLeaders(ids, floor);
          }
        };
    IntentResolver resolver =
        new IntentResolver(racing, fixture.manager.port(), new PostCommit(racing, 10));
    assertThat(
            fixture.join(
                resolver.resolve(
                    List.of(new Intent(id, Fixture.place("b"))), fixture.manager.next(), 0)))
        .containsEntry(id, new Fate(commit, Proofs.OPEN.fate(id, commit)));
    assertThat(looks).hasSize(4);
  }

  /** A server that never takes the statement of the transaction manager. */
  @Test
  void theWaitForAnAssignedCommitThatIsNotAbortedEnds() {
    TransactionStore unmoved =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Outcome> abortLeader(
              TransactionId same, long floor, boolean plant, Proof proof) {
            return readLeaders(List.of(same), floor).map(leaders -> leaders.get(same));
          }
        };
    waitEnds(unmoved);
  }

  /** Without such a statement it is not aborted, as old as it may be. */
  @Test
  void theWaitForAnAssignedCommitWhoseClientCertifiesEnds() {
    fixture.manager.certifying = true;
    waitEnds(fixture.memory);
    assertThat(fixture.memory.log).doesNotContain("abortLeader");
  }

  private void waitEnds(TransactionStore store) {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    assign(writer);
    Duration longest = Duration.ofSeconds(2);
    IntentResolver resolver =
        new IntentResolver(
            store,
            fixture.manager.port(),
            new PostCommit(store, 10),
            IntentResolver.CONTACT_PATIENCE,
            longest);
    long begunNanos = fixture.clock.nanos;
    assertThatThrownBy(
            () ->
                fixture.join(
                    resolver.resolve(
                        List.of(new Intent(id, Fixture.place("b"))), fixture.manager.next(), 0)))
        .hasCauseInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("start=" + writer.startTimestamp());
    assertThat(Duration.ofNanos(fixture.clock.nanos - begunNanos))
        .isBetween(longest, longest.plusMillis(20));
    assertThat(leader(writer).state).isEqualTo(TransactionState.PENDING);
  }

  /** What commits at c is not seen by a snapshot at c. */
  @Test
  void anAssignedCommitAtOrAboveTheSnapshotIsSkippedAtOnce() {
    OpenTransaction writer = writer();
    long snapshot = fixture.manager.next();
    long commit = assign(writer);
    for (long reader : new long[] {snapshot, commit}) {
      assertThat(judgment(writer, reader)).isZero();
      assertThat(leader(writer).state).isEqualTo(TransactionState.PENDING);
    }
  }

  @Test
  void aDecidedConflictIsHelpedToItsEnd() {
    OpenTransaction writer = writer();
    fixture.manager.decisions.put(writer.startTimestamp(), new Validation.Conflict(0, 1));
    assertThat(judgment(writer, fixture.manager.next())).isZero();
    assertThat(leader(writer).state).isEqualTo(TransactionState.ABORTED);
    assertThat(fixture.memory.at(Fixture.place("b"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void aForgottenWriterIsAbortedOnItsLeader() {
    OpenTransaction writer = writer();
    fixture.manager.forgetful = true;
    assertThat(judgment(writer, fixture.manager.next())).isZero();
    assertThat(leader(writer).state).isEqualTo(TransactionState.ABORTED);
  }

  @Test
  void aForgottenWriterThatHasCommittedIsBelieved() {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    long commit = decide(writer);
    fixture.manager.forgetful = true;
    // The commit point lands between the read of the leader and the attempt to abort it.
    TransactionStore racing =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Outcome> abortLeader(
              TransactionId same, long floor, boolean plant, Proof proof) {
            fixture.join(fixture.memory.commitLeader(id, 0, commit, Tag.NONE));
            return super.abortLeader(same, floor, plant, proof);
          }
        };
    IntentResolver resolver =
        new IntentResolver(racing, fixture.manager.port(), new PostCommit(racing, 10));
    assertThat(
            fixture.join(
                resolver.resolve(
                    List.of(new Intent(id, Fixture.place("b"))), fixture.manager.next(), 0)))
        .containsEntry(id, new Fate(commit, Proofs.OPEN.fate(id, commit)));
  }

  /** A4: the leader's intent may still be under way. */
  @Test
  void anAbsentLeaderMakesTheIntentInvisibleAndIsNeverWritten() {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    fixture.memory.cells.remove(id.leader());
    assertThat(judgment(writer, fixture.manager.next())).isZero();
    assertThat(fixture.memory.cells).doesNotContainKey(id.leader());
    assertThat(fixture.memory.at(Fixture.place("b"), writer.startTimestamp()).state)
        .isEqualTo(TransactionState.PENDING);
  }

  @Test
  void manyIntentsOfOneTransactionCostOneLookAtItsLeader() {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    fixture.memory.log.clear();
    fixture.join(
        fixture
            .services
            .resolver()
            .resolve(
                List.of(
                    new Intent(id, Fixture.place("a")),
                    new Intent(id, Fixture.place("b")),
                    new Intent(id, Fixture.place("b"))),
                fixture.manager.next(),
                0));
    assertThat(fixture.memory.log).containsExactly("readLeaders");
  }

  @Test
  void theManagerIsNotAskedWhenTheLeaderKnows() {
    OpenTransaction writer = writer();
    TransactionId id = writer.id().orElseThrow();
    fixture.join(fixture.memory.commitLeader(id, 0, fixture.manager.next(), Tag.NONE));
    fixture.manager.forgetful = true;
    assertThat(fixture.manager.status(1, 0).join()).isInstanceOf(Status.Unknown.class);
    assertThat(judgment(writer, fixture.manager.next())).isPositive();
  }

  private OpenTransaction writer() {
    OpenTransaction writer = fixture.begin();
    Fixture.put(writer, "a", "q", "1");
    Fixture.put(writer, "b", "q", "1");
    return writer;
  }

  private long decide(OpenTransaction writer) {
    long commit = fixture.manager.next();
    fixture.manager.decisions.put(writer.startTimestamp(), new Validation.Passed(commit, Tag.NONE));
    return commit;
  }

  private long assign(OpenTransaction writer) {
    long commit = fixture.manager.next();
    fixture.manager.decisions.put(
        writer.startTimestamp(), new Validation.Assigned(commit, Tag.NONE));
    return commit;
  }

  private MemoryStore.Stored leader(OpenTransaction writer) {
    return fixture.memory.at(Fixture.place("a"), writer.startTimestamp());
  }

  private long judgment(OpenTransaction writer, long snapshot) {
    TransactionId id = writer.id().orElseThrow();
    return fixture
        .join(
            fixture
                .services
                .resolver()
                .resolve(List.of(new Intent(id, Fixture.place("b"))), snapshot, 0))
        .get(id)
        .commitTimestamp();
  }

  /** As HBase's authorizers do with a client that may read in the table of the intent alone. */
  private final class NotMine extends ForwardingStore {

    private final boolean mayRead;

    NotMine(boolean mayRead) {
      super(fixture.memory);
      this.mayRead = mayRead;
    }

    @Override
    public Step<Map<TransactionId, Outcome>> readLeaders(
        Collection<TransactionId> ids, long floor) {
      return mayRead ? super.readLeaders(ids, floor) : denied();
    }

    @Override
    public Step<Outcome> commitLeader(TransactionId id, long floor, long commit, Tag pass) {
      return denied();
    }

    @Override
    public Step<Outcome> abortLeader(TransactionId id, long floor, boolean plant, Proof proof) {
      return denied();
    }

    private static <T> Step<T> denied() {
      return Step.failed(new StoreDeniedException("denied", new IllegalStateException()));
    }
  }

  private Fate judgmentOfAReader(boolean mayReadLeaders, OpenTransaction writer) {
    TransactionStore store = new NotMine(mayReadLeaders);
    TransactionId id = writer.id().orElseThrow();
    return fixture
        .join(
            new IntentResolver(store, fixture.manager.port(), new PostCommit(store, 10))
                .resolve(List.of(new Intent(id, Fixture.place("b"))), fixture.manager.next(), 0))
        .get(id);
  }

  @Test
  void whoMayNotChangeTheLeaderHasTheServerOfTheRowFindOut() {
    for (boolean mayReadLeaders : List.of(true, false)) {
      OpenTransaction writer = writer();
      TransactionId id = writer.id().orElseThrow();
      long commit = decide(writer);
      fixture.join(fixture.memory.commitLeader(id, 0, commit, Tag.NONE));
      if (mayReadLeaders) { // and the leader was read before that
        leader(writer).state = TransactionState.PENDING;
        assertThatThrownBy(() -> judgmentOfAReader(true, writer)).hasMessageContaining("NOT_READY");
        leader(writer).state = TransactionState.COMMITTED;
      }
      assertThat(judgmentOfAReader(mayReadLeaders, writer))
          .isEqualTo(new Fate(commit, Proofs.OPEN.fate(id, commit)));
    }
  }

  /** The transaction manager's answer is enough: its commit timestamp is still to come. */
  @Test
  void whoMayNotReadTheLeaderSkipsAWriterThatIsAtWork() {
    OpenTransaction writer = writer();
    fixture.memory.log.clear();
    assertThat(judgmentOfAReader(false, writer)).isEqualTo(Fate.INVISIBLE);
    assertThat(fixture.memory.log).isEmpty();
  }

  /** W9: after a takeover another client may abort the leader of what has passed. */
  @Test
  void aPassIsNoJudgment() {
    OpenTransaction writer = writer();
    decide(writer);
    assertThatThrownBy(() -> judgmentOfAReader(false, writer)).hasMessageContaining("NOT_READY");
    leader(writer).state = TransactionState.ABORTED;
    assertThat(judgmentOfAReader(false, writer)).isEqualTo(Fate.INVISIBLE);
  }

  /** One transaction's leader may be read, the other's not. */
  @Test
  void aLeaderThatMayNotBeReadKeepsTheReaderFromNoOther() {
    OpenTransaction first = writer();
    TransactionId committed = first.id().orElseThrow();
    long commit = decide(first);
    fixture.join(fixture.memory.commitLeader(committed, 0, commit, Tag.NONE));
    OpenTransaction second = writer();
    TransactionId atWork = second.id().orElseThrow();
    TransactionStore store =
        new ForwardingStore(fixture.memory) {
          @Override
          public Step<Map<TransactionId, Outcome>> readLeaders(
              Collection<TransactionId> ids, long floor) {
            return ids.contains(atWork) ? NotMine.denied() : super.readLeaders(ids, floor);
          }
        };
    assertThat(
            fixture.join(
                new IntentResolver(store, fixture.manager.port(), new PostCommit(store, 10))
                    .resolve(
                        List.of(
                            new Intent(committed, Fixture.place("b")),
                            new Intent(atWork, Fixture.place("b"))),
                        fixture.manager.next(),
                        0)))
        .containsEntry(committed, new Fate(commit, Proofs.OPEN.fate(committed, commit)))
        .containsEntry(atWork, Fate.INVISIBLE);
  }
}
