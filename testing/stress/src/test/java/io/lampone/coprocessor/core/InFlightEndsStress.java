package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.InFlightWrites;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two writes of one list come and go at the same time, around one that stays. None may be lost from
 * the list while it is under way, and none may be left in it: readers would wait for it for ever.
 *
 * <p>Numbers: whether the one that stays is still waited for, whether nothing is left when it ends.
 *
 * <p>Seen to fail with {@code register} that sets the head instead of comparing and setting, and
 * with {@code end} that does: a write lost, or left.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "one there, none left")
@Outcome(expect = Expect.FORBIDDEN, desc = "a write was lost from the list, or left in it")
@State
public class InFlightEndsStress {

  private static final long TICK = Timestamps.PLAIN_LIMIT + Timestamps.TICK;
  private static final Bytes ROW = Bytes.of((byte) 1);

  private final InFlightWrites writes = new InFlightWrites();
  private final InFlightWrites.Write staying = writes.register(List.of(ROW));
  private final InFlightWrites.Write ending = writes.register(List.of(ROW));

  public InFlightEndsStress() {
    staying.drawn(TICK + 1);
    ending.drawn(TICK + 2);
  }

  @Actor
  public void oneEnds() {
    ending.end();
  }

  @Actor
  public void oneComesAndGoes() {
    InFlightWrites.Write write = writes.register(List.of(ROW));
    write.drawn(TICK + 3);
    write.end();
  }

  @Arbiter
  public void whatIsLeft(II_Result result) {
    result.r1 = writes.lowestOf(ROW) == TICK + 1 ? 1 : 0;
    staying.end();
    result.r2 = writes.lowestOf(ROW) == Long.MAX_VALUE ? 1 : 0;
  }
}
