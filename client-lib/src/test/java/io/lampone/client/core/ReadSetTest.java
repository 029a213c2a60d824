package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.core.OpenTransaction.Write;
import io.lampone.client.core.ReadSet.Point;
import io.lampone.client.core.failure.IllegalUseException;
import io.lampone.client.core.failure.TransactionEndedException;
import io.lampone.client.core.range.RowPosition;
import io.lampone.client.core.range.RowRange;
import io.lampone.client.core.range.ScanProgress;
import io.lampone.client.core.range.ScannedRange;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ReadSetTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes R = Bytes.utf8("r");

  private final ReadSet reads = readSet(3);

  private static ReadSet readSet(int rows) {
    return ReadSet.of(
        new TransactionMode(false, true, true, true), new TransactionLimits(0, 1, 0, rows, 2));
  }

  /** The read of column q of a row, at level ROW. */
  static Point row(String row) {
    return point(ConflictLevel.ROW, row, Set.of(Q));
  }

  private static Point point(ConflictLevel level, String row, Set<Bytes> columns) {
    return new Point("t", level, Bytes.utf8(row), Map.of(Fixture.FAMILY, columns));
  }

  /** The scan of a family from one row to another, at level ROW. */
  static ScannedRange range(String start, String stop) {
    return range(Fixture.FAMILY, Set.of(), start, stop);
  }

  private static ScannedRange range(Bytes family, Set<Bytes> columns, String start, String stop) {
    return new ScannedRange(
        "t",
        ConflictLevel.ROW,
        Map.of(family, columns),
        new RowRange(
            RowPosition.start(Bytes.utf8(start), true), RowPosition.stop(Bytes.utf8(stop), false)));
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
    assertThat(reads.unprotected().points()).containsExactly(row("b"));
    wrote(ConflictLevel.ROW, "b", IntentKind.PUT, R, 0);
    assertThat(reads.unprotected().points()).isEmpty();
  }

  @Test
  void atLevelCellOnlyTheVeryColumnsAreProtected() {
    reads.add(point(ConflictLevel.CELL, "a", Set.of(Q, R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.PUT, Q, 0);
    assertThat(reads.unprotected().points())
        .containsExactly(point(ConflictLevel.CELL, "a", Set.of(R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.DELETE_FAMILY, Bytes.EMPTY, 0);
    assertThat(reads.unprotected().points())
        .containsExactly(point(ConflictLevel.CELL, "a", Set.of(R)));
    wrote(ConflictLevel.CELL, "a", IntentKind.DELETE_COLUMN, R, 0);
    assertThat(reads.unprotected().points()).isEmpty();
    reads.add(point(ConflictLevel.CELL, "a", Set.of()));
    assertThat(reads.unprotected().points())
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
    assertThat(reads.unprotected().points()).containsExactly(row("b"));
    wrote(ConflictLevel.ROW, "b", IntentKind.PUT, Q, 2);
    assertThat(reads.unprotected().points()).isEmpty();
    reads.rolledBackTo(0);
    assertThat(reads.unprotected().points()).hasSize(2);
  }

  @Test
  void readsOfOneRowAreUnited() {
    reads.add(row("a"));
    reads.add(point(ConflictLevel.ROW, "a", Set.of(R)));
    assertThat(reads.unprotected().points())
        .containsExactly(point(ConflictLevel.ROW, "a", Set.of(Q, R)));
    reads.add(point(ConflictLevel.ROW, "a", Set.of()));
    reads.add(row("a"));
    assertThat(reads.unprotected().points())
        .containsExactly(point(ConflictLevel.ROW, "a", Set.of()));
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
    assertThat(reads.unprotected().points()).hasSize(3);
  }

  /** A limit of rows alone admits keys of 32 KB. */
  @Test
  void tooManyBytesOfKeysAreRefusedThoughTheRowsAreFew() {
    String half = "k".repeat(2_000);
    reads.add(row("a" + half));
    reads.add(row("a" + half));
    Bytes column = Bytes.utf8(half);
    for (Point more : List.of(row("b" + half), point(ConflictLevel.ROW, "c", Set.of(column)))) {
      assertTooManyBytes(() -> reads.add(more));
    }
    reads.add(row("d"));
  }

  private static void assertTooManyBytes(ThrowingCallable reading) {
    assertThatThrownBy(reading)
        .isInstanceOfSatisfying(
            IllegalUseException.class, failure -> assertThat(failure.isLimit()).isTrue())
        .hasMessageContaining("bytes of keys")
        .hasMessageContaining("lampone.client.read.set.rows");
  }

  @Test
  void columnsThatScansNameAndRowsAtWhichTheyEndCountToo() {
    String half = "k".repeat(2_000);
    ScannedRange named = range(Fixture.FAMILY, Set.of(Bytes.utf8(half)), "a", "b");
    reads.scan(named, false, 0).completed();
    assertTooManyBytes(() -> reads.add(row(half)));

    ReadSet ended = readSet(3);
    ScanProgress scan = ended.scan(range("a", ""), false, 0);
    scan.returned(Bytes.utf8("b" + half));
    ended.add(row("a" + "k".repeat(900)));
    scan.closed();
    assertTooManyBytes(() -> ended.add(row("a" + "k".repeat(901))));
  }

  @Test
  void ofAScanThatHasReadNothingNoBytesAreKept() {
    for (int i = 0; i < 4; i++) {
      reads.scan(range("a", "b" + "k".repeat(2_000)), false, 0).closed();
    }
    assertThat(reads.unprotected().isEmpty()).isTrue();
  }

  @Test
  void pointsInsideARangeAreNotCertifiedApart() {
    reads.add(row("b"));
    reads.scan(range("a", "c"), false, 0).completed();
    reads.add(row("c"));
    reads.add(row("a"));
    assertThat(reads.unprotected().points()).containsExactly(row("c"));
    assertThat(reads.unprotected().ranges()).containsExactly(range("a", "c"));
  }

  @Test
  void r1_aPointIsDroppedOnlyIfTheRangeCoversWhatWasReadOfIt() {
    Bytes other = Bytes.utf8("g");
    reads.add(row("a"));
    reads.add(
        new Point(
            "t",
            ConflictLevel.ROW,
            Bytes.utf8("b"),
            Map.of(Fixture.FAMILY, Set.of(Q), other, Set.of())));
    reads.scan(range(Fixture.FAMILY, Set.of(R), "a", "z"), false, 0).completed();
    assertThat(reads.unprotected().points()).as("another column").hasSize(2);
    reads.scan(range(Fixture.FAMILY, Set.of(Q, R), "a", "z"), false, 0).completed();
    assertThat(reads.unprotected().points())
        .as("the other family is left")
        .containsExactly(
            new Point("t", ConflictLevel.ROW, Bytes.utf8("b"), Map.of(other, Set.of())));
  }

  @Test
  void namedColumnsDoNotCoverAFamily() {
    reads.add(point(ConflictLevel.ROW, "b", Set.of()));
    reads.scan(range(Fixture.FAMILY, Set.of(Q), "a", "z"), false, 0).completed();
    assertThat(reads.unprotected().points()).hasSize(1);
  }

  @Test
  void tooManyRangesAreRefusedWithTheNameOfTheLimit() {
    reads.scan(range("a", "b"), false, 0).completed();
    reads.scan(range("c", "d"), false, 0);
    assertThatThrownBy(() -> reads.scan(range("e", "f"), false, 0))
        .isInstanceOfSatisfying(
            IllegalUseException.class, failure -> assertThat(failure.isLimit()).isTrue())
        .hasMessageContaining("lampone.client.read.set.ranges");
    assertThat(reads.scan(range("a", "b"), false, 0).isKept()).as("known already").isFalse();
  }

  @Test
  void aScanThatHasReturnedNothingHasReadNothing() {
    reads.scan(range("a", "b"), false, 0).closed();
    reads.scan(range("c", "d"), false, 0);
    assertThat(reads.unprotected().isEmpty()).isTrue();
  }

  @Test
  void aScanUnderWayCounts() {
    ScanProgress scan = reads.scan(range("a", "d"), false, 0);
    scan.returned(Bytes.utf8("b"));
    assertThat(reads.unprotected().ranges().get(0).rows().contains(Bytes.utf8("b"))).isTrue();
    assertThat(reads.unprotected().ranges().get(0).rows().contains(Bytes.utf8("c"))).isFalse();
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
      assertThat(none.unprotected().isEmpty()).isTrue();
    }
  }
}
