package io.lampone.coprocessor.core;

import io.lampone.protocol.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.RareLine;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.KeyRing;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verification of grants at one region server: a start timestamp is no secret, for every intent
 * shows it, so a request in the name of a transaction shows its owner's grant (protocol page,
 * section 13).
 */
public final class OwnerCheck {

  /** Property of the file with the cluster key, in HBase's own settings. */
  public static final String CLUSTER_KEY_FILE = "lampone.region.cluster.key.file";

  private static final Logger LOG = LoggerFactory.getLogger(OwnerCheck.class);

  private final Proofs proofs;
  private final Runnable keysNeeded;
  private final RareLine line;

  /** The grant that was verified last: one client sends several requests with the same. */
  private volatile @Nullable Grant verified;

  /**
   * @param ring the keys of this server
   * @param keysNeeded called when a grant is of a term whose keys are not known; must not block
   */
  public OwnerCheck(KeyRing ring, Runnable keysNeeded, Clock clock) {
    this.proofs = new Proofs(ring);
    this.keysNeeded = keysNeeded;
    this.line = new RareLine(clock);
  }

  /** Refuses unless {@code proof} is a grant of the transaction that began at {@code start}. */
  void requireOwner(long start, Proof proof) {
    if (!(proof instanceof Grant grant) || !grant.covers(start)) {
      throw unproved(start);
    }
    Grant known = verified;
    if (known != null
        && known.first() == grant.first()
        && known.span() == grant.span()
        && known.secret().matches(grant.secret())) {
      return;
    }
    switch (proofs.verify(grant)) {
      case VALID -> verified = grant;
      case FORGED -> throw unproved(start);
      case UNKNOWN_TERM -> {
        keysNeeded.run();
        throw Refused.because(
            Refusal.Code.NOT_READY,
            "the keys of the transaction's term are not known here yet, start=" + start);
      }
    }
  }

  private Refused unproved(long start) {
    line.happened()
        .ifPresent(
            times ->
                LOG.warn(
                    "request in the name of another client's transaction, start={} times={}",
                    start,
                    times));
    return Refused.because(
        Refusal.Code.UNPROVED,
        "the transaction belongs to another client; or the cluster key of this region server ("
            + CLUSTER_KEY_FILE
            + ") is not that of the transaction manager, start="
            + start);
  }
}
