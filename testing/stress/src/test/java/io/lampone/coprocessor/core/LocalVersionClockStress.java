package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.clock.LocalVersionClock;
import io.lampone.protocol.Timestamps;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two writers draw a version each; the second one has heard of the next tick and bumps the clock to
 * it first. No version may be drawn twice, and what is drawn after a bump lies above it.
 *
 * <p>Numbers: what each drew, as the distance from the tick that the clock was at.
 *
 * <p>Seen to fail with {@code next} that sets instead of comparing and setting (one version twice).
 * It does not find a {@code bump} that sets what it was given: nobody draws above the bump here.
 */
@JCStressTest
@Outcome(id = "128, 384", expect = Expect.ACCEPTABLE, desc = "drawn before the bump")
@Outcome(id = "384, 385", expect = Expect.ACCEPTABLE, desc = "drawn after the bump, 1 first")
@Outcome(id = "385, 384", expect = Expect.ACCEPTABLE, desc = "drawn after the bump, 2 first")
@Outcome(expect = Expect.FORBIDDEN, desc = "a version drawn twice, or below what was seen before")
@State
public class LocalVersionClockStress {

  private static final long TICK = Timestamps.PLAIN_LIMIT + Timestamps.TICK;

  private final LocalVersionClock clock = new LocalVersionClock();

  public LocalVersionClockStress() {
    clock.bump(TICK);
  }

  @Actor
  public void writer(II_Result result) {
    result.r1 = (int) (clock.next(0) - TICK);
  }

  @Actor
  public void writerThatHasHeardMore(II_Result result) {
    clock.bump(TICK + Timestamps.TICK);
    result.r2 = (int) (clock.next(0) - TICK);
  }
}
