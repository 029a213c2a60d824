package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.increment;
import static io.lampone.coprocessor.core.FastServer.number;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.FastServer.value;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fastpath.FastRules;
import io.lampone.coprocessor.core.fastpath.FencedAttempts;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.retention.CollectionScope;
import io.lampone.coprocessor.core.retention.FamilyCollector;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * What a server does where it does not remember, or may have collected, what it would have to know.
 */
class DoubtfulOperationsTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes Q2 = Bytes.utf8("q2");

  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();

  /** The region has been elsewhere, and was repeated there what is still on its way to here. */
  @Test
  void anAttemptThatWasHeldUpWhileItsRegionMovedAwayAndBackIsNotAppliedAgain() throws Exception {
    FastOperation first = server.blind(row, increment(Q2, 5));
    FastServer elsewhere = new FastServer(ConflictLevel.ROW);
    elsewhere.region.recent().openedBelow(t(1));
    assertThat(elsewhere.run(knowing(t(1), first.again()), row).get(0).kind())
        .isEqualTo(Kind.COMMITTED);
    server.region.recent().openedBelow(t(2));
    assertThatThrownBy(() -> server.run(first, row))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.refusal().code()).isEqualTo(Code.BELOW_SAFE_POINT);
              assertThat(refused.refusal().winnerCommitTimestamp()).isEqualTo(t(2));
            });
    assertThat(value(row, Q2)).isEqualTo(number(5));
    // Repeated here, it is found.
    assertThat(server.run(first.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
    // What is sent by somebody who knows of the opening is carried out.
    FastOperation later = server.blind(row, increment(Q2, 1)).withFirstMark(t(2));
    assertThat(server.run(later, row).kind()).isEqualTo(Kind.COMMITTED);
  }

  /**
   * The region has been elsewhere, and its server there has said that the operation was not and
   * will not be applied; a repetition is still on its way to here.
   */
  @Test
  void aRepetitionThatWasHeldUpWhileItsRegionMovedAwayAndBackDoesNotBelieveALookUp()
      throws Exception {
    FastOperation first = server.blind(row, increment(Q2, 5));
    FastServer elsewhere = new FastServer(ConflictLevel.ROW);
    elsewhere.region.recent().openedBelow(t(1));
    OperationLookup lookup =
        new OperationLookup(0, row.key(), first.id(), first.firstMark(), Proof.NONE);
    assertThat(elsewhere.run(lookup, row).get(0).kind()).isEqualTo(Kind.NOT_APPLIED);
    server.region.recent().openedBelow(t(2));
    assertThatThrownBy(() -> server.run(knowing(t(1), first.again()), row))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.refusal().code()).isEqualTo(Code.NOT_READY);
              assertThat(refused.refusal().winnerCommitTimestamp()).isEqualTo(t(2));
            });
    assertThat(value(row, Q2)).isNull();
    OneRegionCommit commit = commit(t(1), row.key()).again(t(1), IssueProof.NONE);
    refused(Code.NOT_READY, () -> server.run(commit, row));
    // Who repeats it and knows of the opening has not asked since, or has asked here.
    assertThat(server.run(commit.again(t(2), IssueProof.NONE), row).get(0).kind())
        .isEqualTo(Kind.COMMITTED);
    FastOperation other = server.blind(row, increment(Q2, 7));
    assertThat(server.run(knowing(t(2), other.again()), row).get(0).kind())
        .isEqualTo(Kind.COMMITTED);
    // What was applied is found, whatever its session knows.
    server.region.recent().openedBelow(t(3));
    assertThat(server.run(knowing(t(1), other.again()), row).get(0).kind())
        .isEqualTo(Kind.APPLIED_BEFORE);
  }

  /** At the limit nothing is forgotten: what would have to be remembered is refused. */
  @Test
  void whenTooManyOperationsAreInDoubtNothingIsToldThatMightNotStayTrue() throws Exception {
    server.run(server.blind(row, put(Q, "m")), row);
    final FastOperation applied = server.blind(row, increment(Q2, 5));
    server.run(applied, row);
    for (int i = 0; i < FencedAttempts.MAX_OPERATIONS / 2; i++) {
      server
          .region
          .fencedAttempts()
          .add(FastServer.USER, server.nextId(), FencedAttempts.By.REPETITION);
    }
    // Its sender would be told that it was not applied, and then the first attempt comes.
    FastOperation doubtful =
        server.operation(
            row, new Compare(F, Q, Operator.EQUAL, Bytes.utf8("other")), put(Q2, "late"));
    refused(Code.NOT_READY, () -> server.run(doubtful.again(), row));
    FastOperation increment = server.blind(row, increment(Q2, 100));
    refused(Code.NOT_READY, () -> server.run(increment.again(), row));
    assertThat(value(row, Q2)).isEqualTo(number(5));
    OperationLookup lookup = new OperationLookup(0, row.key(), increment.id(), 0, Proof.NONE);
    refused(Code.NOT_READY, () -> server.run(lookup, row));
    // What was found needs no memory, and first attempts need none.
    assertThat(server.run(applied.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(
            server
                .run(new OperationLookup(0, row.key(), applied.id(), 0, Proof.NONE), row)
                .get(0)
                .kind())
        .isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(server.run(increment, row).kind()).isEqualTo(Kind.COMMITTED);
    assertThat(server.run(increment.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(value(row, Q2)).isEqualTo(number(105));
  }

  /** The row is locked meanwhile, and its region cannot be flushed. */
  @Test
  void aLookUpThatWouldReadAHugeRowIsRefused() {
    for (int i = 0; i <= FastRules.MAX_SEARCHED; i++) {
      row.put(F, Bytes.utf8("q" + i), t(1), Bytes.EMPTY);
    }
    OperationLookup lookup = new OperationLookup(0, row.key(), server.nextId(), 0, Proof.NONE);
    refused(Code.TOO_LARGE, () -> server.run(lookup, row));
  }

  /**
   * Below the safe point cells may have been collected: there, not found proves nothing. What the
   * refusal tells is not the safe point, which would have passed it by the time the operation comes
   * again, but the newest timestamp that the server knows of: that is a retention ahead.
   */
  @Test
  void anOperationThatCouldNotBeFoundAgainIsNotApplied() throws Exception { // H5, H9
    FastOperation early = server.blind(row, increment(Q, 5));
    server.safePoint = t(50);
    server.clock.bump(t(60));
    assertThatThrownBy(() -> server.run(early, row))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.refusal().code()).isEqualTo(Code.BELOW_SAFE_POINT);
              assertThat(refused.refusal().winnerCommitTimestamp()).isEqualTo(t(60));
            });
    refused(Code.BELOW_SAFE_POINT, () -> server.run(early.again(), row));
    assertThat(value(row, Q)).isNull();
    server.safePoint = t(59);
    FastOperation marked = server.blind(row, increment(Q, 5)).withFirstMark(t(60));
    assertThat(server.run(marked, row).kind()).isEqualTo(Kind.COMMITTED);
    server.safePoint = t(70);
    // Found is found, wherever the safe point is.
    assertThat(server.run(marked.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
    OperationLookup lookup = new OperationLookup(0, row.key(), server.nextId(), t(60), Proof.NONE);
    assertThat(server.run(lookup, row)).containsExactly(Outcome.of(Kind.NOT_APPLIED, t(70)));
  }

  /** It would end a transaction that is being committed. */
  @Test
  void aStrangersLookUpOfATransaction_tellsWhatWasApplied_andEndsNothing() throws Exception {
    OneRegionCommit commit = commit(t(60), row.key());
    OperationLookup lookup =
        new OperationLookup(0, row.key(), OperationId.ofTransaction(t(60)), t(60), Proof.NONE);
    refused(Code.UNPROVED, () -> server.run(lookup, row));
    Outcome committed = server.run(commit, row).get(0);
    assertThat(committed.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(server.run(lookup, row))
        .containsExactly(Outcome.of(Kind.APPLIED_BEFORE, committed.version()));
    server.safePoint = t(70);
    assertThat(server.run(lookup, new MemoryRow()))
        .containsExactly(Outcome.of(Kind.NOT_APPLIED, t(70)));
  }

  /** What was committed since may have been frozen, below what is expected. */
  @Test
  void whatIsExpectedMustNotBeOlderThanTheSafePoint() throws Exception { // H8
    long seen = server.run(server.blind(row, put(Q, "v")), row).version();
    FastOperation late = server.operation(row, new Unchanged(seen, List.of()), put(Q, "late"));
    server.safePoint = t(50);
    Outcome conflict = server.run(late.withFirstMark(t(50)), row);
    assertThat(conflict).isEqualTo(Outcome.of(Kind.CONFLICT, t(50)));
    FastOperation again = server.operation(row, new Unchanged(t(50), List.of()), put(Q, "new"));
    assertThat(server.run(again.withFirstMark(t(50)), row).kind()).isEqualTo(Kind.COMMITTED);
    // Nothing at all is searched for, however far back.
    MemoryRow empty = new MemoryRow(Bytes.utf8("empty"));
    FastOperation first = server.operation(empty, new Unchanged(0, List.of()), put(Q, "first"));
    assertThat(server.run(first.withFirstMark(t(50)), empty).kind()).isEqualTo(Kind.COMMITTED);
  }

  /**
   * The safe point may move while a row is searched, and what it allows to collect be collected.
   */
  @Test
  void theSafePointThatCountsIsTheOneAfterTheSearch() throws Exception {
    FastOperation increment = server.blind(row, increment(Q, 5));
    row.beforeVisit = () -> server.safePoint = t(90);
    refused(Code.BELOW_SAFE_POINT, () -> server.run(increment.again(), row));
    assertThat(value(row, Q)).isNull();
    OperationLookup lookup = new OperationLookup(0, row.key(), server.nextId(), t(1), Proof.NONE);
    server.safePoint = t(0);
    assertThat(server.run(lookup, row)).containsExactly(Outcome.of(Kind.NOT_APPLIED, t(90)));
  }

  /**
   * A first attempt of a one-region commit: a commit above its snapshot is frozen below it while
   * its rows are searched, and so is not found. Without the second look at the safe point the
   * commit overwrites it: a lost update.
   */
  @Test
  void aOneRegionCommitIsRefusedIfWhatItSearchesForIsCollectedMeanwhile() throws Exception { // H7
    TransactionCell newer =
        TransactionCell.follower(new RowFamily("t", row.key(), MemoryRow.G), 1)
            .withState(TransactionState.COMMITTED, t(110));
    row.put(F, Q, t(90), Bytes.utf8("newer")).put(F, t(90), newer);
    server.safePoint = t(95);
    server.clock.bump(t(300));
    server.region.recent().openedBelow(t(99));
    assertThat(server.run(commit(t(100), row.key()), row).get(0).kind()).isEqualTo(Kind.CONFLICT);
    row.beforeVisit = () -> collectBelow(t(200));
    refused(Code.BELOW_SAFE_POINT, () -> server.run(commit(t(100), row.key()), row));
    assertThat(row.has(F, Q, FamilyCollector.frozen(t(90)))).isTrue();
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("newer"));
  }

  /** The safe point arrives, and a compaction of all files acts on it. */
  private void collectBelow(long safePoint) {
    server.safePoint = safePoint;
    try {
      row.collect(new CollectionScope(safePoint, true, 1, FamilyRetention.DEFAULT));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As its session sends it. */
  private static FastWrite knowing(long mark, FastOperation operation) {
    return new FastWrite(0, mark, false, List.of(operation));
  }

  private static OneRegionCommit commit(long start, Bytes key) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    List<RowIntents> intents = List.of(new RowIntents(key, List.of(family)));
    return new OneRegionCommit(
        start, 0, 0, ConflictLevel.ROW, false, intents, Proofs.OPEN.grant(start, 0));
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }
}
