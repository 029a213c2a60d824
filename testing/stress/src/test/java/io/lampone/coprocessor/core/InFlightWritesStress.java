package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A write that is committed at birth against a reader with a higher snapshot: whatever is drawn
 * below the snapshot must be seen [E1]. The writer registers, then draws, then becomes visible; the
 * reader raises the clock, then looks for registered writes, then reads.
 *
 * <p>Numbers: whether the version was drawn below the snapshot, whether the reader saw the write.
 *
 * <p>Seen to fail with a writer that draws before it registers, and with a reader that looks before
 * it raises the clock: both planted in this class.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "below the snapshot, and seen")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "above the snapshot, and not there yet")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "above the snapshot: the filter hides it")
@Outcome(expect = Expect.FORBIDDEN, desc = "below the snapshot, and not seen")
@State
public class InFlightWritesStress {

  private static final long TICK = Timestamps.PLAIN_LIMIT + Timestamps.TICK;
  private static final long SNAPSHOT = TICK + Timestamps.TICK;
  private static final Bytes ROW = Bytes.of((byte) 1);

  private final LocalVersionClock clock = new LocalVersionClock();
  private final InFlightWrites writes = new InFlightWrites();

  /** Stands for HBase's MVCC. */
  private volatile boolean visible;

  public InFlightWritesStress() {
    clock.bump(TICK);
  }

  @Actor
  public void writer(II_Result result) {
    InFlightWrites.Write write = writes.register(List.of(ROW));
    long version = clock.next(0);
    write.drawn(version);
    visible = true;
    write.end();
    result.r1 = version < SNAPSHOT ? 1 : 0;
  }

  @Actor
  public void reader(II_Result result) {
    clock.bump(SNAPSHOT);
    writes.awaitRow(ROW, SNAPSHOT);
    result.r2 = visible ? 1 : 0;
  }
}
