package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.ReadSet.Point;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadSetTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes R = Bytes.utf8("r");

  private final ReadSet reads = readSet(3);

  private static ReadSet readSet(int rows) {
    return ReadSet.of(
        new TransactionMode(false, true, true, true), new TransactionLimits(0, 1, 0, rows));
  }

  /** The read of column q of a row, at level ROW. */
  static Point row(String row) {
    return point(ConflictLevel.ROW, row, Set.of(Q));
  }

  private static Point point(ConflictLevel level, String row, Set<Bytes> columns) {
    return new Point("t", level, Bytes.utf8(row), Map.of(Fixture.FAMILY, columns));
  }

  private void wrote(ConflictLevel level, String row, IntentKind kind, Bytes column, int slot) {
    reads.wrote(
        level,
        Fixture.place(row),
        new Write(kind, column, Bytes.EMPTY, FamilyRetention.FOREVER),
        slot);
  }

  @Test
  void atLevelRowTheRowsThatAreWrittenAreProtected() {
    reads.add(row("a"));
    reads.add(row("b"));
    wrote(ConflictLevel.ROW, "a", IntentKind.DELETE_FAMILY, Bytes.EMPTY, 0);
    assertThat(reads.unprotected()).containsExactly(row("b"));
    wrote(ConflictLevel.ROW, "b", IntentKind.PUT, R, 0);
    assertThat(reads.unprotected()).isEmpty();
  }

  @Test
  void atLevelCellOnlyTheVeryColumnsAreProtected() {
    reads.add(point(ConflictLevel.CELL, "a", Set.of(Q, R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.PUT, Q, 0);
    assertThat(reads.unprotected()).containsExactly(point(ConflictLevel.CELL, "a", Set.of(R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.DELETE_FAMILY, Bytes.EMPTY, 0);
    assertThat(reads.unprotected()).containsExactly(point(ConflictLevel.CELL, "a", Set.of(R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.DELETE_COLUMN, R, 0);
    assertThat(reads.unprotected()).isEmpty();
    reads.add(point(ConflictLevel.CELL, "a", Set.of()));
    assertThat(reads.unprotected())
        .as("the whole family")
        .containsExactly(point(ConflictLevel.CELL, "a", Set.of()));
  }

  /** What was read through the transaction's own buffer stays read. */
  @Test
  void z25_whatWasRolledBackProtectsNothing() {
    reads.add(row("a"));
    reads.add(row("b"));
    wrote(ConflictLevel.ROW, "a", IntentKind.PUT, Q, 0);
    wrote(ConflictLevel.ROW, "a", IntentKind.PUT, Q, 1);
    wrote(ConflictLevel.ROW, "b", IntentKind.PUT, Q, 1);
    reads.rolledBackTo(1);
    assertThat(reads.unprotected()).containsExactly(row("b"));
    wrote(ConflictLevel.ROW, "b", IntentKind.PUT, Q, 2);
    assertThat(reads.unprotected()).isEmpty();
    reads.rolledBackTo(0);
    assertThat(reads.unprotected()).hasSize(2);
  }

  @Test
  void readsOfOneRowAreUnited() {
    reads.add(row("a"));
    reads.add(point(ConflictLevel.ROW, "a", Set.of(R)));
    assertThat(reads.unprotected()).containsExactly(point(ConflictLevel.ROW, "a", Set.of(Q, R)));
    reads.add(point(ConflictLevel.ROW, "a", Set.of()));
    reads.add(row("a"));
    assertThat(reads.unprotected()).containsExactly(point(ConflictLevel.ROW, "a", Set.of()));
  }

  @Test
  void tooManyRowsAreRefusedWithTheNameOfTheLimit() {
    for (String row : new String[] {"a", "b", "c", "a"}) {
      reads.add(row(row));
    }
    assertThatThrownBy(() -> reads.add(row("d")))
        .isInstanceOfSatisfying(
            IllegalUseException.class, failure -> assertThat(failure.isLimit()).isTrue())
        .hasMessageContaining("lampone.client.read.set.rows");
    assertThat(reads.unprotected()).hasSize(3);
  }

  @Test
  void aChangedConflictLevelEndsTheTransaction() {
    reads.add(row("a"));
    assertThatThrownBy(() -> reads.add(point(ConflictLevel.CELL, "b", Set.of())))
        .isInstanceOf(TransactionEndedException.class);
  }

  @Test
  void nothingIsKeptWhereNothingHasToBeCertified() {
    for (TransactionMode mode :
        new TransactionMode[] {
          new TransactionMode(false, true, true), new TransactionMode(true, true, true, true)
        }) {
      ReadSet none = ReadSet.of(mode, TransactionLimits.DEFAULT);
      none.add(row("a"));
      assertThat(none.isKept()).isFalse();
      assertThat(none.unprotected()).isEmpty();
    }
  }
}
