package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConflictKeysTest {

  private static final RowFamily PLACE = new RowFamily("t", Bytes.utf8("row"), Bytes.utf8("f"));
  private static final RowFamily OTHER_FAMILY =
      new RowFamily("t", Bytes.utf8("row"), Bytes.utf8("g"));
  private static final Bytes A = Bytes.utf8("a");
  private static final Bytes B = Bytes.utf8("b");

  @Test
  void theHashIsXxHash64() {
    assertThat(XxHash64.hash(new byte[0])).isEqualTo(0xEF46DB3751D8E999L);
    assertThat(XxHash64.hash("a".getBytes(StandardCharsets.UTF_8))).isEqualTo(0xD24EC4F1A98C6E5BL);
    assertThat(XxHash64.hash("abc".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(0x44BC2CF5AD770999L);
    assertThat(
            XxHash64.hash(
                "Nobody inspects the spammish repetition".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(0xFBCEA83C8A378BF1L);
  }

  @Test
  void fencesOfOtherTablesAreKnown() {
    ConflictKeys keys = new ConflictKeys();
    keys.add(
        ConflictLevel.ROW,
        new RowFamily("u", Bytes.utf8("r"), Bytes.utf8("f")),
        IntentKind.PUT,
        Bytes.utf8("q"));
    assertThat(keys.hasFencesOnlyOf("t")).isTrue();
    keys.addFence("t");
    assertThat(keys.hasFencesOnlyOf("t")).isTrue();
    keys.addFence("u");
    assertThat(keys.hasFencesOnlyOf("t")).isFalse();
  }

  @Test
  void atLevelRowAnyTwoWritesOfARowConflict() {
    assertThat(
            conflict(ConflictLevel.ROW, PLACE, IntentKind.PUT, A, OTHER_FAMILY, IntentKind.PUT, B))
        .isTrue();
  }

  @Test
  void atLevelCellOnlyTheSameCellConflicts() {
    assertThat(conflict(ConflictLevel.CELL, PLACE, IntentKind.PUT, A, PLACE, IntentKind.PUT, A))
        .isTrue();
    assertThat(conflict(ConflictLevel.CELL, PLACE, IntentKind.PUT, A, PLACE, IntentKind.PUT, B))
        .isFalse();
    assertThat(
            conflict(ConflictLevel.CELL, PLACE, IntentKind.PUT, A, OTHER_FAMILY, IntentKind.PUT, A))
        .isFalse();
  }

  /** R3: no cell in common, yet the delete covers the put, in either order. */
  @Test
  void atLevelCellAFamilyDeleteConflictsWithEveryCellUnderIt() {
    for (IntentKind kind : Set.of(IntentKind.PUT, IntentKind.DELETE_COLUMN)) {
      assertThat(
              conflict(
                  ConflictLevel.CELL, PLACE, kind, A, PLACE, IntentKind.DELETE_FAMILY, Bytes.EMPTY))
          .isTrue();
      assertThat(
              conflict(
                  ConflictLevel.CELL, PLACE, IntentKind.DELETE_FAMILY, Bytes.EMPTY, PLACE, kind, A))
          .isTrue();
    }
    assertThat(
            conflict(
                ConflictLevel.CELL,
                PLACE,
                IntentKind.DELETE_FAMILY,
                Bytes.EMPTY,
                PLACE,
                IntentKind.DELETE_FAMILY,
                Bytes.EMPTY))
        .isTrue();
    assertThat(
            conflict(
                ConflictLevel.CELL,
                PLACE,
                IntentKind.DELETE_FAMILY,
                Bytes.EMPTY,
                OTHER_FAMILY,
                IntentKind.PUT,
                A))
        .isFalse();
  }

  @Test
  void lengthsKeepNeighbouringFieldsApart() {
    ConflictKeys first = new ConflictKeys();
    first.add(ConflictLevel.ROW, new RowFamily("ab", Bytes.utf8("c"), A), IntentKind.PUT, A);
    ConflictKeys second = new ConflictKeys();
    second.add(ConflictLevel.ROW, new RowFamily("a", Bytes.utf8("bc"), A), IntentKind.PUT, A);
    assertThat(first.checkHashes()).doesNotContain(second.checkHashes());
  }

  @Test
  void theConflictNamesThePlaceOfItsHash() {
    ConflictKeys keys = new ConflictKeys();
    keys.add(ConflictLevel.ROW, PLACE, IntentKind.PUT, A);
    RowFamily other = new RowFamily("t", Bytes.utf8("other"), A);
    keys.add(ConflictLevel.ROW, other, IntentKind.PUT, A);
    assertThat(keys.checkHashes()).hasSize(2);
    assertThat(keys.placeOfCheck(1)).isEqualTo(other);
  }

  /**
   * A read checks what a write records if and only if the write changes what was read, over all
   * pairs of kinds.
   */
  @Test
  void aReadMeetsAWriteIfAndOnlyIfTheWriteChangesWhatWasRead() {
    RowFamily otherRow = new RowFamily("t", Bytes.utf8("row2"), PLACE.family());
    RowFamily otherTable = new RowFamily("u", PLACE.row(), PLACE.family());
    int met = 0;
    for (ConflictLevel level : ConflictLevel.values()) {
      for (RowFamily written : List.of(PLACE, OTHER_FAMILY, otherRow, otherTable)) {
        for (IntentKind kind : IntentKind.values()) {
          for (Bytes qualifier : List.of(A, B)) {
            for (Place what :
                List.of(
                    Place.column(PLACE.family(), A),
                    Place.column(PLACE.family(), B),
                    Place.family(PLACE.family()))) {
              boolean changes = changes(level, written, kind, qualifier, what);
              assertThat(readMeets(level, written, kind, qualifier, what))
                  .as("%s %s %s %s %s", level, written, kind, qualifier, what)
                  .isEqualTo(changes);
              met += changes ? 1 : 0;
            }
          }
        }
      }
    }
    assertThat(met).isPositive();
  }

  private static boolean changes(
      ConflictLevel level, RowFamily written, IntentKind kind, Bytes qualifier, Place what) {
    if (!written.table().equals(PLACE.table()) || !written.row().equals(PLACE.row())) {
      return false;
    }
    return level == ConflictLevel.ROW
        || written.family().equals(what.family())
            && (kind == IntentKind.DELETE_FAMILY
                || what.wholeFamily()
                || qualifier.equals(what.qualifier()));
  }

  private static boolean readMeets(
      ConflictLevel level, RowFamily written, IntentKind kind, Bytes qualifier, Place what) {
    ConflictKeys writer = new ConflictKeys();
    writer.add(level, written, kind, kind == IntentKind.DELETE_FAMILY ? Bytes.EMPTY : qualifier);
    ConflictKeys reader = new ConflictKeys();
    reader.addRead(level, PLACE.table(), PLACE.row(), what);
    assertThat(reader.recordHashes()).as("a read records nothing").isEmpty();
    Set<Long> recorded = Arrays.stream(writer.recordHashes()).boxed().collect(Collectors.toSet());
    return Arrays.stream(reader.checkHashes()).anyMatch(recorded::contains);
  }

  @Test
  void readsAreCheckedBehindTheWritesAndNamed() {
    ConflictKeys keys = new ConflictKeys();
    keys.add(ConflictLevel.ROW, PLACE, IntentKind.PUT, A);
    RowFamily other = new RowFamily("t", Bytes.utf8("other"), PLACE.family());
    keys.addRead(ConflictLevel.ROW, "t", PLACE.row(), Place.family(PLACE.family()));
    keys.addRead(ConflictLevel.ROW, "t", other.row(), Place.family(PLACE.family()));
    assertThat(keys.checkHashes()).as("the row that is written counts once").hasSize(2);
    assertThat(keys.recordHashes()).hasSize(1);
    assertThat(keys.isRead(0)).isFalse();
    assertThat(keys.isRead(1)).isTrue();
    assertThat(keys.placeOfCheck(1)).isEqualTo(other);
  }

  /** Whether a later transaction that checks sees an earlier one that has recorded. */
  private static boolean conflict(
      ConflictLevel level,
      RowFamily place1,
      IntentKind kind1,
      Bytes qualifier1,
      RowFamily place2,
      IntentKind kind2,
      Bytes qualifier2) {
    ConflictKeys earlier = new ConflictKeys();
    earlier.add(level, place1, kind1, qualifier1);
    ConflictKeys later = new ConflictKeys();
    later.add(level, place2, kind2, qualifier2);
    Set<Long> recorded = Arrays.stream(earlier.recordHashes()).boxed().collect(Collectors.toSet());
    return Arrays.stream(later.checkHashes()).anyMatch(recorded::contains);
  }
}
