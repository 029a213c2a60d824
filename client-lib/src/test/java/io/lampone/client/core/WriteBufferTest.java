package io.lampone.client.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WriteBufferTest {

  private static final Bytes ROW = Bytes.utf8("m");
  private static final Bytes F = Bytes.utf8("f");
  private static final Bytes Q = Bytes.utf8("q");
  private static final RowFamily PLACE = new RowFamily("t", ROW, F);

  private final WriteBuffer buffer = new WriteBuffer();

  @Test
  void aRangeIncludesItsBoundsAsItSays() {
    put(0, "v", FamilyRetention.FOREVER);
    Bytes before = Bytes.utf8("l");
    Bytes behind = Bytes.utf8("n");
    assertThat(buffer.touchesRange("t", ROW, true, behind, false)).isTrue();
    assertThat(buffer.touchesRange("t", ROW, false, behind, false)).isFalse();
    assertThat(buffer.touchesRange("t", before, true, ROW, true)).isTrue();
    assertThat(buffer.touchesRange("t", before, true, ROW, false)).isFalse();
    assertThat(buffer.touchesRange("t", Bytes.EMPTY, true, Bytes.EMPTY, false)).isTrue();
    assertThat(buffer.touchesRange("u", Bytes.EMPTY, true, Bytes.EMPTY, false)).isFalse();
  }

  @Test
  void aRollbackOfAFamilyDeleteBringsBackWhatWasWrittenBeforeTheSavepoint() {
    put(0, "before", FamilyRetention.FOREVER);
    put(1, "behind", FamilyRetention.FOREVER);
    buffer.add(
        ConflictLevel.CELL,
        PLACE,
        new IntentCell(1, IntentKind.DELETE_FAMILY, Bytes.EMPTY, Bytes.EMPTY));
    assertThat(buffer.overlay("t", ROW).families().get(F).columns()).isEmpty();

    buffer.dropFrom(1);

    assertThat(buffer.overlay("t", ROW).families().get(F).columns())
        .containsEntry(Q, Optional.of(Bytes.utf8("before")));
  }

  @Test
  void aCommitInOneRegionKeepsLifetimes() {
    put(0, "v", 5_000);
    assertThat(buffer.asOneTable().orElseThrow().rows().get(0).families().get(0).cells())
        .containsExactly(new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"), 5_000));
  }

  private void put(int slot, String value, long lifetimeMillis) {
    IntentCell cell = new IntentCell(slot, IntentKind.PUT, Q, Bytes.utf8(value), lifetimeMillis);
    buffer.add(ConflictLevel.CELL, PLACE, cell);
  }
}
