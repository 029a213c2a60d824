package io.lampone.coprocessor.core.visibility;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.Fates;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.coprocessor.core.visibility.FamilyView.Step;
import io.lampone.coprocessor.core.visibility.ReadView.Verdict;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a snapshot sees of one family. */
class FamilyViewTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes EARLY = Bytes.EMPTY;
  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final TransactionCell INTENT =
      TransactionCell.follower(new RowFamily("t", ROW, G), 1);

  private final MemoryRow row = new MemoryRow();

  @Test
  void versionsWithoutTransactionCellAreJudgedByThemselves() {
    SnapshotView view = view(request(t(5), Map.of()));
    assertThat(view.ofCommittedAtBirth(1_700_000_000_000_000L)).isEqualTo(Verdict.VISIBLE); // R13
    assertThat(view.ofCommittedAtBirth(t(4) + 255)).isEqualTo(Verdict.VISIBLE);
    assertThat(view.ofCommittedAtBirth(t(5) + 128)).isEqualTo(Verdict.INVISIBLE);
  }

  @Test
  void onlyAnIntentBelowTheSnapshotIsUndecided() {
    SnapshotView view =
        view(
            request(t(5), Map.of(id(1), Fate.INVISIBLE, id(2), stated(2, 9), id(3), stated(3, 4))));
    assertThat(view.of(t(1), INTENT, row, F)).isEqualTo(Verdict.INVISIBLE);
    assertThat(view.of(t(2), INTENT, row, F)).isEqualTo(Verdict.INVISIBLE);
    assertThat(view.of(t(3), INTENT, row, F)).isEqualTo(Verdict.VISIBLE);
    assertThat(view.of(t(4), INTENT, row, F)).isEqualTo(Verdict.UNDECIDED);
    assertThat(view.of(t(5), INTENT, row, F)).isEqualTo(Verdict.INVISIBLE);
  }

  /** Another leader's fate says nothing of this one. */
  @Test
  void aJudgmentOfAnotherLeaderIsNone() {
    RowFamily own = new RowFamily("t", ROW, F);
    RowFamily stranger = new RowFamily("t", Bytes.utf8("stranger"), F);
    SnapshotView view =
        view(
            request(
                t(5),
                Map.of(
                    new TransactionId(t(1), stranger),
                    Fates.of(new TransactionId(t(1), stranger), t(2)),
                    new TransactionId(t(3), own),
                    Fates.of(new TransactionId(t(3), own), t(4)))));
    assertThat(view.of(t(1), INTENT, row, F)).isEqualTo(Verdict.UNDECIDED);
    assertThat(view.of(t(3), INTENT, row, F)).isEqualTo(Verdict.UNDECIDED);
    TransactionCell leader = TransactionCell.leader(List.of(), true, 1);
    assertThat(view.of(t(3), leader, row, F)).isEqualTo(Verdict.VISIBLE);
    assertThat(view.of(t(3), leader, row, G)).isEqualTo(Verdict.UNDECIDED);
  }

  /** A reader that claims a commit would be shown what has not been committed. */
  @Test
  void aJudgmentWithoutItsLeadersStatementIsNone() {
    RowFamily stranger = new RowFamily("t", Bytes.utf8("stranger"), F);
    for (Tag shown :
        List.of(
            Tag.NONE,
            Fates.of(id(1), t(3)).tag(),
            Fates.of(id(1), 0).tag(),
            Fates.of(id(2), t(2)).tag(),
            Fates.of(new TransactionId(t(1), stranger), t(2)).tag())) {
      SnapshotView view = view(request(t(5), Map.of(id(1), new Fate(t(2), shown))));
      assertThat(view.of(t(1), INTENT, row, F)).isEqualTo(Verdict.UNDECIDED);
    }
  }

  /** M6: a judgment was made when the leader was absent; by now the intent has been healed. */
  @Test
  void aJudgmentIsForgottenWhereTheIntentHasBeenDecidedMeanwhile() {
    SnapshotView view = view(request(t(5), Map.of(id(1), Fate.INVISIBLE, id(2), stated(2, 3))));
    assertThat(view.of(t(1), INTENT.withState(TransactionState.COMMITTED, t(4)), row, F))
        .isEqualTo(Verdict.VISIBLE);
    assertThat(view.of(t(2), INTENT.withState(TransactionState.ABORTED, 0), row, F))
        .isEqualTo(Verdict.INVISIBLE);
  }

  @Test
  void ownWritesAreVisible_exceptThoseOfASlotThatWasRolledBack() {
    SlotSet rolledBack = SlotSet.NONE.with(2);
    SnapshotView own = view(new ReadRequest(t(1), true, 0, rolledBack, Map.of()));
    assertThat(own.of(t(1) + 1, INTENT, row, F)).isEqualTo(Verdict.VISIBLE);
    assertThat(own.of(t(1) + 2, INTENT, row, F)).isEqualTo(Verdict.INVISIBLE);
  }

  /** Its tombstones stay such. */
  @Test
  void aReaderWhoseTransactionAnotherClientHasAbortedSeesItsOwnDeletes() throws Exception {
    row.put(F, t(1), INTENT.withState(TransactionState.COMMITTED, t(2))).put(F, Q, t(1), Q);
    TransactionCell aborted =
        new TransactionCell(
            TransactionState.ABORTED,
            0,
            1,
            SlotSet.NONE,
            INTENT.leader(),
            List.of(),
            false,
            List.of(new DeletedColumn(1, Q)),
            Tag.NONE);
    row.put(F, t(3), aborted).put(F, Q, t(3) + 1, Bytes.EMPTY);
    assertThat(steps(t(3))).containsExactly(Step.SHOW);
    assertThat(steps(row, new ReadRequest(t(3), true, 0, SlotSet.NONE, Map.of()), 0))
        .containsExactly(Step.NEXT_COLUMN);
  }

  @Test
  void aCommitAtTheSnapshotIsNotVisible() {
    SnapshotView view = view(request(t(5), Map.of()));
    assertThat(view.of(t(1), INTENT.withState(TransactionState.COMMITTED, t(5)), row, F))
        .isEqualTo(Verdict.INVISIBLE);
    assertThat(view.of(t(1), INTENT.withState(TransactionState.COMMITTED, t(4)), row, F))
        .isEqualTo(Verdict.VISIBLE);
  }

  @Test
  void anUndecidedTombstoneMattersOnlyWhereSomethingIsBelowIt() throws Exception {
    row.put(F, t(3), INTENT).put(F, Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY);
    assertThat(steps(t(9))).isEmpty();
    row.put(F, t(1), INTENT.withState(TransactionState.COMMITTED, t(2))).put(F, Q, t(1), Q);
    assertThat(steps(t(9))).containsExactly(Step.POINT);
    assertThat(steps(t(3))).containsExactly(Step.SHOW);
  }

  @Test
  void aColumnBeforeTheReservedOnesIsJudgedLikeTheOthers() throws Exception {
    row.put(F, t(1), INTENT.withState(TransactionState.COMMITTED, t(2))).put(F, EARLY, t(1), Q);
    assertThat(steps(t(9))).containsExactly(Step.SHOW);
    row.put(F, t(3), INTENT.withState(TransactionState.COMMITTED, t(4)))
        .put(F, Reserved.FAMILY_TOMBSTONE, t(3), Bytes.EMPTY);
    assertThat(steps(t(9))).containsExactly(Step.NEXT_COLUMN);
  }

  @Test
  void aPointReadOfAHotRowDoesNotReadItsHistory() throws Exception {
    for (int i = 1; i < 4000; i += 2) {
      row.put(F, t(i), INTENT.withState(TransactionState.COMMITTED, t(i + 1)));
      row.put(F, Q, t(i), Q);
    }
    row.shown = 0;
    assertThat(steps(t(9000))).containsExactly(Step.SHOW);
    assertThat(row.shown).isLessThan(5);
  }

  @Test
  void columnsThatWereWrittenOneByOneAreJudgedWithOneReadBeside() throws Exception {
    int columns = 12;
    for (int i = 0; i < columns; i++) {
      row.put(F, t(2 * i + 1), INTENT.withState(TransactionState.COMMITTED, t(2 * i + 2)));
      row.put(F, Bytes.utf8("column" + (char) ('a' + i)), t(2 * i + 1), Q);
    }
    int[] visits = new int[1];
    row.beforeVisit = () -> visits[0]++;
    assertThat(steps(t(9000), 16)).hasSize(columns).containsOnly(Step.SHOW);
    assertThat(visits[0]).isEqualTo(2);
    visits[0] = 0;
    assertThat(steps(t(9000), 0)).hasSize(columns).containsOnly(Step.SHOW);
    // The newest and two more have come by; the others are looked up, after the scan itself.
    assertThat(visits[0]).isEqualTo(1 + columns - 3);
  }

  @Test
  void howManyTransactionCellsAreReadBeforehandChangesNothing() throws Exception {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      MemoryRow some = randomRow(random);
      long snapshot = t(random.nextInt(60));
      List<Step> oneByOne = steps(some, snapshot, 0);
      for (int readAhead : new int[] {1, 2, 5, 16}) {
        assertThat(steps(some, snapshot, readAhead))
            .as("seed %d, round %d, read ahead %d", seed, round, readAhead)
            .isEqualTo(oneByOne);
      }
    }
  }

  private static MemoryRow randomRow(Random random) {
    MemoryRow some = new MemoryRow();
    for (int i = 0; i < 25; i++) {
      long start = t(2 * i + 1);
      Bytes column = Bytes.utf8("column" + random.nextInt(6));
      int kind = random.nextInt(8);
      if (kind == 0) {
        some.put(F, column, start + 200, Q);
        continue;
      }
      TransactionCell cell =
          switch (kind) {
            case 1 -> INTENT;
            case 2 -> INTENT.withState(TransactionState.ABORTED, 0);
            default -> INTENT.withState(TransactionState.COMMITTED, t(2 * i + 2));
          };
      some.put(F, start, cell);
      if (random.nextInt(20) == 0) {
        some.put(F, Reserved.FAMILY_TOMBSTONE, start, Bytes.EMPTY);
      } else {
        some.put(F, random.nextInt(30) == 0 ? EARLY : column, start, Q);
      }
    }
    return some;
  }

  @Test
  void aVersionWithoutItsTransactionCellIsCorrupt() {
    row.put(F, Q, t(1), Q);
    assertThatThrownBy(() -> steps(t(9)))
        .isInstanceOf(Refused.class)
        .hasMessageContaining("CORRUPT");
  }

  /** What is done with the data cells, up to the first that ends its column. */
  private List<Step> steps(long snapshot) throws IOException {
    return steps(snapshot, 0);
  }

  private List<Step> steps(long snapshot, int readAhead) throws IOException {
    return steps(row, snapshot, readAhead);
  }

  private static List<Step> steps(MemoryRow row, long snapshot, int readAhead) throws IOException {
    return steps(row, request(snapshot, Map.of()), readAhead);
  }

  private static List<Step> steps(MemoryRow row, ReadRequest request, int readAhead)
      throws IOException {
    long snapshot = request.snapshot();
    FamilyView view = new FamilyView(view(request), row, F, readAhead);
    List<Step> steps = new ArrayList<>();
    row.visit(
        new Selection(List.of(F), List.of(), 0, Timestamps.highestOwnVersion(snapshot)),
        cell -> {
          if (Reserved.isReserved(cell.qualifier())) {
            return view.reserved(cell) == Step.NEXT_VERSION ? Next.VERSION : Next.COLUMN;
          }
          if (cell.qualifier().compareTo(Reserved.PREFIX) < 0) {
            view.readAside();
          }
          Step step = view.data(cell);
          if (step == Step.NEXT_VERSION) {
            return Next.VERSION;
          }
          steps.add(step);
          return Next.COLUMN;
        });
    return steps;
  }

  private static SnapshotView view(ReadRequest request) {
    return new SnapshotView(
        request, (id, fate) -> Proofs.OPEN.verifyFate(id, fate) == Proofs.Verdict.VALID);
  }

  private static Fate stated(int number, int commit) {
    return Fates.of(id(number), t(commit));
  }

  private static ReadRequest request(long snapshot, Map<TransactionId, Fate> judgments) {
    return new ReadRequest(snapshot, false, 0, SlotSet.NONE, judgments);
  }

  private static TransactionId id(int number) {
    return new TransactionId(t(number), INTENT.leader().orElseThrow());
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
