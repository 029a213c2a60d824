package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.ConflictException.Kind;
import io.lampone.client.core.CommitOutcome.Aborted;
import io.lampone.client.core.CommitOutcome.Committed;
import io.lampone.client.core.CommitOutcome.Conflict;
import io.lampone.client.core.slow.TransactionTrace;
import io.lampone.client.core.step.Step;
import io.lampone.client.core.vote.FenceRecorder;
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
import io.lampone.protocol.tm.Validator.Vote;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Commits of transactions whose conflict hashes belong to another validator. */
class VotedCommitTest {

  private static final Node A = new Node("a", "a:1", 1);
  private static final Step<Validation> YES = Step.done(new Validation.Voted());
  private static final Step<Validation> NO_ANSWER =
      Step.failed(
          new TransactionManagerException(TransactionManagerException.Kind.UNAVAILABLE, "silent"));

  private static final long SECOND = 1_000_000_000;

  private final Fixture fixture = new Fixture();
  private final Sharded manager = new Sharded();
  private final OpenTransaction transaction = transaction();

  /** The manager in memory, with a map and with votes by plan. */
  private final class Sharded implements TransactionManagerPort {

    private final TransactionManagerPort primary = fixture.manager.port();
    private final Deque<Step<Validation>> answers = new ArrayDeque<>();
    private final List<Vote> votes = new ArrayList<>();
    private BucketMap map = map(1);

    @Override
    public Step<Begin> begin() {
      return primary.begin();
    }

    @Override
    public Step<Validation> validate(Request request) {
      boolean current = request.terms().mapVersion() == map.version() || map.version() == 0;
      return current
          ? primary.validate(request)
          : Step.done(new Validation.Refused(Reason.MOVED, 0));
    }

    @Override
    public Step<BucketMap> buckets() {
      return Step.done(map);
    }

    @Override
    public Step<Validation> vote(Node at, Vote vote) {
      assertThat(map.validators()).contains(at);
      assertThat(fixture.memory.log).doesNotContain("commitLeader");
      votes.add(vote);
      return answers.remove();
    }

    @Override
    public Step<Status> status(long startTimestamp, long snapshot) {
      return primary.status(startTimestamp, snapshot);
    }
  }

  @Test
  void aVoteOfYes_letsItCommitAtTheAssignedTimestamp() {
    manager.answers.add(YES);
    Committed committed = (Committed) fixture.join(transaction.commit());
    assertThat(manager.votes).hasSize(1);
    assertThat(manager.votes.get(0).assignment().commitTimestamp())
        .isEqualTo(committed.commitTimestamp());
    Request assigned = fixture.manager.requests.get(0);
    assertThat(assigned.conditional()).isTrue();
    assertThat(assigned.check()).isEmpty();
    assertThat(assigned.firstSending()).as("the first was refused, not lost").isFalse();
  }

  @Test
  void aVoteOfNo_abortsItOnItsLeader() {
    manager.answers.add(Step.done(new Validation.Conflict(0, 5)));
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(new Conflict(Fixture.place("a"), 5, Kind.WRITE_WRITE));
    requireAborted();
  }

  @Test
  void aLaterRead_isAConflictOfItsOwnKind() {
    manager.answers.add(Step.done(new Validation.Conflict(1, 5)));
    assertThat(fixture.join(transaction.commit()))
        .isEqualTo(new Conflict(Fixture.place("a"), 5, Kind.LATE));
  }

  @Test
  void aVoteWithoutAnAnswer_isSentAgain() {
    manager.answers.add(NO_ANSWER);
    manager.answers.add(Step.done(new Validation.Refused(Reason.OVERLOADED, 1)));
    manager.answers.add(YES);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Committed.class);
    assertThat(manager.votes).hasSize(3);
    assertThat(manager.votes.get(2)).isEqualTo(manager.votes.get(0));
  }

  @Test
  void aLostValidator_abortsIt() {
    manager.answers.add(
        Step.begin(
            event -> {
              manager.map = map(BucketMap.LOST);
              return NO_ANSWER;
            }));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    requireAborted();
  }

  @Test
  void aRestartedValidator_cannotTell() {
    manager.answers.add(Step.done(new Validation.Refused(Reason.MOVED, 0)));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    requireAborted();
  }

  @Test
  void anOwnerThatIsLostBeforeTheCommit_isNotAsked() {
    manager.map = map(BucketMap.LOST);
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    assertThat(manager.votes).isEmpty();
    requireAborted();
  }

  @Test
  void silenceUntilTheDeadline_abortsIt() {
    for (int i = 0; i < 10_000; i++) {
      manager.answers.add(NO_ANSWER);
    }
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Aborted.class);
    requireAborted();
  }

  /** Returns the owner that is asked first. */
  @Test
  void oneNoAmongSeveralVotes_abortsIt() {
    Node other = new Node("b", "b:1", 2);
    List<BucketMap.Run> runs = new ArrayList<>();
    for (int bucket = 0; bucket < BucketMap.BUCKETS; bucket++) {
      runs.add(new BucketMap.Run(1, List.of(new Era(1, 1 + bucket % 2))));
    }
    manager.map = new BucketMap(2, List.of(A, other), runs);
    for (int i = 0; i < 20; i++) {
      Fixture.put(transaction, "row-" + i, "q", "1");
    }
    manager.answers.add(YES);
    manager.answers.add(Step.done(new Validation.Conflict(0, 5)));
    assertThat(fixture.join(transaction.commit())).isInstanceOf(Conflict.class);
    assertThat(manager.votes).hasSize(2);
    requireAborted();
  }

  @Test
  void aFenceIsRecordedByTheSameVotes() {
    FenceRecorder fences = new FenceRecorder(manager, new Random(1));
    manager.answers.add(YES);
    Begin begin = fixture.join(manager.begin());
    fixture.join(fences.record(begin, "t", Long.MAX_VALUE));
    assertThat(manager.votes.get(0).record()).hasSize(1);
  }

  /** Writers of a busy table may have checked its fence above the assigned timestamp. */
  @Test
  void aFenceThatIsRefusedBeginsAnewWithAFreshTimestamp() {
    FenceRecorder fences = new FenceRecorder(manager, new Random(1));
    manager.answers.add(Step.done(new Validation.Conflict(0, Long.MAX_VALUE)));
    manager.answers.add(Step.done(new Validation.Refused(Reason.BELOW_WATERMARK, 0)));
    manager.answers.add(YES);
    Begin begin = fixture.join(manager.begin());
    fixture.join(fences.record(begin, "t", fixture.clock.nanos + SECOND));
    List<Long> starts =
        manager.votes.stream().map(vote -> vote.assignment().startTimestamp()).toList();
    assertThat(starts)
        .hasSize(3)
        .doesNotHaveDuplicates()
        .isSorted()
        .startsWith(begin.startTimestamp());
    assertThat(manager.votes.stream().map(vote -> vote.assignment().commitTimestamp()).toList())
        .doesNotHaveDuplicates()
        .isSorted();
  }

  @Test
  void aFenceOfALostValidator_isRecordedAtTheNextOwner() {
    FenceRecorder fences = new FenceRecorder(manager, new Random(1));
    Begin begin = fixture.join(manager.begin());
    // lost between the assignment and the vote
    manager.answers.add(
        Step.begin(
            event -> {
              Begin now = fixture.manager.begin().join();
              manager.map = map(new Era(now.startTimestamp(), 1), new Era(1, BucketMap.LOST));
              return Step.done(new Validation.Refused(Reason.MOVED, 0));
            }));
    manager.answers.add(YES);
    fixture.join(fences.record(begin, "t", fixture.clock.nanos + SECOND));
    assertThat(manager.votes).hasSize(2);
    assertThat(manager.votes.get(1).assignment().startTimestamp())
        .isGreaterThan(begin.startTimestamp());
  }

  @Test
  void aFenceThatIsRefusedUntilTheDeadline_fails() {
    FenceRecorder fences = new FenceRecorder(manager, new Random(1));
    for (int i = 0; i < 10_000; i++) {
      manager.answers.add(Step.done(new Validation.Conflict(0, Long.MAX_VALUE)));
    }
    long deadline = fixture.clock.nanos + SECOND;
    Begin begin = fixture.join(manager.begin());
    assertThat(failure(fences.record(begin, "t", deadline)))
        .isInstanceOf(TransactionManagerException.class)
        .hasMessageContaining("try again")
        .hasMessageContaining("LATE");
    assertThat(fixture.clock.nanos).isBetween(deadline, deadline + SECOND);
  }

  private Throwable failure(Step<Void> step) {
    Step<Throwable> ended = step.map(done -> new Throwable("no failure"));
    return fixture.join(ended.recover(Step::done));
  }

  private void requireAborted() {
    assertThat(fixture.memory.at(Fixture.place("a"), transaction.startTimestamp()).state)
        .isEqualTo(TransactionState.ABORTED);
  }

  private OpenTransaction transaction() {
    OpenTransaction.Services other = fixture.services;
    OpenTransaction begun =
        fixture.begin(
            new OpenTransaction.Services(
                other.store(),
                other.resolver(),
                other.protocol().asking(manager),
                other.postCommit(),
                other.clock(),
                other.limits(),
                other.session(),
                other.oneRegion(),
                TransactionTrace.NONE,
                Reserver.NONE));
    Fixture.put(begun, "a", "q", "1");
    return begun;
  }

  /** The map with one other owner since the beginning, or with an owner that is lost. */
  private static BucketMap map(int owner) {
    return map(new Era(1, owner));
  }

  private static BucketMap map(Era... eras) {
    long version = 1 + eras[0].since();
    BucketMap.Run all = new BucketMap.Run(BucketMap.BUCKETS, List.of(eras));
    return new BucketMap(version, List.of(A), List.of(all));
  }
}
