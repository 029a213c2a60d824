package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.FastServer.t;
import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.FastServer;
import io.lampone.coprocessor.core.fastpath.FastAttempt;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastReply.Kind;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proofs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A version that was drawn for nothing, as what its transaction has read may have changed. */
final class WithdrawnVersionTest {

  private static final Bytes Q = Bytes.utf8("q");
  private static final Bytes OTHER = Bytes.utf8("other");

  /** The cache of all other rows of the region stays in use, and no row has that version. */
  @Test
  void itCostsTheRegionNothing() throws Exception {
    FastServer server = new FastServer(ConflictLevel.ROW);
    server.clock.bump(t(5));
    KnownRows.OfRegion known = server.region.known();
    known.remember(OTHER, new RowKnowledge(t(0), t(1), t(1), 0, 0, new OwnCells(Map.of())));
    MemoryRow written = new MemoryRow(Bytes.utf8("written"));
    MemoryRow read = new MemoryRow(Bytes.utf8("read"));
    read.put(F, t(3), TransactionCell.follower(new RowFamily("t", OTHER, F), 1));
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Q, Bytes.utf8("v"));
    FamilyIntents family = new FamilyIntents(F, SlotSet.NONE, Optional.empty(), List.of(cell));
    FastAttempt attempt =
        server.attempt(
            new OneRegionCommit(
                    t(5),
                    0,
                    t(5),
                    ConflictLevel.ROW,
                    false,
                    List.of(new RowIntents(written.key(), List.of(family))),
                    Proofs.OPEN.grant(t(5), 0))
                .withReads(List.of(new RowRead(read.key(), List.of(Place.column(F, Q))))));
    assertThat(attempt.decide(List.of(written), List.of(read)).get(0).outcome().kind())
        .isEqualTo(Kind.NOT_APPLIED);
    attempt.end();
    assertThat(known.of(OTHER, t(0))).isNotNull();
    assertThat(server.region.settled().newest(written.key(), t(0))).isEqualTo(SettledRows.UNKNOWN);
    // Its slot knows that it may not exist: only cells count.
    assertThat(server.region.recent().bornAbove(written.key(), t(5))).isNegative();
  }
}
