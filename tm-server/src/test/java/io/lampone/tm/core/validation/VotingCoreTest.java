package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.Exchange;
import io.lampone.tm.core.ManualClock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Votes in any order: of two transactions that overlap and conflict, one at most gets a yes. */
class VotingCoreTest {

  private static final long INCARNATION = 77;
  private static final int CAPACITY = 64;
  private static final long X = 101;
  private static final long Y = 202;
  private static final long[] NONE = {};

  private VotingCore core = new VotingCore(INCARNATION, CAPACITY, Proofs.OPEN, new ManualClock());

  @Test
  void theSecondWriterIsRefused_inEitherOrder() {
    assertThat(vote(t(10, 30), write(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(20, 40), write(X))).isEqualTo(new Validation.Conflict(0, at(30)));
    // The order of votes is not that of commit timestamps.
    assertThat(vote(t(15, 25), write(X))).isEqualTo(new Validation.Conflict(0, at(30)));
    assertThat(vote(t(30, 50), write(X))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void aReaderIsRefused_ifAWriterCommittedInBetween() {
    assertThat(vote(t(10, 20), write(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(15, 30), read(X))).isEqualTo(new Validation.Conflict(0, at(20)));
    assertThat(vote(t(20, 30), read(X))).isInstanceOf(Validation.Voted.class);
  }

  /** Also a SNAPSHOT writer, which has read nothing itself [Z24]. */
  @Test
  void aWriterBelowALaterRead_isRefused() {
    assertThat(vote(t(10, 40), read(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(20, 30), write(X))).isEqualTo(new Validation.Conflict(1, at(40)));
    assertThat(vote(t(20, 50), write(X))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void aRepeatedVoteIsAnsweredAgain_unlessAnotherHasWrittenMeanwhile() {
    assertThat(vote(t(10, 20), write(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(10, 20), write(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(20, 30), write(X))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(10, 20), write(X))).isEqualTo(new Validation.Conflict(0, at(30)));
  }

  @Test
  void aVoteForAnotherIncarnation_isNotAnswered() {
    assertThat(vote(1, t(10, 20), 10, write(X))).isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    assertThat(vote(t(5, 30), read(X))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void forgottenWritesAreAdmitted_forThoseBelowThem() {
    for (int i = 0; i <= CAPACITY; i++) {
      assertThat(vote(t(100 + i, 200 + i), write(1000 + i))).isInstanceOf(Validation.Voted.class);
    }
    assertThat(vote(t(199, 900), write(1000)))
        .isEqualTo(new Validation.Refused(Reason.BELOW_WATERMARK, 0));
    assertThat(vote(t(200, 900), write(1000))).isInstanceOf(Validation.Voted.class);
    // An era that begins later: of it everything is known.
    assertThat(vote(INCARNATION, t(50, 901), 300, read(1000 + CAPACITY)))
        .isEqualTo(new Validation.Conflict(0, at(200 + CAPACITY)));
    assertThat(vote(INCARNATION, t(50, 902), 300, read(5))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void forgottenReadsAreAdmitted_forWritersBelowThem() {
    int reads = CAPACITY / 4;
    for (int i = 0; i <= reads; i++) {
      assertThat(vote(t(100, 500 + i), read(1000 + i))).isInstanceOf(Validation.Voted.class);
    }
    assertThat(vote(t(110, 500), write(1000)))
        .isEqualTo(new Validation.Refused(Reason.BELOW_WATERMARK, 0));
    assertThat(vote(t(110, 501), write(1000))).isInstanceOf(Validation.Voted.class);
    assertThat(vote(t(110, 120), read(7))).isInstanceOf(Validation.Voted.class);
  }

  @Test
  void aCommitTimestampThatWasNotAssigned_isNotVotedOn() {
    Assignment invented = new Assignment(at(10), at(90), Proofs.OPEN.pass(at(10), at(80)));
    Vote vote = new Vote(invented, INCARNATION, at(10), 0, new long[] {X}, new long[] {X});
    assertThat(ask(vote).outcome()).isInstanceOf(BatchOutcome.Unowned.class);
    assertThat(core.votes()).isZero();
  }

  /** The lemma: no two with a yes have one's commit timestamp within the other's lifetime. */
  @Test
  void ofAllThatGetAYes_noTwoOverlapAndConflict() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      core = new VotingCore(INCARNATION, 4 + random.nextInt(8), Proofs.OPEN, new ManualClock());
      List<Voter> committed = new ArrayList<>();
      Set<Long> used = new HashSet<>();
      for (int i = 0; i < 40; i++) {
        long start = 10 + random.nextInt(60);
        long commit = start + 1 + random.nextInt(60);
        if (!used.add(commit)) {
          continue; // a commit timestamp belongs to one transaction
        }
        Keys keys = random.nextBoolean() ? read(random.nextInt(3)) : write(random.nextInt(3));
        Voter voter = new Voter(t(start, commit), keys);
        if (vote(voter.assigned, voter.keys) instanceof Validation.Voted) {
          for (Voter other : committed) {
            requireApart(seed, voter, other);
            requireApart(seed, other, voter);
          }
          committed.add(voter);
        }
      }
    }
  }

  private static void requireApart(long seed, Voter one, Voter writer) {
    boolean meets = writer.keys.record.length > 0 && writer.keys.record[0] == one.keys.check[0];
    long commit = writer.assigned.commitTimestamp();
    assertThat(
            meets
                && one.assigned.startTimestamp() < commit
                && commit < one.assigned.commitTimestamp())
        .as("seed=%s %s %s", seed, one.assigned, writer.assigned)
        .isFalse();
  }

  private record Voter(Assignment assigned, Keys keys) {}

  @SuppressWarnings("ArrayRecordComponent")
  private record Keys(long[] check, int reads, long[] record) {}

  private static Keys write(long hash) {
    return new Keys(new long[] {hash}, 0, new long[] {hash});
  }

  private static Keys read(long hash) {
    return new Keys(new long[] {hash}, 1, NONE);
  }

  private static long at(long time) {
    return time << 8;
  }

  private static Assignment t(long start, long commit) {
    return new Assignment(at(start), at(commit), Proofs.OPEN.pass(at(start), at(commit)));
  }

  private Validation vote(Assignment assigned, Keys keys) {
    return vote(INCARNATION, assigned, assigned.startTimestamp() >> 8, keys);
  }

  private Validation vote(long incarnation, Assignment assigned, long from, Keys keys) {
    Vote vote = new Vote(assigned, incarnation, at(from), keys.reads, keys.check, keys.record);
    return ((WireReply.Validated) ask(vote).replies().get(0)).validation();
  }

  private Exchange ask(Vote vote) {
    return Exchange.with(
        core::handle, Capabilities.BUCKETS, List.of(new WireRequest.Vote(1, vote)));
  }
}
