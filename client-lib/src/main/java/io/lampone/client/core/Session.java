package io.lampone.client.core;

import io.lampone.protocol.CausalTimestamp;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.trust.IssueProof;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Order of events as one client knows it (protocol page, section 8): its mark, sent with every
 * request that a region server orders by itself, so that nothing the client does is ordered before
 * anything that it knows of.
 *
 * <p>Three kinds of timestamps are needed in the mark, and no fourth:
 *
 * <ul>
 *   <li>commit timestamps: a fast-path read after a commit must see it, also where the intent has
 *       not been healed, and a fast-path write after it must be ordered behind it;
 *   <li>fast-path versions, written and read: two writes on two servers have no other clock in
 *       common (the paper's Figure 2), and what was read may have caused what is written next;
 *   <li>start timestamps: a transaction reads what committed below its own, without knowing the
 *       commit timestamp of each cell. What the application does next is behind all of that. So the
 *       servers need not send commit timestamps along with the cells of a snapshot read.
 * </ul>
 *
 * <p>It also keeps what shows a region server that the mark has been issued, so that a server whose
 * ticks are older need not ask the transaction manager. Thread-safe.
 */
public final class Session {

  // the mark; only grows
  private final AtomicLong mark = new AtomicLong(CausalTimestamp.NONE);
  // highest start timestamp that the transaction manager gave to this client; only grows
  private final AtomicLong issued = new AtomicLong();
  // shows the highest timestamp that this client can show to have been issued; higher ones
  // replace it, under the lock
  private volatile IssueProof shown = IssueProof.NONE;
  // highest floor that this client was told; only grows
  private final AtomicLong floor = new AtomicLong();

  /** The client has learnt of something that was committed at {@code timestamp}. */
  public void heardOf(long timestamp) {
    raise(mark, timestamp);
  }

  /** The same, with what shows that it has been issued. */
  public void heardOf(long timestamp, IssueProof proof) {
    show(proof);
    heardOf(timestamp);
  }

  /** The transaction manager has answered. */
  public void began(Begin begin) {
    show(IssueProof.Begun.of(begin.grant()));
    raise(issued, begin.startTimestamp());
    raise(floor, begin.floor());
    raise(mark, begin.startTimestamp());
  }

  /** Returns the mark to send with a request; 0 = nothing is known. */
  public long mark() {
    return mark.get();
  }

  /** Shows that what {@link #mark} has returned before has been issued, if this client can. */
  public IssueProof shown() {
    return shown;
  }

  /**
   * The smallest start timestamp still admissible, as far as this client knows; 0 = it does not.
   */
  public long floor() {
    return floor.get();
  }

  /** The transaction manager has issued this timestamp, and every smaller one that there is. */
  public long issued() {
    return issued.get();
  }

  private void show(IssueProof proof) {
    if (shown.upTo() < proof.upTo()) {
      synchronized (this) {
        if (shown.upTo() < proof.upTo()) {
          shown = proof;
        }
      }
    }
  }

  private static void raise(AtomicLong value, long to) {
    // Most calls bring nothing new: a look costs less than a write that others have to see.
    if (value.get() < to) {
      value.accumulateAndGet(to, Math::max);
    }
  }
}
