package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.delete;
import static io.lampone.coprocessor.core.FastServer.deleteFamily;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.visibility.RangeCertification;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Certification of a row of a range that a transaction with snapshot 10 and commit timestamp 100
 * has read, at a server whose clock is at 20.
 */
class RangeCertificationTest {

  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");
  private static final Bytes V = Bytes.utf8("v");
  private static final long START = t(10);
  private static final long COMMIT = t(100);
  private static final RowFamily LEADER = new RowFamily("t", Bytes.utf8("elsewhere"), F);
  private static final Map<Bytes, Set<Bytes>> FAMILY = Map.of(F, Set.of());
  private static final Map<Bytes, Set<Bytes>> COLUMN_A = Map.of(F, Set.of(A));

  private final MemoryRow row = new MemoryRow();
  private final Map<TransactionId, Fate> judgments = new HashMap<>();
  private FastServer server;
  private ConflictLevel rules = ConflictLevel.ROW;
  private long safePoint = t(5);
  private long tableFloor = t(1);

  /** Findings in a row. */
  private record Found(long changed, List<Long> undecided) {}

  private static final Found CLEAN = new Found(0, List.of());

  @BeforeEach
  void atLevelRow() {
    at(ConflictLevel.ROW);
  }

  private void at(ConflictLevel level) {
    server = new FastServer(level);
    rules = level;
    server.clock.bump(t(20));
  }

  @Test
  void anEmptyRowIsUnchangedAndTheClockIsRaised() throws IOException {
    assertThat(certify(FAMILY)).isEqualTo(CLEAN);
    assertThat(server.clock.current()).isEqualTo(COMMIT);
  }

  /** A phantom: nothing was there at the snapshot. */
  @Test
  void whatIsBornInBetweenIsFound() throws IOException {
    long born = write(put(A, "v"));
    assertThat(certify(FAMILY)).isEqualTo(changed(born));
    assertThat(certify(COLUMN_A)).isEqualTo(changed(born));
    assertThat(certify(Map.of(G, Set.of()))).as("another family").isEqualTo(CLEAN);
  }

  @Test
  void whatIsBornBeforeAndAfterIsNot() throws IOException {
    row.put(F, A, t(9) + 128, V).put(F, A, t(100) + 128, V);
    server.region.recent().drawn(ROW, t(100) + 128);
    assertThat(certify(FAMILY)).isEqualTo(CLEAN);
  }

  /** The newest one does not hide it. */
  @Test
  void aBirthBelowALaterOneIsFound() throws IOException {
    row.put(F, A, t(30) + 128, V).put(F, A, t(100) + 128, V);
    server.region.recent().drawn(ROW, t(100) + 128);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(30) + 128));
  }

  @Test
  void whereNoneWasDrawnColumnsAreNotLookedAt() throws IOException {
    for (int i = 0; i < 50; i++) {
      row.put(F, Bytes.utf8("c" + i), t(5) + 128, V);
    }
    server.region.recent().openedBelow(t(9));
    assertThat(certify(FAMILY)).isEqualTo(CLEAN);
    assertThat(row.shown).isEqualTo(1);
    server.region.recent().openedBelow(t(50));
    assertThat(certify(FAMILY)).as("the region was opened since").isEqualTo(CLEAN);
    assertThat(row.shown).isEqualTo(50);
  }

  @Test
  void aRegularCommitInBetweenIsFound() throws IOException {
    regular(F, 30, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
    assertThat(certify(Map.of(G, Set.of()))).isEqualTo(CLEAN);
  }

  /** It had begun before the snapshot. */
  @Test
  void theCommitTimestampCounts() throws IOException {
    regular(F, 5, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  @Test
  void whatCommittedBeforeOrAfterOrNotAtAllIsNot() throws IOException {
    regular(F, 120, 130, A);
    regular(F, 50, 110, A);
    regular(F, 40, 0, A);
    regular(F, 5, 9, A);
    assertThat(certify(FAMILY)).isEqualTo(CLEAN);
  }

  /** A snapshot between the two commits has seen only the older one. */
  @Test
  void aCommitBelowALaterOneIsFound() throws IOException {
    regular(F, 50, 110, A);
    regular(F, 30, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  @Test
  void atLevelRowTheSearchEndsAtTheFirstCommitBelow() throws IOException {
    server.region.recent().openedBelow(t(9));
    for (int i = 1; i < 9; i++) {
      regular(F, i, i, A);
    }
    assertThat(certify(FAMILY)).isEqualTo(CLEAN);
    assertThat(row.shown).isEqualTo(1);
  }

  /** They may have been at level CELL. */
  @Test
  void whatBeganBelowTheTablesFloorEndsNoSearch() throws IOException {
    regular(F, 5, 6, B);
    regular(F, 3, 40, A);
    tableFloor = t(8);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  /** It need not have been validated. */
  @Test
  void whatWasRolledBackEndsNoSearch() throws IOException {
    row.put(F, t(5), partlyRolledBack(6));
    regular(F, 3, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  /** Such a request is made where the reader may not see all of the row. */
  @Test
  void aRowOfLevelRowIsCertifiedByColumnsIfTheRequestSaysSo() throws IOException {
    regular(F, 30, 40, B);
    pending(F, 50, B);
    assertThat(certify(COLUMN_A)).as("by the table's level").isEqualTo(changed(t(40)));
    rules = ConflictLevel.CELL;
    assertThat(certify(COLUMN_A)).isEqualTo(CLEAN);
    assertThat(certify(Map.of(F, Set.of(B)))).isEqualTo(changed(t(40)));
    pending(F, 60, A);
    assertThat(certify(COLUMN_A)).isEqualTo(new Found(0, List.of(t(60))));
    judge(60, 0);
    regular(F, 70, 80, Reserved.FAMILY_TOMBSTONE);
    assertThat(certify(COLUMN_A)).isEqualTo(changed(t(80)));
  }

  /** Nothing is scanned for it. */
  @Test
  void aSnapshotThatIsNotReadableAnyMoreIsRefusedAtOnce() {
    safePoint = START + 1;
    regular(F, 30, 40, A);
    assertThatExceptionOfType(Refused.class).isThrownBy(() -> certify(FAMILY));
    assertThat(row.shown).isZero();
  }

  @Test
  void itsOwnIntentsAreNoChange() throws IOException {
    for (ConflictLevel level : ConflictLevel.values()) {
      at(level);
      row.put(F, START, TransactionCell.follower(LEADER, 1)).put(F, A, START, V);
      assertThat(certify(FAMILY)).isEqualTo(CLEAN);
    }
  }

  @Test
  void intentsOfOthersAreJudgedAtTheCommitTimestamp() throws IOException {
    for (ConflictLevel level : ConflictLevel.values()) {
      at(level);
      judgments.clear();
      pending(F, 120, A);
      pending(F, 50, A);
      pending(F, 5, A);
      assertThat(certify(FAMILY)).isEqualTo(new Found(0, List.of(t(50), t(5))));
      judge(50, 0);
      assertThat(certify(FAMILY)).isEqualTo(new Found(0, List.of(t(5))));
      judge(5, 110);
      assertThat(certify(FAMILY)).isEqualTo(CLEAN);
      judge(5, 40);
      assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
      judge(5, 9);
      assertThat(certify(FAMILY)).isEqualTo(CLEAN);
    }
  }

  /** It has reached the row since it was judged [M6]. */
  @Test
  void aJudgmentCountsOnlyForWhatIsStillPending() throws IOException {
    judge(30, 0);
    regular(F, 30, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  @Test
  void z35_atLevelCellTheNewerOneMayHaveCommittedEarlier() throws IOException {
    at(ConflictLevel.CELL);
    regular(F, 5, 6, B);
    regular(F, 3, 40, A);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
    assertThat(certify(COLUMN_A)).isEqualTo(changed(t(40)));
  }

  @Test
  void atLevelCellOnlyTheColumnsThatWereReadCount() throws IOException {
    at(ConflictLevel.CELL);
    write(put(B, "v"));
    regular(F, 30, 40, B);
    pending(F, 50, B);
    assertThat(certify(COLUMN_A)).isEqualTo(CLEAN);
    assertThat(certify(Map.of(F, Set.of(A, B)))).isEqualTo(changed(t(40)));
  }

  @Test
  void atLevelCellDeletesCount() throws IOException {
    at(ConflictLevel.CELL);
    row.put(F, A, t(5) + 128, V);
    long deleted = write(delete(A));
    long familyDeleted = write(deleteFamily(G));
    assertThat(certify(COLUMN_A)).isEqualTo(changed(deleted));
    assertThat(certify(Map.of(F, Set.of(B)))).isEqualTo(CLEAN);
    assertThat(certify(Map.of(G, Set.of(B)))).isEqualTo(changed(familyDeleted));
  }

  /** A tombstone of the family stands in another column than those that it hides. */
  @Test
  void atLevelCellARegularDeleteOfTheFamilyCounts() throws IOException {
    at(ConflictLevel.CELL);
    regular(F, 30, 40, Reserved.FAMILY_TOMBSTONE);
    assertThat(certify(COLUMN_A)).isEqualTo(changed(t(40)));
  }

  @Test
  void atLevelCellWhatWasRolledBackIsNoChange() throws IOException {
    at(ConflictLevel.CELL);
    row.put(F, t(30), partlyRolledBack(40)).put(F, A, t(30) + 1, V).put(F, B, t(30), V);
    assertThat(certify(COLUMN_A)).isEqualTo(CLEAN);
    assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
  }

  /** The empty column sorts before the cells that decide. */
  @Test
  void columnsBeforeTheReservedOnesCountToo() throws IOException {
    for (ConflictLevel level : ConflictLevel.values()) {
      at(level);
      server.region.recent().openedBelow(t(9));
      regular(F, 30, 40, Bytes.EMPTY);
      assertThat(certify(FAMILY)).isEqualTo(changed(t(40)));
      assertThat(certify(Map.of(F, Set.of(Bytes.EMPTY)))).isEqualTo(changed(t(40)));
    }
  }

  /** Another column was written: that alone is no change. */
  @Test
  void atLevelCellARowThatTooManyHaveWrittenSinceIsTakenForChanged() throws IOException {
    at(ConflictLevel.CELL);
    for (int i = 0; i < 10_000; i++) {
      regular(F, -i, 40, B);
    }
    assertThat(certify(COLUMN_A)).isEqualTo(CLEAN);
    regular(F, -10_000, 40, B);
    assertThat(certify(COLUMN_A)).isEqualTo(changed(t(40)));
  }

  /** The transaction cells are read before the column that sorts before them. */
  @Test
  void atLevelCellTheWriterBeyondTheLimitCountsBehindAnEarlyColumnToo() throws IOException {
    at(ConflictLevel.CELL);
    regular(F, -20_000, -15_000, Bytes.EMPTY);
    for (int i = 0; i < 10_000; i++) {
      regular(F, -i, 40, B);
    }
    regular(F, -10_000, 40, A);
    assertThat(certify(Map.of(F, Set.of(Bytes.EMPTY, A)))).isEqualTo(changed(t(40)));
  }

  private static Found changed(long at) {
    return new Found(at, List.of());
  }

  private void regular(Bytes family, int start, int commit, Bytes column) {
    TransactionCell cell = TransactionCell.follower(LEADER, 1);
    row.put(
            family,
            t(start),
            commit == 0
                ? cell.withState(TransactionState.ABORTED, 0)
                : cell.withState(TransactionState.COMMITTED, t(commit)))
        .put(family, column, t(start), V);
  }

  private static TransactionCell partlyRolledBack(int commit) {
    return new TransactionCell(
        TransactionState.COMMITTED,
        t(commit),
        1,
        SlotSet.from(1),
        Optional.of(LEADER),
        List.of(),
        false,
        List.of(),
        Tag.NONE);
  }

  private void pending(Bytes family, int start, Bytes column) {
    row.put(family, t(start), TransactionCell.follower(LEADER, 1)).put(family, column, t(start), V);
  }

  private void judge(int start, int commit) {
    judgments.put(
        new TransactionId(t(start), LEADER),
        commit == 0 ? Fate.INVISIBLE : new Fate(t(commit), Tag.NONE));
  }

  private long write(Mutation mutation) throws IOException {
    Outcome outcome = server.run(server.blind(row, mutation), row);
    assertThat(outcome.kind()).isEqualTo(Kind.COMMITTED);
    return outcome.version();
  }

  private CertifyScan request() {
    return new CertifyScan(
            new CertifyRequest(START, COMMIT, t(1), server.level, IssueProof.NONE), judgments)
        .by(rules);
  }

  /** As a scan of these columns feeds it. */
  private Found certify(Map<Bytes, Set<Bytes>> read) throws IOException {
    row.shown = 0;
    RangeCertification certification =
        RangeCertification.admit(request(), new OfServer(), new Guards());
    List<Long> undecided = new ArrayList<>();
    boolean[] changed = new boolean[1];
    for (Map.Entry<Bytes, Set<Bytes>> family : new TreeMap<>(read).entrySet()) {
      Set<Bytes> columns = new HashSet<>(family.getValue());
      if (!columns.isEmpty()) {
        columns.addAll(List.of(Reserved.TRANSACTION, Reserved.FAMILY_TOMBSTONE));
      }
      certification.enter(row, family.getKey());
      row.visit(
          new Selection(List.of(family.getKey()), columns, 0, COMMIT - 1),
          cell ->
              switch (certification.look(cell)) {
                case NEXT_VERSION -> Next.VERSION;
                case NEXT_COLUMN -> Next.COLUMN;
                case NEXT_FAMILY -> Next.FAMILY;
                case CHANGED -> {
                  changed[0] = true;
                  yield Next.STOP;
                }
                case POINT -> {
                  assertThat(certification.undecidedCell().leader()).contains(LEADER);
                  undecided.add(certification.undecidedStart());
                  yield Next.VERSION;
                }
              });
    }
    return changed[0] ? changed(certification.changedAt()) : new Found(0, undecided);
  }

  private final class OfServer implements RangeCertification.Region {

    @Override
    public long bornAbove(Bytes row, long timestamp) {
      return server.region.recent().bornAbove(row, timestamp);
    }

    @Override
    public long tableFloor() {
      return tableFloor;
    }
  }

  private final class Guards extends OpenGuards {

    @Override
    public void requireReadable(long snapshot) {
      if (snapshot < safePoint) {
        throw Refused.because(Code.BELOW_SAFE_POINT, "too old");
      }
    }

    @Override
    public void bump(long timestamp) {
      server.clock.bump(timestamp);
    }
  }
}
