package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.RegionFence;
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
 * ZooKeeper's answer against a request. A request that gets through the first fence, because the
 * region's read has been answered, must be judged by what that read has told: by its floor [M2].
 *
 * <p>Numbers: whether the request got through, whether the floor was known after that.
 *
 * <p>Seen to fail with {@code answered} that publishes the number of the read before its floor.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "before the answer")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "the answer came in between")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "after the answer")
@Outcome(expect = Expect.FORBIDDEN, desc = "served by an old floor")
@State
public class FencesStress {

  private static final long FLOOR = Timestamps.PLAIN_LIMIT;
  private static final long BOUND = FLOOR + Timestamps.TICK;

  private final FirstRead node = new FirstRead();
  private final Fences fences = new Fences(node, SystemClock.INSTANCE);
  private final RegionFence region = fences.regionOpened();

  @Actor
  public void zooKeeper() {
    node.answer();
  }

  @Actor
  public void request(II_Result result) {
    try {
      region.requireKnown(0);
      result.r1 = 1;
    } catch (Refused e) {
      result.r1 = 0;
    }
    result.r2 = fences.floor() == FLOOR ? 1 : 0;
  }

  /** Keeps the first read's answer back; those that the refused ask for are never answered. */
  private static final class FirstRead implements ManagerRecordSource {

    private Answer first;

    @Override
    public void read(Answer answer) {
      if (first == null) {
        first = answer;
      }
    }

    void answer() {
      first.record(
          new ManagerRecord(
              1, "", "", 1, 1, false, BOUND, FLOOR, 0, Optional.empty(), Optional.empty()),
          0);
    }
  }
}
