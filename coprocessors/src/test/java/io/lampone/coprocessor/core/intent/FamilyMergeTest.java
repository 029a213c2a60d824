package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.clock.RecentVersions;
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
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a family delete costs in a row that an earlier flush has filled. */
class FamilyMergeTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final long START = BASE + Timestamps.TICK;

  private final MemoryRow row = new MemoryRow();

  @Test
  void eachCoveredCellIsWrittenOnce_howeverOftenTheDeleteIsSent() throws Exception {
    flush(1, cells(100, i -> cell(0, IntentKind.PUT, "q" + i)));
    RowDecision decision = flush(2, cells(50, i -> cell(0, IntentKind.DELETE_FAMILY, "")));
    assertThat(decision.writes().stream().filter(write -> write.value().isEmpty()).distinct())
        .hasSize(101);
    assertThat(decision.writes().stream().filter(write -> column(write).startsWith("q")))
        .hasSize(100);
  }

  @Test
  void familyDeletesOfManySlotsLookAtEachCellOnce() throws Exception {
    int slots = 20;
    int columns = 50;
    flush(1, cells(slots * columns, i -> cell(i % slots, IntentKind.PUT, "q" + i / slots)));
    row.passed = 0;
    flush(2, cells(slots, slot -> cell(slot, IntentKind.DELETE_FAMILY, "")));
    assertThat(row.transactionCell(F, START).deletedColumns()).hasSize(slots * columns);
    assertThat(row.passed).isLessThan(3 * slots * columns);
  }

  @Test
  void moreThanTheListHoldsIsNotCollected() throws Exception {
    int columns = RequestLimits.MAX_TRANSACTION_CELL_BYTES / 64;
    String prefix = "q".repeat(120);
    flush(1, cells(columns, i -> cell(0, IntentKind.PUT, prefix + i)));
    row.shown = 0;
    assertThatThrownBy(() -> flush(2, List.of(cell(0, IntentKind.DELETE_FAMILY, ""))))
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.TOO_LARGE));
    assertThat(row.shown).isLessThan(columns * 2 / 3);
  }

  private static String column(CellWrite write) {
    return write.qualifier().toUtf8();
  }

  private static List<IntentCell> cells(int count, IntFunction<IntentCell> cell) {
    return IntStream.range(0, count).mapToObj(cell).toList();
  }

  private static IntentCell cell(int slot, IntentKind kind, String column) {
    Bytes value = kind == IntentKind.PUT ? Bytes.utf8("v") : Bytes.EMPTY;
    return new IntentCell(slot, kind, Bytes.utf8(column), value);
  }

  private RowDecision flush(long number, List<IntentCell> cells) throws Exception {
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), cells);
    RowIntents intents = new RowIntents(ROW, List.of(family));
    Flush flush =
        new Flush(
            START,
            0,
            ConflictLevel.ROW,
            new RowFamily("t", ROW, F),
            number,
            List.of(intents),
            Proofs.OPEN.grant(START, 0));
    return row.apply(
        new IntentRules("t", ConflictLevel.ROW, BASE, new RecentVersions())
            .decide(flush, intents, row));
  }
}
