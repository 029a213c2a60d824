package io.lampone.coprocessor.core;

import static io.lampone.coprocessor.core.FastServer.increment;
import static io.lampone.coprocessor.core.FastServer.put;
import static io.lampone.coprocessor.core.FastServer.t;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.fastpath.FastAdmission;
import io.lampone.coprocessor.core.fence.ReadAdmission;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.intent.IntentRules;
import io.lampone.coprocessor.core.intent.MemoryRow;
import io.lampone.coprocessor.core.intent.StoredRow;
import io.lampone.coprocessor.core.visibility.FamilyView;
import io.lampone.coprocessor.core.visibility.SnapshotView;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal.Code;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Figures 2 and 3 of the paper. */
class PaperFiguresTest {

  private static final Bytes Q = Bytes.utf8("q");

  private final FastServer first = new FastServer(ConflictLevel.ROW);
  private final FastServer second = new FastServer(ConflictLevel.ROW);
  private final MemoryRow x = new MemoryRow(Bytes.utf8("x"));
  private final MemoryRow y = new MemoryRow(Bytes.utf8("y"));

  /** Figure 2: x is read before FP1 writes it, y after FP2 wrote it, and FP2 came after FP1. */
  @Test
  void twoClientsThatHaveNotHeardOfEachOtherMayBeSeenInTheOtherOrder() throws Exception {
    assertThat(sees(first, x, t(3))).isFalse();
    first.run(first.blind(x, put(Q, "fp1")), x);
    second.run(second.blind(y, put(Q, "fp2")), y);
    assertThat(sees(second, y, t(3))).isTrue();
    assertThat(sees(first, x, t(3))).isFalse();
  }

  /** The same, but FP2's client has heard of FP1: it brings the mark. */
  @Test
  void operationsOfOneSessionAreNeverSeenInTheOtherOrder() throws Exception {
    assertThat(sees(first, x, t(3))).isFalse();
    long mark = first.run(first.blind(x, put(Q, "fp1")), x).version();
    FastWrite marked = new FastWrite(0, mark, false, List.of(second.blind(y, put(Q, "fp2"))));
    FastAdmission.admit(marked, guards(second));
    second.run(marked, y);
    assertThat(sees(second, y, t(3))).isFalse();
    assertThat(sees(first, x, t(3))).isFalse();
  }

  /** Figure 3: T1 reads x, FP1 increments x, T1 writes x. */
  @Test
  void aRegularTransactionWhoseReadWasOverwrittenOnTheFastPathConflicts() throws Exception {
    long start = t(3);
    assertThat(sees(first, x, start)).isFalse();
    long version = first.run(first.blind(x, increment(Q, 1)), x).version();
    assertThat(version).isGreaterThan(start);
    assertThatThrownBy(() -> flush(start))
        .isInstanceOfSatisfying(
            Refused.class,
            e -> {
              assertThat(e.refusal().code()).isEqualTo(Code.CONFLICT);
              assertThat(e.refusal().winnerCommitTimestamp()).isEqualTo(version);
            });
  }

  /** A read at a snapshot, as a server does it (E7: an empty read counts too). */
  private static boolean sees(FastServer server, MemoryRow row, long snapshot) throws IOException {
    ReadRequest request = new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of());
    SnapshotView view = ReadAdmission.admit(request, 0, guards(server));
    server.region.inFlight().awaitRow(row.key(), snapshot);
    FamilyView family = new FamilyView(view, row, MemoryRow.F, 0);
    boolean[] shown = new boolean[1];
    row.visit(
        StoredRow.Selection.of(MemoryRow.F, List.of(Q)),
        cell -> {
          shown[0] |= family.data(cell) == FamilyView.Step.SHOW;
          return StoredRow.Next.VERSION;
        });
    return shown[0];
  }

  private static RegionGuards guards(FastServer server) {
    return new OpenGuards() {
      @Override
      public void bump(long timestamp) {
        server.clock.bump(timestamp);
      }
    };
  }

  private void flush(long start) throws IOException {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("t1"));
    FamilyIntents family =
        new FamilyIntents(MemoryRow.F, SlotSet.NONE, Optional.empty(), List.of(cell));
    RowIntents intents = new RowIntents(x.key(), List.of(family));
    RowFamily leader = new RowFamily("t", x.key(), MemoryRow.F);
    Flush flush =
        new Flush(
            start, 0, ConflictLevel.ROW, leader, 1, List.of(intents), Proofs.OPEN.grant(start, 0));
    new IntentRules("t", ConflictLevel.ROW, t(0), first.region.recent()).decide(flush, intents, x);
  }
}
