package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.Exchange;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.oracle.TimestampAllocator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Conditional validations: what is assigned is no decision (ADR 81). */
final class AssignedTransactionsTest {

  private static final Duration AHEAD = Duration.ofSeconds(3);
  private static final int DECISION_CAPACITY = 3;
  private static final long[] ONE = {7};

  private final ManualClock clock = new ManualClock();
  private final long floor = TimestampAllocator.firstAfter(0, clock);
  private final TransactionManagerCore core =
      TransactionManagerCore.of(
          new TimestampAllocator(clock, floor, TimestampAllocator.boundAhead(floor, AHEAD), AHEAD),
          new ConflictTable(100),
          new DecisionCache(DECISION_CAPACITY),
          new BucketOwners(),
          floor,
          0,
          Proofs.OPEN);

  @Test
  void aConditionalValidationIsCheckedAndRecordedLikeAnyOther() {
    long first = begin();
    long second = begin();
    long third = begin();
    Validation.Assigned assigned = (Validation.Assigned) conditional(first, true, ONE, ONE);
    assertThat(assigned.commitTimestamp()).isGreaterThan(third);
    assertThat(assigned.proof()).isEqualTo(Proofs.OPEN.pass(first, assigned.commitTimestamp()));
    Validation lost = new Validation.Conflict(0, assigned.commitTimestamp());
    assertThat(ask(second, true, ONE, ONE, false)).isEqualTo(lost);
    assertThat(conditional(third, true, ONE, new long[] {8})).isEqualTo(lost);
    assertThat(conditional(begin(), true, ONE, ONE)).isInstanceOf(Validation.Assigned.class);
  }

  @Test
  void theAnswerIsGivenAgainAndNeverMadeAgain() {
    long start = begin();
    Validation assigned = conditional(start, true, ONE, ONE);
    assertThat(conditional(start, true, ONE, ONE)).isEqualTo(assigned);
    assertThat(conditional(start, false, ONE, ONE)).isEqualTo(assigned);
    assertThat(ask(start, false, ONE, ONE, false))
        .as("not asked conditionally")
        .isEqualTo(assigned);
    long passing = begin();
    Validation passed = ask(passing, true, new long[0], new long[0], false);
    assertThat(conditional(passing, false, ONE, ONE)).isEqualTo(passed);
  }

  /** What an older client is not able to ask for it is not answered either. */
  @Test
  void aClientThatDoesNotKnowAssignedTransactionsIsGivenNone() {
    long start = begin();
    conditional(start, true, ONE, ONE);
    Validator.Request request = request(start, false, ONE, ONE, false);
    assertThat(((WireReply.Validated) one(0, new WireRequest.Validate(1, request))).validation())
        .isEqualTo(new Validation.Refused(Reason.FORGOTTEN, 0));
  }

  /**
   * R4: the first frame hangs in a lost connection, its repetition is assigned a timestamp and
   * forgotten. A second timestamp would let readers between the two skip what then commits at the
   * first one. Its keys need not meet: a transaction may record none at this validator.
   */
  @Test
  void r4AFirstFrameThatArrivesWhenTheAnswerIsForgottenMeetsItself() {
    long start = begin();
    long[] none = {};
    Validation assigned = conditional(start, false, none, none);
    assertThat(assigned).isInstanceOf(Validation.Assigned.class);
    for (int i = 0; i < DECISION_CAPACITY; i++) {
      conditional(begin(), true, none, none);
    }
    assertThat(conditional(start, true, none, none))
        .isEqualTo(new Validation.Refused(Reason.FORGOTTEN, 0));
    assertThat(status(Capabilities.ASSIGNED, start, 0)).isInstanceOf(Status.Unknown.class);
  }

  /** Z1: nothing that others are told lets them commit it, and at first not abort it either. */
  @Test
  void z1OthersAreToldTheTimestampAndMayAbortWhenTheClientHasHadItsTime() {
    long start = begin();
    long commit = assigned(start);
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.empty()));
    clock.advance(ValidatorCore.ASSIGNED_GRACE.plusMillis(1));
    for (long snapshot : new long[] {0, start, begin()}) {
      assertThat(status(Capabilities.ASSIGNED, start, snapshot))
          .isEqualTo(new Status.Assigned(commit, Optional.of(Proofs.OPEN.voided(start))));
    }
  }

  /** The certification of its ranges may take long: it asks again, and is not aborted meanwhile. */
  @Test
  void aClientThatValidatesAgainHasMoreTimeButNotForEver() {
    long start = begin();
    long commit = assigned(start);
    Duration step = ValidatorCore.ASSIGNED_GRACE.minusMillis(1);
    Duration passed = Duration.ZERO;
    while (passed.compareTo(Prolongations.LONGEST.minus(step)) <= 0) {
      clock.advance(step);
      passed = passed.plus(step);
      assertThat(status(Capabilities.ASSIGNED, start, 0))
          .as("after %s", passed)
          .isEqualTo(new Status.Assigned(commit, Optional.empty()));
      conditional(start, false, ONE, ONE);
    }
    for (int i = 0; i < 20; i++) {
      clock.advance(step);
      conditional(start, false, ONE, ONE);
    }
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.of(Proofs.OPEN.voided(start))));
  }

  /** Its assignment stays valid; a vote by the newer map is all that is refused. */
  @Test
  void aClientThatValidatesByAnOlderMapHasMoreTimeToo() {
    long start = begin();
    long commit = assigned(start);
    clock.advance(ValidatorCore.ASSIGNED_GRACE.minusMillis(1));
    Validator.Terms older = new Validator.Terms(true, false, 1);
    assertThat(
            validation(
                new Validator.Request(start, Proofs.OPEN.grant(start, 0), false, ONE, ONE, older)))
        .isEqualTo(new Validation.Refused(Reason.MOVED, 0));
    clock.advance(Duration.ofMillis(2));
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.empty()));
  }

  @Test
  void oneSenderDoesNotTakeTheTimeOfOthers() {
    Prolongations prolongations = new Prolongations(100);
    int half = Prolongations.CAPACITY / 2;
    for (int i = 0; i < half; i++) {
      assertThat(prolongations.mayProlong(i, "a", 0, 0)).isTrue();
    }
    assertThat(prolongations.mayProlong(half, "a", 0, 0)).isFalse();
    assertThat(prolongations.mayProlong(0, "a", 0, 0)).isTrue();
    for (int i = 0; i < Prolongations.MAX_OF_SENDER; i++) {
      assertThat(prolongations.mayProlong(half + i, "b", 0, 0)).isTrue();
    }
    long another = half + Prolongations.MAX_OF_SENDER;
    assertThat(prolongations.mayProlong(another, "b", 0, 0)).isFalse();
    long later = Prolongations.LONGEST.plusSeconds(2).toMillis();
    assertThat(prolongations.mayProlong(another + 1, "a", 0, later)).isTrue();
  }

  /** A void has been given: to give none from now on would be of no use. */
  @Test
  void aClientThatValidatesTooLateOrOtherwiseHasNoMoreTime() {
    long start = begin();
    long commit = assigned(start);
    clock.advance(ValidatorCore.ASSIGNED_GRACE.minusMillis(1));
    conditional(start, true, ONE, ONE);
    ask(start, false, ONE, ONE, false);
    clock.advance(Duration.ofMillis(2));
    Status ended = new Status.Assigned(commit, Optional.of(Proofs.OPEN.voided(start)));
    assertThat(status(Capabilities.ASSIGNED, start, 0)).isEqualTo(ended);
    conditional(start, false, ONE, ONE);
    assertThat(status(Capabilities.ASSIGNED, start, 0)).isEqualTo(ended);
  }

  /** Timestamps that are ahead of the clock stand still until it comes up to them. */
  @Test
  void aWallClockThatIsSetBackDoesNotProlongTheTimeOfTheClient() {
    long start = begin();
    long commit = assigned(start);
    clock.stepWall(Duration.ofSeconds(2).negated());
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.empty()));
    clock.advance(ValidatorCore.ASSIGNED_GRACE.plusMillis(1));
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.of(Proofs.OPEN.voided(start))));
  }

  /** Behind the bound timestamps count on from the last one, and fall behind the clock. */
  @Test
  void aCommitTimestampBehindTheClockLeavesTheClientItsTime() {
    long start = begin();
    clock.advance(AHEAD.plusSeconds(1));
    long commit = assigned(start);
    assertThat(commit).isLessThan(start + Duration.ofSeconds(1).toNanos());
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.empty()));
    clock.advance(ValidatorCore.ASSIGNED_GRACE.minusMillis(1));
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Assigned(commit, Optional.empty()));
  }

  /** Z2: an older client finishes what passed. It is told so only if it will look past it. */
  @Test
  void z2AnOlderClientNeitherFinishesNorAbortsItTooEarly() {
    long start = begin();
    long reader = begin();
    long commit = assigned(start);
    long late = begin();
    assertThat(status(0, start, reader)).isEqualTo(new Status.Passed(commit, Tag.NONE));
    for (long snapshot : new long[] {0, commit, late}) {
      assertThat(one(0, new WireRequest.Status(1, start, snapshot)))
          .as("snapshot=%d", snapshot)
          .isInstanceOfSatisfying(
              WireReply.Failed.class,
              failed -> {
                assertThat(failed.failure()).isEqualTo(Failure.OVERLOADED);
                assertThat(failed.retryAfterMillis())
                    .isBetween(1, (int) ValidatorCore.ASSIGNED_GRACE.toMillis() + 1);
              });
    }
    clock.advance(ValidatorCore.ASSIGNED_GRACE.plusMillis(1));
    assertThat(status(0, start, reader)).isEqualTo(new Status.Passed(commit, Tag.NONE));
    for (long snapshot : new long[] {0, commit, late}) {
      assertThat(status(0, start, snapshot))
          .isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(start))));
    }
  }

  /** Z27: then readers abort on the leader, and it commits if it was first. */
  @Test
  void z27WhatIsForgottenIsUnknown() {
    long start = begin();
    assigned(start);
    for (int i = 0; i < DECISION_CAPACITY; i++) {
      ask(begin(), true, new long[0], new long[0], false);
    }
    assertThat(status(Capabilities.ASSIGNED, start, 0))
        .isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(start))));
    assertThat(conditional(start, false, ONE, ONE))
        .isEqualTo(new Validation.Refused(Reason.FORGOTTEN, 0));
  }

  private long begin() {
    return ((WireReply.Begun) one(0, new WireRequest.Begin(1))).begin().startTimestamp();
  }

  private long assigned(long start) {
    return ((Validation.Assigned) conditional(start, true, ONE, ONE)).commitTimestamp();
  }

  private Validation conditional(long start, boolean first, long[] check, long[] record) {
    return ask(start, first, check, record, true);
  }

  private Validation ask(
      long start, boolean first, long[] check, long[] record, boolean conditional) {
    return validation(request(start, first, check, record, conditional));
  }

  private Validation validation(Validator.Request request) {
    long capabilities = Capabilities.ASSIGNED | Capabilities.BUCKETS;
    return ((WireReply.Validated) one(capabilities, new WireRequest.Validate(1, request)))
        .validation();
  }

  private static Validator.Request request(
      long start, boolean first, long[] check, long[] record, boolean conditional) {
    return new Validator.Request(
        start, Proofs.OPEN.grant(start, 0), first, check, record, conditional);
  }

  private Status status(long capabilities, long start, long snapshot) {
    return ((WireReply.StatusIs) one(capabilities, new WireRequest.Status(1, start, snapshot)))
        .status();
  }

  private WireReply one(long capabilities, WireRequest request) {
    return Exchange.with(core::handle, capabilities, List.of(request)).replies().get(0);
  }
}
