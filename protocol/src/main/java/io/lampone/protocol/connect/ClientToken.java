package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.DelegationToken;

/**
 * A delegation token that a client shows in the place of a ticket or a secret.
 *
 * @param identifier says whose it is
 * @param password proves that it is the client's; never travels after it has been issued
 */
public record ClientToken(DelegationToken identifier, Bytes password) {

  /** Contains no password. */
  @Override
  public String toString() {
    return "ClientToken[" + identifier.description() + "]";
  }
}
