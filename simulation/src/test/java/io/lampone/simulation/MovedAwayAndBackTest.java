package io.lampone.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.FastAttempt;
import io.lampone.coprocessor.core.FastPlan.Written;
import io.lampone.coprocessor.core.FastRegion;
import io.lampone.coprocessor.core.LocalVersionClock;
import io.lampone.coprocessor.core.Refused;
import io.lampone.coprocessor.core.SettledRows;
import io.lampone.coprocessor.core.SupersededOperations;
import io.lampone.coprocessor.core.TableRules;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FastCondition;
import io.lampone.protocol.FastOperation;
import io.lampone.protocol.FastOperation.Kind;
import io.lampone.protocol.FastOperation.Mutation;
import io.lampone.protocol.FastReply;
import io.lampone.protocol.FastWrite;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** What the simulator has found, as a test of its own. */
final class MovedAwayAndBackTest {

  private static final Bytes ROW = Bytes.utf8("m1");
  private static final long TICK = Timestamps.PLAIN_LIMIT * 2;

  private final Cells cells = new Cells();

  /**
   * Trap E4. The first attempt is held up on its way to server A. Its region moves to B, where the
   * repetition is applied, and back to A, which knows nothing of the repetition: what must not be
   * applied any more is remembered by the server where it came by, and only there.
   */
  @Test
  @Disabled("known hole: an attempt must name the opening of the region that it was meant for")
  void anAttemptThatIsHeldUpWhileItsRegionMovesAwayAndBackIsNotAppliedAgain() throws IOException {
    SupersededOperations atA = new SupersededOperations(SystemClock.INSTANCE);
    SupersededOperations atB = new SupersededOperations(SystemClock.INSTANCE);
    FastOperation first =
        new FastOperation(
            ROW,
            new OperationId(1, 1),
            false,
            0,
            new FastCondition.Always(),
            false,
            List.of(
                new Mutation(
                    Kind.APPEND,
                    Schema.LIST.family(),
                    Schema.LIST.qualifier(),
                    Lists.append(Optional.empty(), 7))));

    FastReply.Kind repetition = apply(opened(atB, TICK), first.again());
    FastReply.Kind late;
    try {
      late = apply(opened(atA, TICK + Timestamps.TICK), first);
    } catch (Refused expected) {
      late = FastReply.Kind.NOT_APPLIED;
    }

    assertThat(repetition).isEqualTo(FastReply.Kind.COMMITTED);
    assertThat(late).isNotEqualTo(FastReply.Kind.COMMITTED);
  }

  private static FastRegion opened(SupersededOperations superseded, long tick) {
    LocalVersionClock clock = new LocalVersionClock();
    clock.supply(new long[] {tick});
    return FastRegion.opened(clock, new SettledRows(), superseded);
  }

  private FastReply.Kind apply(FastRegion region, FastOperation operation) throws IOException {
    FastAttempt attempt =
        new FastAttempt(
            new FastWrite(0, 0, false, List.of(operation)),
            new FastAttempt.Setting(
                region, new TableRules(Schema.TABLE, ConflictLevel.ROW, 0, 0), () -> 0, true));
    Written written = attempt.decide(List.of(new StoredCells(ROW, cells))).get(0);
    written.writes().forEach(cells::put);
    attempt.end();
    return written.outcome().kind();
  }
}
