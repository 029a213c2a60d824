package io.lampone.coprocessor.core.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.fastpath.FastRegion;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@link KnownRows} knows of rows without an entry. */
class RowBoundsTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final Bytes ROW = Bytes.utf8("row");
  private static final Bytes OTHER = Bytes.utf8("other");

  private final KnownRows all = new KnownRows();
  private final RecentVersions recent = new RecentVersions();
  private final KnownRows.OfRegion known = all.regionOpened(recent);

  @Test
  void nothingIsKnownBeforeTheFirstTickOfTheOpening() {
    assertThat(known.of(ROW, BASE)).isNull();
    recent.openedBelow(t(5));
    assertThat(known.of(ROW, BASE)).isNotNull();
  }

  @Test
  void onlyAWriterThatBeganAfterTheOpeningNeedNotSearch() {
    recent.openedBelow(t(5));
    assertThat(needsNoSearch(ROW, t(6))).isTrue();
    assertThat(needsNoSearch(ROW, t(5))).isFalse();
    assertThat(needsNoSearch(ROW, t(4))).isFalse();
  }

  @Test
  void aTransactionCellAndADrawRaiseTheBoundOfTheirRow() {
    recent.openedBelow(t(1));
    known.forget(ROW, t(8));
    assertThat(needsNoSearch(ROW, t(8))).isFalse();
    assertThat(needsNoSearch(ROW, t(9))).isTrue();
    known.forget(ROW, t(3));
    known.drawn(ROW, t(9) + 200);
    assertThat(needsNoSearch(ROW, t(9))).isFalse();
    assertThat(needsNoSearch(ROW, t(10))).isTrue();
    assertThat(needsNoSearch(OTHER, t(2))).isTrue();
  }

  @Test
  void anIntentOfATransactionThatBeganBeforeAFastWriteIsRefused() throws Exception { // E6, E8
    FastServer server = new FastServer(ConflictLevel.ROW);
    MemoryRow row = new MemoryRow();
    server.clock.bump(t(5));
    server.run(server.blind(row, FastServer.put(ROW, "fast")), row);

    assertThatThrownBy(() -> flush(server, row, t(5)))
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.CONFLICT));
    flush(server, row, t(6));
  }

  private static void flush(FastServer server, MemoryRow row, long start) throws Exception {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, ROW, Bytes.utf8("regular"));
    FamilyIntents family =
        new FamilyIntents(MemoryRow.F, SlotSet.NONE, Optional.empty(), List.of(cell));
    Flush flush =
        new Flush(
            start,
            0,
            ConflictLevel.ROW,
            new RowFamily("t", row.key(), MemoryRow.F),
            1,
            List.of(new RowIntents(row.key(), List.of(family))),
            Proofs.OPEN.grant(start, 0));
    FastRegion region = server.region;
    new RegularWrite(
            flush,
            new TableRules("t", ConflictLevel.ROW, BASE, 1 << 20),
            new RegularWrite.Setting(
                new OpenGuards(), server.clock, region.recent(), region.settled(), region.known()))
        .decide(List.of(row));
  }

  /** Until the region opens again; regions share places, so others keep their bounds. */
  @Test
  void afterAWriteOfUnknownVersionsRowsAreSearched() {
    recent.openedBelow(t(1));
    known.forget(ROW, Long.MAX_VALUE);
    assertThat(known.of(ROW, BASE)).isNull();
    assertThat(known.of(OTHER, BASE)).isNull();
    RowKnowledge opened = all.regionOpened(openedAt(t(2))).of(ROW, BASE);
    assertThat(opened).isNotNull();
    assertThat(opened.highestCommit()).isEqualTo(t(2));
  }

  @Test
  void afterAWriteThatFailedEveryRowIsSearched() {
    recent.openedBelow(t(1));
    known.doubt();
    assertThat(known.of(ROW, BASE)).isNull();
  }

  @Test
  void undecidedIntentsAreCountedAlsoForAKeyThatIsTooLongForAnEntry() {
    recent.openedBelow(t(1));
    Bytes row = Bytes.utf8("k".repeat(RowMemory.MAX_KEY_BYTES + 1));
    for (int i = 0; i < RequestLimits.MAX_UNDECIDED; i++) {
      assertThat(needsNoSearch(row, t(2))).isTrue();
      known.flushed(row, t(2));
    }
    assertThat(needsNoSearch(row, t(2))).isFalse();
  }

  @Test
  void anotherRegionWithTheSameKeysHasItsOwnBounds() {
    recent.openedBelow(t(1));
    known.forget(ROW, t(8));
    RowKnowledge second = all.regionOpened(openedAt(t(2))).of(ROW, BASE);
    assertThat(second).isNotNull();
    assertThat(second.highestCommit()).isEqualTo(t(2));
  }

  private boolean needsNoSearch(Bytes row, long start) {
    RowKnowledge knowledge = known.of(row, BASE);
    return knowledge != null && knowledge.forWriter(start) != null;
  }

  /** Returns the versions of a region that was opened before a tick. */
  static RecentVersions openedAt(long tick) {
    RecentVersions opened = new RecentVersions();
    opened.openedBelow(tick);
    return opened;
  }

  private static long t(int number) {
    return BASE + number * Timestamps.TICK;
  }
}
