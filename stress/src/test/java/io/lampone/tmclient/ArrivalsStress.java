package io.lampone.tmclient;

import io.lampone.protocol.wire.Priority;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Two callers hand over a call each while the event loop takes what is there. Whoever is told true
 * wakes the event loop. So every call must be taken once, and calls that the loop has not taken
 * must have somebody who wakes it after it looked: a caller that is told false relies on one.
 *
 * <p>Numbers: caller 1 was told to wake, caller 2 was, calls that the loop took, calls left for the
 * next time. As many callers wake as there are times at which calls are taken.
 *
 * <p>Seen to fail with {@code takeAll} that reads and then sets null (calls vanish), and with
 * {@code add} that looks whether the stack is empty before its loop (nobody wakes, or both do).
 */
@JCStressTest
@Outcome(id = "1, 0, 2, 0", expect = Expect.ACCEPTABLE, desc = "taken together, 1 came first")
@Outcome(id = "0, 1, 2, 0", expect = Expect.ACCEPTABLE, desc = "taken together, 2 came first")
@Outcome(id = "1, 0, 0, 2", expect = Expect.ACCEPTABLE, desc = "the loop came before both")
@Outcome(id = "0, 1, 0, 2", expect = Expect.ACCEPTABLE, desc = "the loop came before both")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "the loop came between them")
@Outcome(expect = Expect.FORBIDDEN, desc = "a call is lost, taken twice, or waits for nobody")
@State
public class ArrivalsStress {

  private final Arrivals arrivals = new Arrivals();
  private final Call<?> first = new Call.Begin(0, Priority.DEFAULT);
  private final Call<?> second = new Call.Begin(0, Priority.DEFAULT);

  @Actor
  public void caller1(IIII_Result result) {
    result.r1 = arrivals.add(first) ? 1 : 0;
  }

  @Actor
  public void caller2(IIII_Result result) {
    result.r2 = arrivals.add(second) ? 1 : 0;
  }

  @Actor
  public void eventLoop(IIII_Result result) {
    result.r3 = count();
  }

  @Arbiter
  public void nextTime(IIII_Result result) {
    result.r4 = count();
  }

  private int count() {
    int calls = 0;
    for (Call<?> call = arrivals.takeAll(); call != null; calls++) {
      Call<?> after = call.next;
      call.next = null;
      call = after;
    }
    return calls;
  }
}
