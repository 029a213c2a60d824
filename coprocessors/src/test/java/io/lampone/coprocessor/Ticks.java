package io.lampone.coprocessor;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import java.util.Optional;

/** Timestamps in place of a transaction manager's. */
public final class Ticks {

  static final long BASE = Timestamps.ceilingOfMillis(1_800_000_000_000L);

  /** Ahead of {@link #BASE} by 17 s: the servers believe it once they have had a tick. */
  static final long BOUND = BASE + (1L << 34);

  private long last;

  Ticks() {
    this(BASE);
  }

  /** Timestamps above {@code first}. */
  Ticks(long first) {
    last = first;
  }

  public synchronized long next() {
    last += Timestamps.TICK;
    return last;
  }

  /** Shows that a timestamp has been issued, as a client of a cluster without a key can. */
  static IssueProof begun(long timestamp) {
    return IssueProof.Begun.of(Proofs.OPEN.grant(timestamp, 0));
  }

  public static ManagerRecord record(long floor, long safePoint) {
    return new ManagerRecord(
        1,
        "test",
        "",
        1,
        1000,
        false,
        BOUND,
        floor,
        safePoint,
        Optional.empty(),
        Optional.of(Proofs.OPEN.proofsFrom(256)));
  }
}
