package io.lampone.protocol.connect;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.trust.DelegationToken;

/**
 * A delegation token that a client presents in place of a ticket or a secret.
 *
 * @param identifier identifies the owner
 * @param password proves possession; never sent after the token has been issued
 */
public record ClientToken(DelegationToken identifier, Bytes password) {

  /** Contains no password. */
  @Override
  public String toString() {
    return "ClientToken[" + identifier.description() + "]";
  }
}
