package io.lampone.simulation.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.coprocessor.core.intent.CellWrite;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.simulation.hbase.RegionLog;
import io.lampone.simulation.world.Chance;
import io.lampone.simulation.world.Schema;
import io.lampone.simulation.world.Trace;
import io.lampone.simulation.world.Violation;
import io.lampone.simulation.world.World;
import java.util.List;
import org.junit.jupiter.api.Test;

public final class NoIntentStuckTest {

  private static final Bytes ROW = Bytes.utf8("a1");
  private static final long START = 1_800_000_000_000_000_000L;
  private static final TransactionCell LEADER = TransactionCell.leader(List.of(), true, 1);

  private final World world = new World(new Chance(1), new Trace(false));
  private final NoIntentStuck invariant = new NoIntentStuck(world);
  private final RegionLog log = new RegionLog(0, Schema.spans().get(0), new InvariantChecker());
  private final long opening = log.fence();

  private void put(TransactionCell cell) {
    log.append(
        opening,
        List.of(
            new RegionLog.RowWrite(
                ROW,
                List.of(
                    write(Reserved.TRANSACTION, Bytes.wrap(cell.encode())),
                    write(Schema.LIST.qualifier(), Bytes.utf8("value"))))));
  }

  private static CellWrite write(Bytes qualifier, Bytes value) {
    return new CellWrite(Schema.LIST.family(), qualifier, START, value, OperationId.NONE, 0);
  }

  @Test
  void anIntentThatIsUndecidedInTheEndIsFound() {
    put(LEADER);
    invariant.swept(log);
    assertThat(world.violation()).map(Violation::invariant).contains("NoIntentStuck");
  }

  @Test
  void anIntentThatWasDecidedIsNotStuck() {
    put(LEADER.withState(TransactionState.COMMITTED, START + Timestamps.TICK));
    invariant.swept(log);
    assertThat(world.violation()).isEmpty();
  }
}
