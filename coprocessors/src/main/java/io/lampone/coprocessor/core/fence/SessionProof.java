package io.lampone.coprocessor.core.fence;

import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Proof that this server's ZooKeeper session is alive, which a server that was paused while its
 * regions moved away cannot give (protocol page, section 6, H11).
 *
 * <p>The proof is the monotonic time at which the last acknowledged probe was SENT: the session was
 * alive some time after it. ZooKeeper ends a session no earlier than its timeout after the last
 * message that it received. The margin covers the time between two probes (a sixth of the timeout),
 * the delay of a ZooKeeper follower that forwards, and clocks of different speed.
 */
public final class SessionProof {

  /** Probes per session timeout. */
  public static final int PROBES_PER_TIMEOUT = 6;

  /** Fraction of the session timeout for which a proof is not trusted. */
  private static final int MARGIN_DIVISOR = 3;

  private static final long NEVER = Long.MIN_VALUE;

  private final Clock clock;
  private final OwnSession session;

  /** Monotonic nanoseconds; only moves forward, so late answers of old probes have no effect. */
  private final AtomicLong provenAtNanos = new AtomicLong(NEVER);

  public SessionProof(Clock clock, OwnSession session) {
    this.clock = clock;
    this.session = session;
  }

  /** Sends a probe. */
  public void probe() {
    long sentAtNanos = clock.monotonicNanos();
    session.probe(
        () ->
            provenAtNanos.accumulateAndGet(
                sentAtNanos, (old, sent) -> old == NEVER || sent - old > 0 ? sent : old));
  }

  /**
   * Requires a fresh proof; called after reading and before replying.
   *
   * @throws Refused SESSION_UNPROVEN
   */
  public void require() {
    long proven = provenAtNanos.get();
    long timeoutNanos = session.timeoutNanos();
    long trustedNanos = timeoutNanos - timeoutNanos / MARGIN_DIVISOR;
    if (proven == NEVER || clock.monotonicNanos() - proven >= trustedNanos) {
      probe();
      throw Refused.because(
          Refusal.Code.SESSION_UNPROVEN,
          "the server cannot prove its ZooKeeper session, timeoutNanos=" + timeoutNanos);
    }
  }
}
