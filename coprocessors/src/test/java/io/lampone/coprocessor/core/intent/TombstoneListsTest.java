package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.StoredRow.Next;
import io.lampone.coprocessor.core.intent.StoredRow.Selection;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionCell.DeletedColumn;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a reader reads of the lists of a row from which several writers have deleted columns. */
class TombstoneListsTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  private final MemoryRow row = new MemoryRow();
  private final TransactionCells cells = new TransactionCells(row, F);

  @Test
  void listsThatTakeTurnsAreReadOnce() throws Exception {
    int columns = 10_000;
    store(2, columns, 6);
    List<TransactionCell> heads = pass();
    row.shown = 0;
    for (int i = 0; i < columns; i++) {
      assertThat(deletes(heads, i % 2, i, 6)).isTrue();
      assertThat(deletes(heads, 1 - i % 2, i, 6)).isFalse();
    }
    assertThat(row.shown).isEqualTo(2);
  }

  @Test
  void moreListsThanFitAreReadOnceIfEachIsNeededOnce() throws Exception {
    int columns = 500;
    store(5, columns, 35_000);
    List<TransactionCell> heads = pass();
    row.shown = 0;
    for (int list = 0; list < 5; list++) {
      for (int i = list; i < columns; i += 5) {
        assertThat(deletes(heads, list, i, 35_000)).isTrue();
      }
    }
    assertThat(row.shown).isEqualTo(5);
  }

  @Test
  void moreListsThanFitThatTakeTurnsAreNotReadWithoutEnd() throws Exception {
    int columns = 500;
    store(5, columns, 35_000);
    List<TransactionCell> heads = pass();
    row.shown = 0;
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < columns; i++) {
                assertThat(deletes(heads, i % 5, i, 35_000)).isTrue();
              }
            })
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.TOO_LARGE));
    assertThat(row.shown).isBetween(10, 50);
  }

  /** A client can make any number of them, with names of 32 KB each, and no reader needs these. */
  @Test
  void abortedCellsTakeNoMemory() throws Exception {
    for (int i = 0; i < 10; i++) {
      RowFamily leader = new RowFamily("t", name(i, 30_000), F);
      row.put(
          F,
          version(i),
          TransactionCell.follower(leader, 1).withState(TransactionState.ABORTED, 0));
    }
    List<TransactionCell> kept = pass();
    assertThat(kept).hasSize(10).allMatch(cell -> cell == kept.get(0));
    assertThat(kept.get(0).state()).isEqualTo(TransactionState.ABORTED);
    assertThat(kept.get(0).leader()).isEmpty();
  }

  private boolean deletes(List<TransactionCell> heads, int list, int column, int length)
      throws Exception {
    return cells.deletes(version(list), heads.get(list), 0, name(column, length));
  }

  /** Passes all transaction cells, and returns them in the order of their versions. */
  private List<TransactionCell> pass() throws Exception {
    List<TransactionCell> heads = new ArrayList<>();
    row.visit(
        Selection.of(F, List.of(Reserved.TRANSACTION)),
        cell -> {
          heads.add(0, cells.add(cell, false));
          return Next.VERSION;
        });
    return heads;
  }

  /** Stores lists, of which each has its share of the columns. */
  private void store(int lists, int columns, int length) {
    for (int list = 0; list < lists; list++) {
      int own = list;
      List<DeletedColumn> deleted =
          IntStream.range(0, columns)
              .filter(i -> i % lists == own)
              .mapToObj(i -> new DeletedColumn(0, name(i, length)))
              .toList();
      row.put(
          F,
          version(list),
          new TransactionCell(
              TransactionState.FINAL,
              version(list),
              0,
              SlotSet.NONE,
              Optional.empty(),
              List.of(),
              true,
              deleted,
              Tag.NONE));
    }
  }

  private static long version(int list) {
    return BASE + list * Timestamps.TICK + Timestamps.FIRST_FAST_PATH_LOCAL;
  }

  private static Bytes name(int number, int length) {
    return Bytes.utf8(("%0" + length + "d").formatted(number));
  }
}
