package io.lampone.coprocessor.core.fastpath;

import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.FastServer.value;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.fastpath.FastPlan.Written;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One-region commits of serializable transactions that have read other rows of the region. */
final class OneRegionReadsTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes Q2 = Bytes.utf8("q2");
  private static final long START = t(5);

  private final MemoryRow written = new MemoryRow(Bytes.utf8("written"));
  private final MemoryRow read = new MemoryRow(Bytes.utf8("read"));
  private FastServer server = new FastServer(ConflictLevel.ROW);

  OneRegionReadsTest() {
    server.clock.bump(START);
  }

  @Test
  void itCommitsIfWhatItReadIsUnchanged() throws Exception {
    fast(new MemoryRow(Bytes.utf8("third")));
    read.put(F, Q, t(2) + 128, Bytes.utf8("before"));
    committed(t(3), t(4));
    Outcome outcome = commit(Q);
    assertThat(outcome.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(outcome.version()).isGreaterThan(START);
    assertThat(value(written, Q)).isEqualTo(Bytes.utf8("one"));
    assertThat(value(read, Q)).isEqualTo(Bytes.utf8("before"));
  }

  @Test
  void aVersionBornAboveItsSnapshotIsAConflict() throws Exception {
    assertConflict(Q, fast(read));
  }

  /** Between the draw of its version and the look at what it has read. */
  @Test
  void aVersionBornBelowItsOwnIsAChangeThoughItComesIntoViewLate() throws Exception {
    FastAttempt other = server.attempt(new FastWrite(0, 0, false, List.of(blind(read))));
    List<Written> born = other.decide(List.of(read));
    assertNotApplied(Q); // under way
    read.apply(born.get(0).writes());
    other.end();
    assertConflict(Q, born.get(0).outcome().version()); // visible
  }

  /** It may have drawn a version below that of the commit, which is known nowhere yet [E1]. */
  @Test
  void aWriteThatIsAboutToDrawMayBeAChange() throws Exception {
    InFlightWrites.Write other = server.region.inFlight().register(List.of(read.key()));
    assertNotApplied(Q);
    other.end();
    assertThat(commit(Q).kind()).isEqualTo(Kind.COMMITTED);
    server.region.inFlight().awaitAll(Long.MAX_VALUE); // for nothing of ours
  }

  @Test
  void aRegularCommitAboveItsSnapshotIsAConflictBelowItsVersion() throws Exception {
    committed(t(3), t(7));
    assertNotApplied(Q); // its version would be smaller
    server.clock.bump(t(8));
    assertConflict(Q, t(7));
  }

  /** Whatever its start: it may have got a smaller commit timestamp already [Z10]. */
  @Test
  void anIntentMayBeAChange() throws Exception {
    for (long start : List.of(t(1), t(4), t(600))) {
      MemoryRow row = new MemoryRow(read.key());
      row.put(F, start, TransactionCell.follower(place(), 1));
      assertThat(commit(server, row, Q).kind()).as("start=%d", start).isEqualTo(Kind.NOT_APPLIED);
    }
  }

  @Test
  void anIntentThatIsAbortedIsNone() throws Exception {
    read.put(F, t(4), TransactionCell.follower(place(), 1).withState(TransactionState.ABORTED, 0));
    assertThat(commit(Q).kind()).isEqualTo(Kind.COMMITTED);
  }

  /** Commits above its snapshot may have been collected while it looked [H7]. */
  @Test
  void theSafePointMustNotHavePassedItsSnapshotAfterTheLook() throws Exception {
    FastServer late =
        new FastServer(ConflictLevel.ROW) {
          private int asked;

          @Override
          protected long safePoint() {
            return ++asked < 3 ? t(0) : START + 1; // after the search of the row that is written
          }
        };
    late.clock.bump(START);
    assertThat(commit(late, read, Q).kind()).isEqualTo(Kind.NOT_APPLIED);
    assertThat(value(written, Q)).isNull();
  }

  @Test
  void atLevelCellOnlyWhatWasReadCounts() throws Exception {
    server = new FastServer(ConflictLevel.CELL);
    server.clock.bump(START);
    assertConflict(Q, fast(read)); // column Q
    assertThat(commit(Q2).kind()).isEqualTo(Kind.COMMITTED);
  }

  /** Meanwhile its version is drawn, and readers of the region may wait for it. */
  @Test
  void ofWhatItReadItLooksAtSoManyCellsAndRows() throws Exception {
    server = new FastServer(ConflictLevel.CELL);
    server.clock.bump(START);
    MemoryRow wide = new MemoryRow(Bytes.utf8("wide"));
    for (int i = 0; i < 50_000; i++) {
      wide.put(F, Bytes.utf8("c" + i), t(2) + 128, Q);
    }
    assertThat(commit(List.of(Place.family(F)), List.of(wide))).isEqualTo(Kind.NOT_APPLIED);
    assertThat(wide.shown).isLessThan(25_000);
    Place column = Place.column(F, Bytes.utf8("c1"));
    assertThat(commit(List.of(column), List.of(wide))).isEqualTo(Kind.COMMITTED);
    for (int rows : new int[] {1_000, 10_000}) {
      List<MemoryRow> many =
          IntStream.range(0, rows).mapToObj(i -> new MemoryRow(Bytes.utf8("r" + i))).toList();
      assertThat(commit(List.of(column), many))
          .isEqualTo(rows == 1_000 ? Kind.COMMITTED : Kind.NOT_APPLIED);
    }
  }

  /** Its version is drawn by then: a failure would leave its outcome in doubt. */
  @Test
  void aRowThatCannotBeReadSendsItTheOrdinaryWay() throws Exception {
    read.put(G, Reserved.TRANSACTION, t(4), Bytes.utf8("no transaction cell"));
    assertNotApplied(Q);
  }

  private Kind commit(List<Place> scope, List<MemoryRow> seen) throws Exception {
    MemoryRow own = new MemoryRow(Bytes.utf8("own"));
    List<RowRead> reads = seen.stream().map(row -> new RowRead(row.key(), scope)).toList();
    FastAttempt attempt = server.attempt(request(START, own, reads, false));
    Kind outcome = attempt.decide(List.of(own), seen).get(0).outcome().kind();
    attempt.end();
    return outcome;
  }

  /** Two that read what the other one writes: one at most commits [Z11]. */
  @Test
  void ofTwoThatReadWhatTheOtherWritesOneCommits() throws Exception {
    FastAttempt first = server.attempt(request(START, written, read, Q, false));
    List<Written> one = first.decide(List.of(written), List.of(read));
    assertThat(one.get(0).outcome().kind()).isEqualTo(Kind.COMMITTED);
    FastAttempt second = server.attempt(request(START, read, written, Q, false));
    assertThat(second.decide(List.of(read), List.of(written)).get(0).outcome().kind())
        .isEqualTo(Kind.NOT_APPLIED);
    second.end();
    written.apply(one.get(0).writes());
    first.end();
    assertThat(value(written, Q)).isEqualTo(Bytes.utf8("one"));
    assertThat(value(read, Q)).isNull();
  }

  /** Its own version on the row that it did not write makes nobody else abort. */
  @Test
  void whatWasGivenUpLeavesNoVersionBehind() throws Exception {
    assertConflict(Q, fast(read));
    MemoryRow other = new MemoryRow(Bytes.utf8("other"));
    FastAttempt writer = server.attempt(request(START, written, other, Q, false));
    assertThat(writer.decide(List.of(written), List.of(other)).get(0).outcome().kind())
        .isEqualTo(Kind.COMMITTED);
    writer.end();
  }

  @Test
  void aRepetitionFindsWhatTheFirstAttemptHasWrittenWhateverHappenedSince() throws Exception {
    long version = commit(Q).version();
    fast(read);
    FastAttempt again = server.attempt(request(START, written, read, Q, true));
    assertThat(again.decide(List.of(written), List.of(read)).get(0).outcome())
        .isEqualTo(Outcome.of(Kind.APPLIED_BEFORE, version));
  }

  private Outcome commit(Bytes column) throws Exception {
    return commit(server, read, column);
  }

  private Outcome commit(FastServer on, MemoryRow seen, Bytes column) throws Exception {
    FastAttempt attempt = on.attempt(request(START, written, seen, column, false));
    try {
      List<Written> result = attempt.decide(List.of(written), List.of(seen));
      written.apply(result.get(0).writes());
      boolean isCommitted = result.get(0).outcome().kind() == Kind.COMMITTED;
      assertThat(attempt.isDrawn()).isEqualTo(isCommitted);
      assertThat(isCommitted || result.get(0).outcome().kind() == Kind.NOT_APPLIED).isTrue();
      assertThat(result).hasSize(isCommitted ? 1 : 2);
      return result.get(result.size() - 1).outcome();
    } finally {
      attempt.end();
    }
  }

  private void assertNotApplied(Bytes column) throws Exception {
    assertThat(commit(column)).isEqualTo(Outcome.of(Kind.NOT_APPLIED, 0));
    assertThat(value(written, Q)).isNull();
  }

  private void assertConflict(Bytes column, long winner) throws Exception {
    assertThat(commit(column)).isEqualTo(Outcome.of(Kind.CONFLICT, winner));
    assertThat(value(written, Q)).isNull();
  }

  private static OneRegionCommit request(
      long start, MemoryRow writes, MemoryRow reads, Bytes column, boolean repeated) {
    RowRead read = new RowRead(reads.key(), List.of(Place.column(F, column)));
    return request(start, writes, List.of(read), repeated);
  }

  private static OneRegionCommit request(
      long start, MemoryRow writes, List<RowRead> reads, boolean repeated) {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("one"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    return new OneRegionCommit(
        start,
        0,
        start,
        ConflictLevel.ROW,
        repeated,
        List.of(new RowIntents(writes.key(), List.of(family))),
        Proofs.OPEN.grant(start, 0),
        IssueProof.NONE,
        reads,
        0);
  }

  private long fast(MemoryRow row) throws Exception {
    return server.run(blind(row), row).version();
  }

  private FastOperation blind(MemoryRow row) {
    return server.blind(row, put(Q, "fast"));
  }

  private void committed(long start, long commit) {
    read.put(
        F,
        start,
        TransactionCell.follower(place(), 1).withState(TransactionState.COMMITTED, commit));
  }

  private static RowFamily place() {
    return new RowFamily("t", Bytes.utf8("elsewhere"), G);
  }
}
