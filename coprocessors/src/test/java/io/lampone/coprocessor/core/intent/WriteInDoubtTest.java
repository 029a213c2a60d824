package io.lampone.coprocessor.core.intent;

import static io.lampone.coprocessor.core.intent.MemoryRow.F;
import static io.lampone.coprocessor.core.intent.MemoryRow.G;
import static io.lampone.coprocessor.core.intent.MemoryRow.ROW;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.OpenGuards;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A write that is in the log and not in the store comes back below later writes (ADR 94). */
class WriteInDoubtTest {

  private static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);
  private static final long START = BASE + Timestamps.TICK;
  private static final long COMMIT = START + Timestamps.TICK;
  private static final RowFamily LEADER = new RowFamily("t", ROW, F);

  private final MemoryRow stored = new MemoryRow();
  private final StateRules states = new StateRules(new OpenGuards(), new LocalVersionClock(), null);

  /** Seed 3102462 of the simulator: a follower stayed aborted when its leader committed. */
  @Test
  void anAbortInDoubtBelowAFlushEndsNoPartOfTheTransaction() throws Exception {
    RowDecision first = stored.apply(flush(1, F, G));
    RowDecision inDoubt =
        states.abort(new AbortLeader(START, 0, ROW, F, false, Proof.NONE), stored, true, 0);
    RowDecision second = stored.apply(flush(2, F));
    MemoryRow recovered = new MemoryRow();
    Stream.of(first, inDoubt, second).forEach(recovered::apply);
    recovered.apply(
        states.commit(new CommitLeader(START, 0, ROW, F, COMMIT, Tag.NONE), recovered, false));
    for (Bytes family : List.of(F, G)) {
      assertThat(recovered.transactionCell(family, START).state())
          .as("family=%s", family)
          .isEqualTo(TransactionState.COMMITTED);
    }
  }

  private RowDecision flush(long number, Bytes... families) throws Exception {
    IntentCell cell = new IntentCell(0, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v" + number));
    List<FamilyIntents> intents =
        Stream.of(families)
            .map(family -> new FamilyIntents(family, SlotSet.NONE, Optional.empty(), List.of(cell)))
            .toList();
    Flush flush =
        new Flush(
            START,
            0,
            ConflictLevel.ROW,
            LEADER,
            number,
            List.of(new RowIntents(ROW, intents)),
            Proofs.OPEN.grant(START, 0));
    return new IntentRules("t", ConflictLevel.ROW, BASE, new RecentVersions())
        .decide(flush, flush.intents().get(0), stored);
  }
}
