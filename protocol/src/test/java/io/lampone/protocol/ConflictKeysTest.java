package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
