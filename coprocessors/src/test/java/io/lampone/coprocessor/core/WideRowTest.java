package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.clock.RecentVersionsTest;
import io.lampone.coprocessor.core.fastpath.WriteBlockers;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.IntentRules;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** At level ROW a check concerns all columns of a row; it must not read them all under the lock. */
class WideRowTest {

  private static final int COLUMNS = 10_000;

  /** What a check may look at: some reserved cells. */
  private static final int FEW = 5;

  private static final Bytes COLUMN = Bytes.utf8("column77");

  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow();
  private long written;

  @BeforeEach
  void writeTheRow() throws Exception {
    FastOperation.Mutation[] puts = new FastOperation.Mutation[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
      puts[i] = put(Bytes.utf8("column" + i), "v");
    }
    written = server.run(server.blind(row, puts), row).version();
    row.passed = 0;
  }

  @Test
  void aRegularWriterThatHasNotSeenItMeetsAConflictAndReadsLittle() {
    server.clock.bump(t(5));
    assertThatThrownBy(() -> flush(t(0)))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.refusal().winnerCommitTimestamp()).isEqualTo(written));
    assertThat(row.passed).isLessThan(FEW);
  }

  @Test
  void aRegularWriterThatHasSeenItReadsLittle() throws Exception {
    flush(t(1));
    assertThat(row.passed).isLessThan(FEW);
  }

  @Test
  void aConditionalWriteReadsLittleWhetherItHoldsOrNot() throws Exception {
    Outcome conflict =
        server.run(server.operation(row, unchanged(written - 1), put(COLUMN, "w")), row);
    assertThat(conflict).isEqualTo(Outcome.of(Kind.CONFLICT, written));
    Outcome holds = server.run(server.operation(row, unchanged(written), put(COLUMN, "w")), row);
    assertThat(holds.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(row.passed).isLessThan(2 * FEW);
  }

  @Test
  void aReadOfTheVersionReadsLittle() throws Exception {
    assertThat(version()).isEqualTo(written);
    assertThat(row.passed).isLessThan(FEW);
  }

  /** Nothing is known of the row where its region has just been opened: what is newer is read. */
  @Test
  void onARegionThatHasJustBeenOpenedOnlyWhatIsNewerIsLookedAtUnderTheLock() throws Exception {
    FastServer elsewhere = new FastServer(ConflictLevel.ROW);
    elsewhere.region.recent().openedBelow(t(50));
    elsewhere.clock.bump(t(50));
    // Without a lock, the row is read.
    assertThat(version(elsewhere)).isEqualTo(written);
    row.shown = 0;
    Outcome holds = elsewhere.run(overwrite(elsewhere, "w").withFirstMark(t(50)), row);
    assertThat(holds.version()).isGreaterThan(t(50));
    Outcome late = elsewhere.run(overwrite(elsewhere, "x").withFirstMark(t(50)), row);
    assertThat(late).isEqualTo(Outcome.of(Kind.CONFLICT, holds.version()));
    assertThat(row.shown).isLessThan(2 * FEW);
  }

  /** The other row's version says nothing of this one: then, and only then, it is searched. */
  @Test
  void aNeighbourOfTheSlotCausesASearchOfWhatIsNewerAndNoFalseConflict() throws Exception {
    MemoryRow neighbour = new MemoryRow(RecentVersionsTest.sharing(row.key()));
    server.run(server.blind(neighbour, put(COLUMN, "v")), neighbour);
    server.run(server.blind(neighbour, put(COLUMN, "w")), neighbour);
    row.shown = 0;
    Outcome holds = server.run(server.operation(row, unchanged(written), put(COLUMN, "w")), row);
    assertThat(holds.kind()).isEqualTo(Kind.COMMITTED);
    assertThat(row.shown).isLessThan(FEW);
  }

  private FastOperation overwrite(FastServer at, String value) {
    return at.operation(row, unchanged(written), put(COLUMN, value));
  }

  private long version() throws Exception {
    return version(server);
  }

  private long version(FastServer at) throws Exception {
    WriteBlockers blockers =
        new WriteBlockers(row, "t", ConflictLevel.ROW, t(0), at.region.settled());
    blockers.find(List.of(Place.column(MemoryRow.F, COLUMN)), 0, at.region.recent());
    return blockers.highestCommit();
  }

  private static Unchanged unchanged(long version) {
    return new Unchanged(version, List.of());
  }

  private void flush(long start) throws Exception {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, COLUMN, Bytes.utf8("regular"));
    FamilyIntents family =
        new FamilyIntents(MemoryRow.F, SlotSet.NONE, Optional.empty(), List.of(cell));
    RowIntents intents = new RowIntents(row.key(), List.of(family));
    RowFamily leader = new RowFamily("t", row.key(), MemoryRow.F);
    Flush flush =
        new Flush(
            start,
            t(0),
            ConflictLevel.ROW,
            leader,
            1,
            List.of(intents),
            Proofs.OPEN.grant(start, 0));
    new IntentRules("t", ConflictLevel.ROW, t(0), server.region.recent())
        .decide(flush, intents, row);
  }
}
