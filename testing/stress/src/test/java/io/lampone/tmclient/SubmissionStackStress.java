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
 * One thread hands over a call; another one hands over a call too and then takes what is there, as
 * the event loop does. Whoever is told true wakes the event loop. So every call must be taken once,
 * and a call that has been left must have somebody who wakes the loop after it looked. Two threads
 * and not three, because a test with more of them than processors is passed over in silence.
 *
 * <p>Numbers: caller 1 was told to wake, caller 2 was, calls that the second thread took, calls
 * left for the next time.
 *
 * <p>Seen to fail with {@code takeAll} that reads and then sets null, and with {@code add} that
 * looks whether the stack is empty before its loop.
 */
@JCStressTest
@Outcome(id = "1, 0, 2, 0", expect = Expect.ACCEPTABLE, desc = "1 came first")
@Outcome(id = "0, 1, 2, 0", expect = Expect.ACCEPTABLE, desc = "1 came before 2 took")
@Outcome(id = "1, 1, 1, 1", expect = Expect.ACCEPTABLE, desc = "1 came last, and wakes the loop")
@Outcome(expect = Expect.FORBIDDEN, desc = "a call is lost, taken twice, or waits for nobody")
@State
public class SubmissionStackStress {

  private final SubmissionStack arrivals = new SubmissionStack();
  private final Call<?> first = new Call.Begin(0, Priority.DEFAULT);
  private final Call<?> second = new Call.Begin(0, Priority.DEFAULT);

  @Actor
  public void caller1(IIII_Result result) {
    result.r1 = arrivals.add(first) ? 1 : 0;
  }

  @Actor
  public void caller2(IIII_Result result) {
    result.r2 = arrivals.add(second) ? 1 : 0;
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
