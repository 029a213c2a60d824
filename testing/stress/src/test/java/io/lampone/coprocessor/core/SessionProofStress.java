package io.lampone.coprocessor.core;

import io.lampone.coprocessor.core.fence.OwnSession;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.core.fence.SessionProof;
import io.lampone.protocol.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The answers of two probes come at the same time. The younger proof stands, whichever is last: an
 * old one would make a healthy server refuse, and one that had moved back could not be told from
 * it.
 *
 * <p>The number: whether the session is proven, which only the younger probe can do.
 *
 * <p>Seen to fail with {@code probe} that reads, compares and sets in three steps.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the younger proof stands")
@Outcome(expect = Expect.FORBIDDEN, desc = "the older proof has replaced the younger")
@State
public class SessionProofStress {

  private static final long TIMEOUT_NANOS = 900;

  private final Session session = new Session();
  private final SessionProof proof = new SessionProof(session, session);

  public SessionProofStress() {
    proof.probe();
    session.now = TIMEOUT_NANOS;
    proof.probe();
  }

  @Actor
  public void olderAnswer() {
    session.sent.get(0).run();
  }

  @Actor
  public void youngerAnswer() {
    session.sent.get(1).run();
  }

  @Arbiter
  public void require(I_Result result) {
    try {
      proof.require();
      result.r1 = 1;
    } catch (Refused e) {
      result.r1 = 0;
    }
  }

  /** A session and a clock by hand. */
  private static final class Session implements OwnSession, Clock {

    private final List<Runnable> sent = new ArrayList<>();
    private long now;

    @Override
    public long timeoutNanos() {
      return TIMEOUT_NANOS;
    }

    @Override
    public void probe(Runnable alive) {
      sent.add(alive);
    }

    @Override
    public long wallMillis() {
      return 0;
    }

    @Override
    public long monotonicNanos() {
      return now;
    }
  }
}
