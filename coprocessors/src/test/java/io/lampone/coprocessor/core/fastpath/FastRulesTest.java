package io.lampone.coprocessor.core.fastpath;

import static io.lampone.coprocessor.core.FastServer.append;
import static io.lampone.coprocessor.core.FastServer.delete;
import static io.lampone.coprocessor.core.FastServer.deleteFamily;
import static io.lampone.coprocessor.core.FastServer.increment;
import static io.lampone.coprocessor.core.FastServer.number;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.FastServer.value;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.clock.ExhaustedException;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.IntentRules;
import io.lampone.coprocessor.core.intent.KnownRows;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.RowDecision;
import io.lampone.coprocessor.core.intent.SettledRows;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** What becomes of writes that are committed at birth. */
class FastRulesTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes Q2 = Bytes.utf8("q2");
  private static final Bytes EARLY = Bytes.EMPTY; // sorts before the reserved columns

  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final FastServer cellServer = new FastServer(ConflictLevel.CELL);
  private final MemoryRow row = new MemoryRow();

  @Test
  void aPutIsOneCellAndTheVersionsOfAKeyIncrease() throws Exception {
    Outcome first = server.run(server.blind(row, put(Q, "v")), row);
    assertThat(first.kind()).isEqualTo(Kind.COMMITTED);
    row.shown = 0;
    Outcome second = server.run(server.blind(row, put(Q, "w")), row);
    assertThat(row.shown).isZero(); // nothing is read but transaction cells, and there are none
    assertThat(second.version()).isGreaterThan(first.version());
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("w"));
    assertThat(row.has(F, io.lampone.protocol.Reserved.TRANSACTION, second.version())).isFalse();
  }

  @Test
  void aVersionIsAboveEveryCommitOfTheRowThoughTheClockHasNotHeardOfIt() throws Exception { // H1
    committed(F, t(1), t(900));
    Outcome outcome = server.run(server.blind(row, put(Q, "v")), row);
    assertThat(outcome.version()).isGreaterThan(t(900));
  }

  @Test
  void anIntentIsInTheWayAndIsNamed() throws Exception {
    row.put(G, t(3), TransactionCell.follower(place(F), 1));
    Outcome outcome = server.run(server.blind(row, put(Q, "v")), row);
    assertThat(outcome.kind()).isEqualTo(Kind.BUSY);
    assertThat(outcome.blocker().orElseThrow().startTimestamp()).isEqualTo(t(3));
    assertThat(outcome.blocker().orElseThrow().leader()).isEqualTo(place(F));
    assertThat(value(row, Q)).isNull();
  }

  @Test
  void atLevelCellAnIntentOnAnotherColumnIsNotInTheWayAndACoveringOneIs() throws Exception { // H15
    row.put(F, t(3), TransactionCell.leader(List.of(), false, 1));
    row.put(F, Q2, t(3), Bytes.utf8("tentative"));
    assertThat(cellServer.run(cellServer.blind(row, put(Q, "v")), row).kind())
        .isEqualTo(Kind.COMMITTED);
    Outcome busy = cellServer.run(cellServer.blind(row, put(Q2, "v")), row);
    assertThat(busy.kind()).isEqualTo(Kind.BUSY);
    assertThat(busy.blocker().orElseThrow().leader()).isEqualTo(place(F));
    assertThat(cellServer.run(cellServer.blind(row, deleteFamily(F)), row).kind())
        .isEqualTo(Kind.BUSY);
  }

  @Test
  void atLevelCellAnIntentBelowALaterCommitOfAnotherColumnIsInTheWay() throws Exception { // H16
    row.put(F, t(3), TransactionCell.leader(List.of(), false, 1));
    row.put(F, Q, t(3), Bytes.utf8("tentative"));
    committed(F, t(4), t(5));
    row.put(F, Q2, t(4), Bytes.utf8("later"));
    assertThat(cellServer.run(cellServer.blind(row, put(Q, "v")), row).kind()).isEqualTo(Kind.BUSY);
  }

  @Test
  void anAbortedIntentIsNotThere() throws Exception {
    row.put(F, t(3), TransactionCell.leader(List.of(), true, 1).withState(ABORTED, 0));
    row.put(F, Q, t(3), Bytes.utf8("aborted"));
    assertThat(server.run(server.blind(row, put(Q, "v")), row).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void aConditionalWriteFailsAfterAnyCommitInItsScope() throws Exception {
    long seen = server.run(server.blind(row, put(Q, "v")), row).version();
    assertThat(putIf(server, Q, seen).kind()).isEqualTo(Kind.COMMITTED);
    Outcome late = putIf(server, Q, seen);
    assertThat(late.kind()).isEqualTo(Kind.CONFLICT);
    assertThat(late.version()).isGreaterThan(seen);
    // At level ROW the whole row is meant, in every family: H15.
    committed(G, t(500), t(600));
    assertThat(putIf(server, Q, late.version()).version()).isEqualTo(t(600));
  }

  @Test
  void atLevelCellAConditionalWriteMeetsTheDeleteOfItsFamily() throws Exception {
    long seen = cellServer.run(cellServer.blind(row, put(Q, "v")), row).version();
    cellServer.run(cellServer.blind(row, deleteFamily(F)), row);
    assertThat(putIf(cellServer, Q, seen).kind()).isEqualTo(Kind.CONFLICT);
  }

  @Test
  void aDeleteCountsAsACommitAndNothingAsZero() throws Exception { // H16
    assertThat(putIf(server, Q, 0).kind()).isEqualTo(Kind.COMMITTED);
    long deleted = server.run(server.blind(row, delete(Q)), row).version();
    assertThat(value(row, Q)).isNull();
    Outcome conflict = putIf(server, Q, deleted - 1);
    assertThat(conflict.kind()).isEqualTo(Kind.CONFLICT);
    assertThat(conflict.version()).isEqualTo(deleted);
    assertThat(putIf(server, Q, deleted).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void theExpectedVersionIsACommitTimestampAndNeverACellVersion() throws Exception { // H16
    committed(F, t(1), t(9));
    row.put(F, Q, t(1), Bytes.utf8("v"));
    assertThat(putIf(server, Q, t(8)).version()).isEqualTo(t(9));
    assertThat(putIf(cellServer, Q, t(8)).version()).isEqualTo(t(9));
    assertThat(putIf(cellServer, Q, t(9)).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void atLevelCellTheScopeIsWhatWasRead() throws Exception {
    long seen = cellServer.run(cellServer.blind(row, put(Q, "v")), row).version();
    cellServer.run(cellServer.blind(row, put(Q2, "w")), row);
    assertThat(putIf(cellServer, Q, seen).kind()).isEqualTo(Kind.COMMITTED);
    Unchanged read = new Unchanged(seen, List.of(Place.column(F, Q2)));
    assertThat(cellServer.run(cellServer.operation(row, read, put(Q, "x")), row).kind())
        .isEqualTo(Kind.CONFLICT);
    Unchanged whole = new Unchanged(seen, List.of());
    assertThat(cellServer.run(cellServer.operation(row, whole, put(Q, "x")), row).kind())
        .isEqualTo(Kind.CONFLICT);
  }

  @Test
  void aWriterThatMayNotKnowAnIndexIsInConflict_butNotItsEarlierAttempt() throws Exception {
    FastOperation known =
        server.operation(row, new FastCondition.SchemaUnchanged(t(4)), put(Q, "v"));
    server.schemaFloor = t(4);
    long version = server.run(known, row).version();
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("v"));
    server.schemaFloor = t(5);
    FastOperation unknown =
        server.operation(row, new FastCondition.SchemaUnchanged(t(4)), put(Q, "w"));
    Outcome conflict = server.run(unknown, row);
    assertThat(conflict.kind()).isEqualTo(Kind.CONFLICT);
    assertThat(conflict.version()).isEqualTo(t(5)); // which the session knows from then on
    Outcome again = server.run(known.again(), row);
    assertThat(again.kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(again.version()).isEqualTo(version);
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("v"));
    assertThat(server.run(server.blind(row, put(Q, "x")), row).kind()).isEqualTo(Kind.COMMITTED);
  }

  @Test
  void aDeletedColumnIsGoneAndAnEmptyValueIsNot() throws Exception { // B5
    for (Bytes column : List.of(Q, EARLY)) {
      server.run(server.blind(row, put(column, "v")), row);
      server.run(server.blind(row, delete(column)), row);
      assertThat(value(row, column)).isNull();
      server.run(server.blind(row, put(column, "")), row);
      assertThat(value(row, column)).isEqualTo(Bytes.EMPTY);
    }
    server.run(server.blind(row, put(Q, ""), delete(Q2)), row);
    assertThat(value(row, Q)).isEqualTo(Bytes.EMPTY);
    assertThat(value(row, Q2)).isNull();
  }

  @Test
  void aDeletedFamilyKeepsWhatWasPutAfterwards() throws Exception {
    server.run(server.blind(row, put(Q, "old"), put(Q2, "old")), row);
    server.run(server.blind(row, put(Q2, "before"), deleteFamily(F), put(Q, "after")), row);
    assertThat(value(row, Q)).isEqualTo(Bytes.utf8("after"));
    assertThat(value(row, Q2)).isNull();
  }

  @Test
  void aDeletedRowHasNothingInAnyFamily() throws Exception {
    server.run(server.blind(row, put(Q, "v")), row);
    row.put(G, Q, t(-1) + 200, Bytes.utf8("g"));
    FastOperation.Mutation all =
        new FastOperation.Mutation(
            FastOperation.Kind.DELETE_ROW, Bytes.EMPTY, Bytes.EMPTY, Bytes.EMPTY);
    server.run(server.blind(row, all), row);
    assertThat(value(row, Q)).isNull();
    assertThat(ColumnValue.read(row, "t", Place.column(G, Q), 0).value()).isNull();
  }

  @Test
  void incrementsAndAppendsBuildOnWhatIsCommitted() throws Exception {
    Outcome outcome = server.run(server.blind(row, increment(Q, 5), append(Q2, "a")), row);
    assertThat(outcome.cells())
        .containsExactly(new ResultCell(F, Q, number(5)), new ResultCell(F, Q2, Bytes.utf8("a")));
    outcome = server.run(server.blind(row, increment(Q, -7), increment(Q, 1)), row);
    assertThat(outcome.cells()).containsExactly(new ResultCell(F, Q, number(-1)));
    server.run(server.blind(row, delete(Q), increment(Q, 3)), row);
    assertThat(value(row, Q)).isEqualTo(number(3));
    committed(F, t(500), t(600));
    row.put(F, Q, t(500), number(40));
    server.run(server.blind(row, increment(Q, 2)), row);
    assertThat(value(row, Q)).isEqualTo(number(42));
  }

  @Test
  void anIncrementOfSomethingElseThanANumberFailsAndWritesNothing() throws Exception {
    server.run(server.blind(row, put(Q, "text"), put(Q2, "old")), row);
    assertThat(server.run(server.blind(row, put(Q2, "new"), increment(Q, 1)), row).kind())
        .isEqualTo(Kind.BAD_VALUE);
    assertThat(value(row, Q2)).isEqualTo(Bytes.utf8("old"));
  }

  /** The commit of the intent is older than the newest commit of the row, and not yet healed. */
  @Test
  void anIncrementDoesNotReadAroundAnIntentBelowALaterCommit() throws Exception {
    row.put(F, t(3), TransactionCell.follower(place(G), 1));
    row.put(F, Q, t(3), number(10));
    committed(F, t(5), t(6));
    assertThat(server.run(server.blind(row, increment(Q, 1)), row).kind()).isEqualTo(Kind.BUSY);
    // Nor do those of other columns go on without it, whichever is built first.
    assertThat(server.run(server.blind(row, append(Q, "a"), append(Q2, "a")), row).kind())
        .isEqualTo(Kind.BUSY);
    assertThat(server.run(server.blind(row, append(Q2, "a"), append(Q, "a")), row).kind())
        .isEqualTo(Kind.BUSY);
    assertThat(value(row, Q2)).isNull();
    assertThat(compare(Operator.EQUAL, "").kind()).isEqualTo(Kind.BUSY);
  }

  @Test
  void comparisonsMeanWhatTheyMeanToHBase() throws Exception {
    assertThat(compare(Operator.EQUAL, "").kind()).isEqualTo(Kind.COMMITTED); // absent
    assertThat(compare(Operator.NOT_EQUAL, "").kind()).isEqualTo(Kind.CONDITION_FALSE);
    assertThat(compare(Operator.EQUAL, "m").kind()).isEqualTo(Kind.CONDITION_FALSE);
    server.run(server.blind(row, put(Q, "m")), row);
    assertThat(compare(Operator.EQUAL, "m").kind()).isEqualTo(Kind.COMMITTED);
    assertThat(compare(Operator.NOT_EQUAL, "").kind()).isEqualTo(Kind.COMMITTED);
    // The given value stands on the left.
    assertThat(compare(Operator.LESS, "a").kind()).isEqualTo(Kind.COMMITTED);
    assertThat(compare(Operator.LESS, "z").kind()).isEqualTo(Kind.CONDITION_FALSE);
    assertThat(compare(Operator.GREATER_OR_EQUAL, "m").kind()).isEqualTo(Kind.COMMITTED);
    assertThat(compare(Operator.GREATER, "m").kind()).isEqualTo(Kind.CONDITION_FALSE);
  }

  @Test
  void aRepeatedOperationIsAppliedOnceAndReturnsItsResult() throws Exception { // E4, H9
    FastOperation increment = server.blind(row, increment(Q, 5));
    long version = server.run(increment, row).version();
    server.run(server.blind(row, increment(Q, 100)), row);
    Outcome again = server.run(increment.again(), row);
    assertThat(again.kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(again.version()).isEqualTo(version);
    assertThat(again.cells()).containsExactly(new ResultCell(F, Q, number(5)));
    assertThat(value(row, Q)).isEqualTo(number(105));
    FastOperation lost = server.blind(row, increment(Q, 1));
    assertThat(server.run(lost.again(), row).kind()).isEqualTo(Kind.COMMITTED);
    assertThat(server.run(lost.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
    assertThat(value(row, Q)).isEqualTo(number(106));
  }

  @Test
  void aConditionalWriteThatWasAppliedIsNoConflictWithItself() throws Exception { // E4
    Unchanged nothing = new Unchanged(0, List.of());
    FastOperation write = server.operation(row, nothing, put(Q, "v"));
    assertThat(server.run(write, row).kind()).isEqualTo(Kind.COMMITTED);
    assertThat(server.run(write.again(), row).kind()).isEqualTo(Kind.APPLIED_BEFORE);
  }

  @Test
  void aFirstAttemptThatComesAfterItsRepetitionIsRefused() throws Exception { // E4
    FastOperation increment = server.blind(row, increment(Q, 5));
    server.run(increment.again(), row);
    refused(Code.SUPERSEDED, () -> server.run(increment, row));
    assertThat(value(row, Q)).isEqualTo(number(5));
  }

  @Test
  void whoIsToldThatAnOperationWasNotAppliedMayRelyOnIt() throws Exception { // H9
    FastOperation increment = server.blind(row, increment(Q, 5));
    OperationLookup lookup = new OperationLookup(0, row.key(), increment.id(), 0, Proof.NONE);
    assertThat(server.run(lookup, row)).containsExactly(Outcome.of(Kind.NOT_APPLIED, t(0)));
    refused(Code.SUPERSEDED, () -> server.run(increment, row));
    refused(Code.SUPERSEDED, () -> server.run(increment.again(), row));
    FastOperation other = server.blind(row, increment(Q, 5));
    long version = server.run(other, row).version();
    lookup = new OperationLookup(0, row.key(), other.id(), 0, Proof.NONE);
    assertThat(server.run(lookup, row)).containsExactly(Outcome.of(Kind.APPLIED_BEFORE, version));
  }

  @Test
  void anAtomicWriteOfSeveralRowsIsAllOrNothing() throws Exception {
    MemoryRow other = new MemoryRow(Bytes.utf8("row2"));
    other.put(F, t(3), TransactionCell.follower(place(G), 1));
    assertThat(server.run(both(true, other), row, other))
        .extracting(Outcome::kind)
        .containsExactly(Kind.NOT_APPLIED, Kind.BUSY);
    assertThat(value(row, Q)).isNull();
    server.region.inFlight().awaitAll(Long.MAX_VALUE);
    assertThat(server.run(both(false, other), row, other))
        .extracting(Outcome::kind)
        .containsExactly(Kind.COMMITTED, Kind.BUSY);
    MemoryRow third = new MemoryRow(Bytes.utf8("row3"));
    FastWrite all = both(true, third);
    List<Outcome> outcomes = server.run(all, row, third);
    assertThat(outcomes.get(0)).isEqualTo(outcomes.get(1));
    FastWrite again =
        new FastWrite(0, 0, true, all.operations().stream().map(FastOperation::again).toList());
    assertThat(server.run(again, row, third))
        .extracting(Outcome::kind)
        .containsOnly(Kind.APPLIED_BEFORE);
  }

  @Test
  void aOneRegionCommitIsOneVersionOnAllRows() throws Exception {
    MemoryRow other = new MemoryRow(Bytes.utf8("row2"));
    List<Outcome> outcomes = server.run(commit(t(5), false, row, other), row, other);
    assertThat(outcomes).extracting(Outcome::kind).containsOnly(Kind.COMMITTED);
    assertThat(outcomes.get(0).version()).isEqualTo(outcomes.get(1).version());
    assertThat(outcomes.get(0).version()).isGreaterThan(t(5));
    assertThat(server.run(commit(t(5), true, row, other), row, other))
        .extracting(Outcome::kind)
        .containsOnly(Kind.APPLIED_BEFORE);
    OperationLookup lookup =
        new OperationLookup(
            0, row.key(), OperationId.ofTransaction(t(5)), t(5), Proofs.OPEN.grant(t(5), 0));
    assertThat(server.run(lookup, row))
        .containsExactly(Outcome.of(Kind.APPLIED_BEFORE, outcomes.get(0).version()));
  }

  @Test
  void aOneRegionCommitLosesAgainstEverythingAboveItsSnapshot() throws Exception {
    server.clock.bump(t(5));
    long version = server.run(server.blind(row, put(Q2, "fast")), row).version();
    assertThat(server.run(commit(t(5), false, row), row))
        .containsExactly(Outcome.of(Kind.CONFLICT, version));
    assertThat(server.run(commit(t(6), false, row), row).get(0).kind()).isEqualTo(Kind.COMMITTED);
    committed(G, t(7), t(700));
    assertThat(server.run(commit(t(8), false, row), row))
        .containsExactly(Outcome.of(Kind.CONFLICT, t(700)));
  }

  @Test
  void aOneRegionCommitDoesNotPassIntentsAndNotItsOwn() throws Exception {
    row.put(F, t(3), TransactionCell.follower(place(G), 1));
    assertThat(server.run(commit(t(5), false, row), row).get(0).kind()).isEqualTo(Kind.BUSY);
    refused(Code.MALFORMED, () -> server.run(commit(t(3), false, row), row));
  }

  @Test
  void aWriterWithoutATickDecidesNothingAndLetsReadersGo() throws Exception { // H16
    LocalVersionClock empty = new LocalVersionClock();
    FastRegion region =
        FastRegion.opened(
            empty,
            new SettledRows(),
            new KnownRows(),
            new FencedAttempts(SystemClock.INSTANCE),
            () -> {});
    TableRules rules = new TableRules("t", ConflictLevel.ROW, t(0), 0);
    FastAttempt attempt =
        new FastAttempt(
            new FastWrite(0, 0, false, List.of(server.blind(row, put(Q, "v")))),
            new FastAttempt.Setting("alice", region, rules, () -> t(0), true));
    assertThatThrownBy(() -> attempt.decide(List.of(row))).isInstanceOf(ExhaustedException.class);
    region.inFlight().awaitAll(Long.MAX_VALUE);
  }

  @Test
  void aRegularWriterMeetsAFastPathVersionInAnyColumnOfTheRow() throws Exception { // E6, H15
    server.clock.bump(t(5));
    server.run(server.blind(row, put(Q2, "fast")), row);
    refused(Code.CONFLICT, () -> flush(t(5)));
    flush(t(6));
  }

  /** What regular writers pay for the fast path, in cells that are read. */
  @Test
  void aRegularWriterReadsNoDataOfAWideRowThatNobodyHasWrittenLately() throws Exception {
    for (int i = 0; i < 1_000; i++) {
      row.put(F, Bytes.utf8("c" + i), t(-1) + 128, Bytes.utf8("v"));
    }
    row.shown = 0;
    flush(t(6));
    assertThat(row.shown).isZero();
    server.run(server.blind(new MemoryRow(), put(Q, "v")), new MemoryRow());
    row.shown = 0;
    flush(t(6));
    assertThat(row.shown).isLessThan(10); // only versions above its snapshot, and its own cells
  }

  private static final TransactionState ABORTED = TransactionState.ABORTED;

  private RowDecision flush(long start) throws Exception {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("regular"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    RowIntents intents = new RowIntents(row.key(), List.of(family));
    Flush flush =
        new Flush(
            start,
            0,
            ConflictLevel.ROW,
            place(F),
            1,
            List.of(intents),
            Proofs.OPEN.grant(start, 0));
    return new IntentRules("t", ConflictLevel.ROW, t(0), server.region.recent())
        .decide(flush, intents, row);
  }

  private FastWrite both(boolean atomic, MemoryRow other) {
    FastOperation first = server.blind(row, put(Q, "v"));
    FastOperation second = server.blind(other, put(Q, "v"));
    return new FastWrite(0, 0, atomic, List.of(first, second));
  }

  private static RegionRequest commit(long start, boolean repeated, MemoryRow... rows) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("one"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    List<RowIntents> intents =
        java.util.Arrays.stream(rows).map(r -> new RowIntents(r.key(), List.of(family))).toList();
    return new OneRegionCommit(
        start, 0, 0, ConflictLevel.ROW, repeated, intents, Proofs.OPEN.grant(start, 0));
  }

  private Outcome putIf(FastServer on, Bytes qualifier, long version) throws Exception {
    Unchanged unchanged = new Unchanged(version, List.of(Place.column(F, qualifier)));
    return on.run(on.operation(row, unchanged, put(qualifier, "if")), row);
  }

  private Outcome compare(Operator operator, String value) throws Exception {
    Compare compare = new Compare(F, Q, operator, Bytes.utf8(value));
    return server.run(server.operation(row, compare, put(Q2, "then")), row);
  }

  private void committed(Bytes family, long start, long commit) {
    server.region.settled().forget(row.key()); // as a request that commits does
    row.put(
        family,
        start,
        TransactionCell.follower(place(F), 1).withState(TransactionState.COMMITTED, commit));
  }

  private static RowFamily place(Bytes family) {
    return new RowFamily("t", MemoryRow.ROW, family);
  }

  private static void refused(Code code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(code));
  }
}
