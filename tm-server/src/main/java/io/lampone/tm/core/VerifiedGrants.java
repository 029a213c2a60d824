package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import org.jspecify.annotations.Nullable;

/**
 * Verifies grants, and remembers some that were verified: a client shows the same one for each of
 * the transactions that began together.
 */
final class VerifiedGrants {

  /** A power of 2. */
  private static final int REMEMBERED = 1024;

  private final Proofs proofs;

  /** By their first timestamp; a newer one takes the place of an older one. */
  private final @Nullable Grant[] verified = new Grant[REMEMBERED];

  VerifiedGrants(Proofs proofs) {
    this.proofs = proofs;
  }

  /** Whether the grant is genuine and covers the transaction. */
  boolean own(Grant grant, long startTimestamp) {
    return grant.covers(startTimestamp) && isGenuine(grant);
  }

  private boolean isGenuine(Grant grant) {
    int place = (int) (grant.first() / Timestamps.TICK) & (REMEMBERED - 1);
    Grant known = verified[place];
    if (known != null
        && known.first() == grant.first()
        && known.span() == grant.span()
        && known.secret().matches(grant.secret())) {
      return true;
    }
    boolean genuine = proofs.verify(grant) == Proofs.Verdict.VALID;
    if (genuine) {
      verified[place] = grant;
    }
    return genuine;
  }
}
