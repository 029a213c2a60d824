package io.lampone.tm.core.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Reason;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.ClusterKey;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireReply.Failure;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.Exchange;
import io.lampone.tm.core.ManualClock;
import io.lampone.tm.core.oracle.CommitTimestamps;
import io.lampone.tm.core.oracle.TimestampAllocator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TransactionManagerCoreTest {

  private static final Duration AHEAD = Duration.ofSeconds(3);
  private static final int CONFLICT_CAPACITY = 6;
  private static final int DECISION_CAPACITY = 3;

  private final ManualClock clock = new ManualClock();
  private final long floor = TimestampAllocator.firstAfter(0, clock);
  private final TimestampAllocator timestamps =
      new TimestampAllocator(clock, floor, TimestampAllocator.boundAhead(floor, AHEAD), AHEAD);
  private final TransactionManagerCore core =
      TransactionManagerCore.of(
          timestamps,
          new ConflictTable(CONFLICT_CAPACITY),
          new DecisionCache(DECISION_CAPACITY),
          new BucketOwners(),
          floor,
          0,
          Proofs.OPEN);

  @Test
  void theFirstCommitterWins() {
    long first = begin();
    long second = begin();
    Validation.Passed passed = (Validation.Passed) validate(first, 7);
    assertThat(passed.commitTimestamp()).isGreaterThan(second);
    assertThat(validate(second, 8, 7))
        .isEqualTo(new Validation.Conflict(1, passed.commitTimestamp()));
    assertThat(validate(begin(), 7)).isInstanceOf(Validation.Passed.class);
  }

  @Test
  void timestampsFollowTheWallClockFromFrameToFrame() {
    begin();
    clock.advance(Duration.ofMillis(5));
    assertThat(begin()).isEqualTo(Timestamps.ceilingOfMillis(clock.wallMillis()));
  }

  @Test
  void onlyRecordedHashesConflictAndOnlyCheckedOnesAreLookedAt() {
    long reader = begin();
    long writer = begin();
    ask(writer, true, new long[] {1}, new long[] {2});
    assertThat(ask(reader, true, new long[] {1}, new long[] {2}))
        .isInstanceOf(Validation.Passed.class);
  }

  @Test
  void aDecisionIsGivenAgainAndNeverMadeAgain() {
    long start = begin();
    Validation passed = validate(start, 7);
    assertThat(validate(start, 7)).isEqualTo(passed);
    assertThat(ask(start, false, new long[] {7}, new long[] {7})).isEqualTo(passed);
    assertThat(status(start))
        .isEqualTo(new Status.Passed(commit(passed), Proofs.OPEN.pass(start, commit(passed))));
  }

  @Test
  void aConflictIsRememberedToo() {
    long loser = begin();
    validate(begin(), 7);
    Validation conflict = validate(loser, 7);
    assertThat(conflict).isInstanceOf(Validation.Conflict.class);
    assertThat(validate(loser, 99)).isEqualTo(conflict);
    assertThat(status(loser)).isEqualTo(new Status.Conflict(Proofs.OPEN.voided(loser)));
  }

  /** Finding M4, second half: the transaction must not meet its own entry in the conflict table. */
  @Test
  void aRepeatedRequestWhoseDecisionIsForgottenIsRefused() {
    long start = begin();
    validate(start, 7);
    for (int i = 0; i < DECISION_CAPACITY; i++) {
      validate(begin());
    }
    assertThat(ask(start, false, new long[] {7}, new long[] {7}))
        .isEqualTo(new Validation.Refused(Reason.FORGOTTEN, 0));
    // Finding M13 within one epoch: never "not requested" of what may have been decided.
    assertThat(status(start)).isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(start))));
  }

  @Test
  void aFirstRequestBelowTheHorizonMayStillPass() {
    long slow = begin();
    for (int i = 0; i <= DECISION_CAPACITY; i++) {
      validate(begin());
    }
    assertThat(status(slow)).isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(slow))));
    assertThat(ask(slow, false, new long[] {7}, new long[] {7}))
        .isEqualTo(new Validation.Refused(Reason.FORGOTTEN, 0));
    assertThat(validate(slow, 7)).isInstanceOf(Validation.Passed.class);
  }

  @Test
  void belowTheFloorNothingIsDecided() {
    timestamps.next();
    long old = floor - Timestamps.TICK;
    assertThat(validate(old, 7)).isEqualTo(new Validation.Refused(Reason.BELOW_FLOOR, 0));
    assertThat(status(old)).isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(old))));
  }

  @Test
  void belowTheWatermarkNothingIsDecided() {
    long old = begin();
    validate(begin(), 1, 2, 3, 4, 5, 6);
    validate(begin(), 7);
    assertThat(validate(old, 99)).isEqualTo(new Validation.Refused(Reason.BELOW_WATERMARK, 0));
    assertThat(status(old)).isEqualTo(new Status.Unknown(Optional.of(Proofs.OPEN.voided(old))));
    assertThat(validate(begin(), 1)).isInstanceOf(Validation.Passed.class);
  }

  @Test
  void belowTheSafePointOnlyDecisionsAreGivenAgain() {
    long decided = begin();
    Validation passed = validate(decided, 7);
    long undecided = begin();
    long safePoint = begin();
    core.decideSafePoint(safePoint);
    assertThat(validate(undecided, 8))
        .isEqualTo(new Validation.Refused(Reason.BELOW_SAFE_POINT, 0));
    assertThat(validate(decided, 7)).isEqualTo(passed);
    assertThat(validate(safePoint, 8)).isInstanceOf(Validation.Passed.class);

    core.decideSafePoint(undecided);
    assertThat(core.safePoint()).isEqualTo(safePoint);
    assertThatThrownBy(() -> core.decideSafePoint(timestamps.last() + Timestamps.TICK))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Finding M14, trap D11. */
  @Test
  void aTimestampAtTheBoundIsSuspiciousAndNothingOfItsBatchIsExecuted() {
    long before = timestamps.last();
    for (long timestamp :
        new long[] {timestamps.bound(), timestamps.bound() + 200, Timestamps.MAX, Long.MAX_VALUE}) {
      assertThat(
              Exchange.with(
                      core::handle,
                      List.of(new WireRequest.Begin(1), new WireRequest.Status(2, timestamp, 0)))
                  .outcome())
          .isEqualTo(new BatchOutcome.Suspicious(timestamp));
      assertThat(
              Exchange.with(
                      core::handle,
                      List.of(
                          new WireRequest.Begin(1), new WireRequest.Status(2, before, timestamp)))
                  .outcome())
          .isEqualTo(new BatchOutcome.Suspicious(timestamp));
    }
    assertThat(timestamps.last()).isEqualTo(before);
  }

  /** Finding M14: what is "still to come" may end up below a snapshot that is still to come. */
  @Test
  void theStatusForASnapshotThatNobodyHasYetIsRefused() {
    long undecided = begin();
    long last = timestamps.last();
    assertThat(one(new WireRequest.Status(1, undecided, last + 200)))
        .isInstanceOf(WireReply.StatusIs.class);
    assertThat(one(new WireRequest.Status(1, undecided, last + Timestamps.TICK)))
        .isEqualTo(new WireReply.Failed(1, WireReply.Failure.BAD_TIMESTAMP, 0));
  }

  /** Finding M14 c: versions of the fast path are above the last tick, but not above the bound. */
  @Test
  void aTimestampThatWasNeverIssuedIsTheClientsMistake() {
    long issued = begin();
    long[] wrong = {
      issued + Timestamps.TICK,
      timestamps.bound() - 1,
      timestamps.bound() - Timestamps.TICK,
      issued + 128,
      issued - 1,
      5,
      0,
      -256,
      Long.MIN_VALUE
    };
    for (long timestamp : wrong) {
      assertThat(one(new WireRequest.Status(1, timestamp, 0)))
          .isEqualTo(new WireReply.Failed(1, Failure.BAD_TIMESTAMP, 0));
      Validator.Request request =
          new Validator.Request(
              timestamp, Proofs.OPEN.grant(timestamp, 0), true, new long[0], new long[0]);
      if (Timestamps.isGlobal(timestamp)) {
        assertThat(one(new WireRequest.Validate(1, request)))
            .isEqualTo(new WireReply.Failed(1, Failure.BAD_TIMESTAMP, 0));
      } else {
        // No grant covers what is no start timestamp.
        assertThat(
                Exchange.with(core::handle, List.of(new WireRequest.Validate(1, request)))
                    .outcome())
            .isEqualTo(new BatchOutcome.Unowned(timestamp));
      }
    }
  }

  @Test
  void whenTheBoundIsReachedEverybodyIsToldToComeBack() {
    TimestampAllocator tight =
        new TimestampAllocator(clock, floor, floor + 2 * Timestamps.TICK, AHEAD);
    TransactionManagerCore small =
        TransactionManagerCore.of(
            tight,
            new ConflictTable(4),
            new DecisionCache(4),
            new BucketOwners(),
            floor,
            0,
            Proofs.OPEN);
    Validator.Request request =
        new Validator.Request(
            floor, Proofs.OPEN.grant(floor, 0), true, new long[] {1}, new long[] {1});
    Exchange.with(small::handle, List.of(new WireRequest.Begin(1), new WireRequest.Begin(2)));
    assertThat(
            Exchange.with(
                small::handle,
                List.of(new WireRequest.Begin(3), new WireRequest.Validate(4, request))))
        .isEqualTo(
            new Exchange(
                BatchOutcome.ANSWERED,
                List.of(
                    new WireReply.Failed(
                        3, Failure.OVERLOADED, CommitTimestamps.RETRY_AFTER_MILLIS),
                    new WireReply.Validated(
                        4,
                        new Validation.Refused(
                            Reason.OVERLOADED, CommitTimestamps.RETRY_AFTER_MILLIS)))));
    // A refusal is no decision: afterwards the same request passes.
    tight.extendTo(floor + 9 * Timestamps.TICK);
    assertThat(Exchange.with(small::handle, List.of(new WireRequest.Validate(5, request))))
        .isEqualTo(
            new Exchange(
                BatchOutcome.ANSWERED,
                List.of(
                    new WireReply.Validated(
                        5,
                        new Validation.Passed(
                            floor + 2 * Timestamps.TICK,
                            Proofs.OPEN.pass(floor, floor + 2 * Timestamps.TICK))))));
  }

  @Test
  void aFrameWithTheValidationOfAnotherClientsTransactionIsNotExecuted() {
    long start = begin();
    long last = timestamps.last();
    byte[] anotherKey = new byte[ClusterKey.BYTES];
    anotherKey[0] = 1;
    List<Grant> wrong =
        List.of(
            new Proofs(new ClusterKey(Bytes.wrap(anotherKey))).grant(start, 0),
            Proofs.OPEN.grant(start + Timestamps.TICK, 5),
            Proofs.OPEN.grant(start - 2 * Timestamps.TICK, 1),
            new Grant(0, 0, Tag.NONE));
    for (Grant grant : wrong) {
      Validator.Request request =
          new Validator.Request(start, grant, true, new long[] {1}, new long[] {1});
      assertThat(
              Exchange.with(
                      core::handle,
                      List.of(new WireRequest.Begin(1), new WireRequest.Validate(2, request)))
                  .outcome())
          .isEqualTo(new BatchOutcome.Unowned(start));
    }
    assertThat(timestamps.last()).isEqualTo(last);
    assertThat(status(start)).isInstanceOf(Status.NotRequested.class);
    assertThat(validate(start, 1)).isInstanceOf(Validation.Passed.class);
  }

  @Test
  void aBlockOfStartsHoldsNoCommitTimestampAndTheWatermarkFollowsWhatIsReported() {
    long reported = commit(validateReported(begin(), true));
    long silent = commit(validateReported(begin(), false));
    StartBlock first = progress(4);
    assertThat(first.count()).isEqualTo(4);
    assertThat(first.floor()).isEqualTo(floor);
    assertThat(first.first()).isEqualTo(silent + Timestamps.TICK);
    assertThat(first.watermark()).isEqualTo(reported - Timestamps.TICK);
    StartBlock second = progress(0, reported);
    assertThat(second.count()).isZero();
    assertThat(second.watermark()).isEqualTo(first.last());
    long later = commit(validateReported(begin(), true));
    assertThat(later).isGreaterThan(first.last());
    // A transaction that begins in the block is one like any other.
    assertThat(status(first.first() + Timestamps.TICK)).isInstanceOf(Status.NotRequested.class);
    Validator.Request request =
        new Validator.Request(
            first.begin(1).startTimestamp(), first.grant(), true, new long[] {5}, new long[] {5});
    assertThat(((WireReply.Validated) one(new WireRequest.Validate(1, request))).validation())
        .isInstanceOf(Validation.Passed.class);
  }

  private Validation validateReported(long start, boolean reported) {
    Validator.Request request =
        new Validator.Request(
            start, Proofs.OPEN.grant(start, 0), true, new long[0], new long[0], false, reported);
    return ((WireReply.Validated) oneOfReporting(new WireRequest.Validate(1, request)))
        .validation();
  }

  private StartBlock progress(int starts, long... ended) {
    ProgressReport report = new ProgressReport(starts, ended, Optional.empty());
    return ((WireReply.Progressed) oneOfReporting(new WireRequest.Report(1, report))).block();
  }

  private WireReply oneOfReporting(WireRequest request) {
    return Exchange.with(core::handle, Capabilities.PROGRESS, List.of(request)).replies().get(0);
  }

  /** Trap D7. */
  @Test
  void extremeHashesAreOrdinaryValues() {
    long[] extremes = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0};
    long loser = begin();
    long winner = begin();
    assertThat(ask(winner, true, extremes, extremes)).isInstanceOf(Validation.Passed.class);
    assertThat(validate(loser, Long.MIN_VALUE)).isInstanceOf(Validation.Conflict.class);
  }

  /** Against a plain model that forgets nothing: trap D9, finding R7. */
  @Test
  void neverPassesATransactionThatAnExactValidatorWouldNot() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<Long, Long> lastCommit = new HashMap<>();
    Map<Long, Validation> decisions = new HashMap<>();
    List<Long> open = new ArrayList<>();
    int passes = 0;
    int conflictsFound = 0;
    for (int i = 0; i < 20_000; i++) {
      if (open.size() < 4 || random.nextInt(3) == 0) {
        open.add(begin());
        continue;
      }
      long start = open.get(random.nextInt(open.size()));
      boolean again = decisions.containsKey(start);
      long hash = random.nextInt(10);
      Validation validation = ask(start, !again, new long[] {hash}, new long[] {hash});
      if (validation instanceof Validation.Refused) {
        open.remove(start);
        continue;
      }
      if (again) {
        assertThat(validation).as("seed=%d", seed).isEqualTo(decisions.get(start));
        open.remove(start);
        continue;
      }
      boolean conflicts = lastCommit.getOrDefault(hash, 0L) > start;
      assertThat(validation instanceof Validation.Conflict)
          .as("seed=%d", seed)
          .isEqualTo(conflicts);
      decisions.put(start, validation);
      if (conflicts) {
        conflictsFound++;
      } else {
        passes++;
      }
      if (validation instanceof Validation.Passed passed) {
        lastCommit.put(hash, passed.commitTimestamp());
      }
      Status status = status(start);
      assertThat(status instanceof Status.Passed).as("seed=%d", seed).isEqualTo(!conflicts);
    }
    assertThat(passes).as("passed, seed=%d", seed).isGreaterThan(1_000);
    assertThat(conflictsFound).as("conflicts, seed=%d", seed).isGreaterThan(1_000);
  }

  private long begin() {
    WireReply.Begun begun = (WireReply.Begun) one(new WireRequest.Begin(1));
    assertThat(begun.begin().floor()).isEqualTo(floor);
    return begun.begin().startTimestamp();
  }

  private Validation validate(long start, long... hashes) {
    return ask(start, true, hashes, hashes);
  }

  private Validation ask(long start, boolean first, long[] check, long[] record) {
    Validator.Request request =
        new Validator.Request(start, Proofs.OPEN.grant(start, 0), first, check, record);
    return ((WireReply.Validated) one(new WireRequest.Validate(1, request))).validation();
  }

  private Status status(long start) {
    return ((WireReply.StatusIs) one(new WireRequest.Status(1, start, 0))).status();
  }

  private WireReply one(WireRequest request) {
    return Exchange.with(core::handle, List.of(request)).replies().get(0);
  }

  private static long commit(Validation validation) {
    return ((Validation.Passed) validation).commitTimestamp();
  }
}
