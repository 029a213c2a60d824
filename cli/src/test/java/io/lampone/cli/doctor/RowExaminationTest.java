package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.junit.jupiter.api.Test;

/** Planted faults of each kind that one row can have. */
final class RowExaminationTest {

  private static final long OLD = Timestamps.PLAIN_LIMIT + (1L << 40);
  private static final long OLD_BELOW = OLD + (1L << 30);
  private static final long YOUNG = OLD_BELOW + (1L << 20);
  private static final long BOUND = YOUNG + (1L << 30);
  private static final RowFamily ELSEWHERE =
      new RowFamily("other", Bytes.utf8("leader"), Bytes.utf8("f"));

  private final RowExamination examination = new RowExamination("t", BOUND, OLD_BELOW, false);

  @Test
  void whatShouldBeThereIsNoFinding() {
    examine(
        data(OLD),
        transaction(OLD, follower().withState(TransactionState.COMMITTED, OLD + 256)),
        data(OLD + 512 + 3),
        transaction(OLD + 512, leader(true).withState(TransactionState.FINAL, OLD + 1024)),
        data(OLD + 2048 + 200),
        data(1_700_000_000_000L),
        data(1_700_000_000_000_000L),
        data(YOUNG),
        transaction(YOUNG, follower()));
    assertThat(examination.findings()).isEmpty();
    assertThat(examination.followers()).isEmpty();
  }

  /** The limit holds for what flushes leave, not for one call of the fast path. */
  @Test
  void aLongListOfDeletedColumnsIsAFindingUnlessItIsCommittedAtBirth() {
    Bytes name = Bytes.utf8("c".repeat(30));
    TransactionCell list =
        new TransactionCell(
            TransactionState.FINAL,
            OLD + 200,
            0,
            SlotSet.NONE,
            Optional.empty(),
            List.of(),
            true,
            Collections.nCopies(10_000, new DeletedColumn(0, name)),
            Tag.NONE);
    examine(transaction(OLD + 200, list));
    assertThat(ailments()).isEmpty();
    examine(transaction(OLD, list));
    assertThat(ailments()).containsExactly(Ailment.LONG_CELL);
  }

  @Test
  void anIntentThatShouldHaveEndedIsFoundAndItsLeaderWillBeLookedFor() {
    examine(data(OLD), transaction(OLD, follower()));
    assertThat(ailments()).containsExactly(Ailment.OLD_INTENT);
    assertThat(examination.followers()).extracting(f -> f.id().leader()).containsExactly(ELSEWHERE);
  }

  @Test
  void aCommittedLeaderThatNobodyFinishesIsFound() {
    examine(transaction(OLD, leader(false).withState(TransactionState.COMMITTED, OLD + 256)));
    assertThat(ailments()).containsExactly(Ailment.UNFINISHED_LEADER);
    assertThat(examination.findings().get(0).detail()).contains("listed=false");
  }

  /** Reply of a region server without an inspection pass; otherwise it is a fault. */
  @Test
  void aLeaderThatIsNotShownIsNoIllegalOne() {
    Cell cell =
        transaction(
            OLD,
            TransactionCell.follower(
                new RowFamily("", Bytes.utf8("sixteen-byte-tag"), Bytes.EMPTY), 1));
    RowExamination redacted = new RowExamination("t", BOUND, OLD_BELOW, true);
    redacted.examine(new Cell[] {cell});
    assertThat(redacted.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.ailment()).isEqualTo(Ailment.OLD_INTENT);
              assertThat(finding.detail()).contains("leader=not shown");
            });
    assertThat(redacted.followers()).isEmpty();
    examine(cell);
    assertThat(ailments()).containsExactly(Ailment.ILLEGAL_LEADER);
  }

  @Test
  void aVersionThatNobodyHasIssuedIsFoundWhoeverWroteIt() {
    examine(data(BOUND), data(Long.MAX_VALUE - 1), transaction(BOUND + 256, follower()));
    assertThat(examination.findings()).isEmpty();
    assertThat(examination.suspects())
        .hasSize(3)
        .allSatisfy(
            suspect ->
                assertThat(suspect.judge(BOUND))
                    .map(DoctorFinding::ailment)
                    .hasValue(Ailment.IMPOSSIBLE_VERSION));
  }

  @Test
  void whatWasIssuedMeanwhileIsJudgedLikeAnyOther() {
    examine(data(BOUND), transaction(BOUND, follower()), data(BOUND + 512 + 1));
    long risen = BOUND + 1024;
    assertThat(examination.suspects())
        .hasSize(3)
        .flatExtracting(suspect -> suspect.judge(risen).stream().toList())
        .extracting(DoctorFinding::ailment)
        .containsExactly(Ailment.VERSION_WITHOUT_TRANSACTION);
  }

  @Test
  void aVersionWhoseTransactionCellIsMissingOrInAnotherFamilyIsFound() {
    examine(data(OLD + 5), cell("g", Reserved.TRANSACTION.toArray(), OLD, leader(true).encode()));
    assertThat(ailments())
        .containsExactlyInAnyOrder(Ailment.VERSION_WITHOUT_TRANSACTION, Ailment.OLD_INTENT);
  }

  @Test
  void aTransactionCellThatCannotBeReadIsFound() {
    byte[] bytes = follower().encode();
    examine(
        cell("f", Reserved.TRANSACTION.toArray(), OLD, new byte[] {9, 9}),
        cell("f", Reserved.TRANSACTION.toArray(), OLD + 256, Arrays.copyOf(bytes, 7)));
    assertThat(ailments()).containsExactly(Ailment.UNDECODABLE_CELL, Ailment.UNDECODABLE_CELL);
  }

  @Test
  void everyAilmentSaysWhatItIsAndWhatToDo() {
    Set<Ailment> fixable = EnumSet.noneOf(Ailment.class);
    for (Ailment ailment : Ailment.values()) {
      assertThat(ailment.explanation()).isNotBlank();
      assertThat(ailment.advice()).isNotBlank();
      if (ailment.isFixable()) {
        fixable.add(ailment);
        assertThat(ailment.advice()).contains("--fix");
      }
    }
    assertThat(fixable)
        .containsExactly(
            Ailment.WRONG_SCHEMA,
            Ailment.OLD_INTENT,
            Ailment.UNFINISHED_LEADER,
            Ailment.FOLLOWER_WITHOUT_LEADER);
  }

  private void examine(Cell... cells) {
    examination.examine(cells);
  }

  private List<Ailment> ailments() {
    List<Ailment> found = new ArrayList<>();
    examination.findings().forEach(finding -> found.add(finding.ailment()));
    return found;
  }

  private static TransactionCell follower() {
    return TransactionCell.follower(ELSEWHERE, 1);
  }

  private static TransactionCell leader(boolean complete) {
    return TransactionCell.leader(List.of(), complete, 1);
  }

  private static Cell data(long version) {
    return cell("f", new byte[] {'q'}, version, new byte[] {1});
  }

  private static Cell transaction(long start, TransactionCell cell) {
    return cell("f", Reserved.TRANSACTION.toArray(), start, cell.encode());
  }

  private static Cell cell(String family, byte[] qualifier, long version, byte[] value) {
    return CellBuilderFactory.create(CellBuilderType.SHALLOW_COPY)
        .setRow(new byte[] {'r'})
        .setFamily(family.getBytes(java.nio.charset.StandardCharsets.UTF_8))
        .setQualifier(qualifier)
        .setTimestamp(version)
        .setType(Cell.Type.Put)
        .setValue(value)
        .build();
  }
}
