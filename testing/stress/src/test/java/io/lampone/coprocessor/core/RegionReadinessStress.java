package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.Optional;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A region has just been opened, and the tick that it waits for arrives while a writer asks.
 * Whoever is let in draws above that tick, for snapshots below it may have been read elsewhere [H3,
 * H4], and knows that older versions may stand in the row.
 *
 * <p>Numbers: whether the writer was let in, whether what it drew and knew was right.
 *
 * <p>Seen to fail with {@code arrived} that publishes the arrival before it moves the clock, and
 * with {@code isOpen} that opens before it tells the tick.
 */
@JCStressTest
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "before the tick: not let in")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "let in, and above the tick")
@Outcome(
    expect = Expect.FORBIDDEN,
    desc = "let in, and drawn below a snapshot that may have been read")
@State
public class RegionReadinessStress {

  private static final long OLD = Timestamps.PLAIN_LIMIT + Timestamps.TICK;
  private static final long TICK = OLD + Timestamps.TICK;
  private static final Bytes ROW = Bytes.of((byte) 1);

  private final LocalVersionClock clock = new LocalVersionClock();
  private final TimestampBatches timestampBatches;
  private final RecentVersions recent = new RecentVersions();
  private final RegionReadiness gate;
  private final long request;

  public RegionReadinessStress() {
    clock.bump(OLD);
    Fences fences =
        new Fences(
            answer ->
                answer.record(
                    new ManagerRecord(
                        1,
                        "",
                        "",
                        1,
                        1,
                        false,
                        TICK << 1,
                        OLD,
                        0,
                        Optional.empty(),
                        Optional.empty()),
                    0),
            SystemClock.INSTANCE);
    timestampBatches = new TimestampBatches(clock, fences);
    fences.refresh();
    gate = new RegionReadiness(timestampBatches, fences.regionOpened(), recent);
    request = timestampBatches.send();
  }

  @Actor
  public void tick() {
    timestampBatches.arrived(request, 1, new long[] {TICK});
    gate.isOpen(); // as another writer
  }

  @Actor
  public void writer(II_Result result) {
    result.r2 = 1;
    if (gate.isOpen()) {
      result.r1 = 1;
      boolean right = clock.next(0) > TICK && recent.bornUpTo(ROW) == TICK;
      result.r2 = right ? 1 : 0;
    }
  }
}
