package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.RegularWrite;
import io.lampone.coprocessor.core.intent.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of senders that may not know an index of the table. */
class SchemaFloorTest {

  private static final Bytes Q = Bytes.utf8("q");

  private final FastServer server = new FastServer(ConflictLevel.ROW);
  private final MemoryRow row = new MemoryRow(Bytes.utf8("r"));

  @Test
  void aOneRegionCommitBelowTheFloorIsRefused() throws Exception {
    server.schemaFloor = t(5);
    assertThatThrownBy(() -> server.run(commit(t(7), t(4)), row)).satisfies(e -> stale(e));
    assertThat(server.run(commit(t(7), t(5)), row).get(0).kind()).isEqualTo(Kind.COMMITTED);
  }

  /** Such clients write no indexes: the floor does not concern them. */
  @Test
  void aOneRegionCommitThatNamesNothingIsNotCompared() throws Exception {
    server.schemaFloor = t(5);
    assertThat(server.run(commit(t(7), 0), row).get(0).kind()).isEqualTo(Kind.COMMITTED);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 6})
  void intentsAtOrAboveTheFloorAreWritten(int known) throws Exception {
    assertThat(flush(known == 0 ? 0 : t(known)).decide(List.of(row)).get(0).writes()).isNotEmpty();
  }

  @Test
  void intentsBelowTheFloorAreRefused() {
    assertThatThrownBy(() -> flush(t(4)).decide(List.of(row))).satisfies(e -> stale(e));
  }

  private static void stale(Throwable failure) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.STALE_SCHEMA));
  }

  private List<RowIntents> intents() {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    return List.of(new RowIntents(row.key(), List.of(family)));
  }

  private OneRegionCommit commit(long start, long known) {
    return new OneRegionCommit(
        start,
        0,
        start,
        ConflictLevel.ROW,
        false,
        intents(),
        Proofs.OPEN.grant(start, 0),
        IssueProof.NONE,
        List.of(),
        known);
  }

  private RegularWrite flush(long known) {
    RowFamily leader = new RowFamily("t", row.key(), F);
    long start = t(7);
    return new RegularWrite(
        new Flush(
            start, 0, ConflictLevel.ROW, leader, 1, intents(), Proofs.OPEN.grant(start, 0), known),
        new TableRules("t", ConflictLevel.ROW, t(0), 1 << 20, false, 0, t(5)),
        new RegularWrite.Setting(
            new OpenGuards(),
            server.region.clock(),
            server.region.recent(),
            server.region.settled(),
            server.region.known()));
  }
}
