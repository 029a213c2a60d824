package io.lampone.tm.core.validation;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Minter;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.GrantCursor;
import io.lampone.protocol.wire.RequestCursor;

/**
 * Verifies grants and caches verified ones: a client presents the same grant for each of the
 * transactions that began together.
 */
final class VerifiedGrants {

  /** Number of cached grants, a power of 2. */
  private static final int REMEMBERED = 1024;

  private final Minter minter;

  // Genuine grants by their first timestamp; a newer one replaces an older one.
  private final long[] firsts = new long[REMEMBERED];
  private final int[] spans = new int[REMEMBERED];
  private final long[] secrets = new long[2 * REMEMBERED];

  VerifiedGrants(Proofs proofs) {
    this.minter = proofs.minter();
  }

  /** Returns true if a validate request names a genuine grant that covers its transaction. */
  boolean isOwner(RequestCursor request) {
    if (!request.has(FrameLayout.FLAG_GRANT)) {
      return false;
    }
    GrantCursor grant = request.grant();
    return grant.span() >= 0
        && Grant.covers(grant.first(), grant.span(), request.startTimestamp())
        && isGenuine(grant.first(), grant.span(), grant.secret(0), grant.secret(1));
  }

  private boolean isGenuine(long first, int span, long secret0, long secret1) {
    int place = (int) (first / Timestamps.TICK) & (REMEMBERED - 1);
    if (firsts[place] != first || spans[place] != span) {
      minter.grant(first, span);
      if (!matches(minter.first(), minter.second(), secret0, secret1)) {
        return false;
      }
      firsts[place] = first;
      spans[place] = span;
      secrets[2 * place] = secret0;
      secrets[2 * place + 1] = secret1;
      return true;
    }
    return matches(secrets[2 * place], secrets[2 * place + 1], secret0, secret1);
  }

  /** Compares in constant time, wherever the secrets differ. */
  private static boolean matches(long known0, long known1, long secret0, long secret1) {
    return ((known0 ^ secret0) | (known1 ^ secret1)) == 0;
  }
}
