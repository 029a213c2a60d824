package io.lampone.tm.security;

import io.lampone.protocol.Bytes;

/** Outcome of a client's proof that it has the password of a delegation token. */
public sealed interface TokenProof {

  /**
   * The client acts for the token's owner.
   *
   * @param owner with the roles that a token can have
   * @param counterMac the server's own proof
   */
  record Holds(Principal owner, Bytes counterMac) implements TokenProof {}

  /**
   * The client is not believed, or its token does not do any more.
   *
   * @param problem what a person should do
   * @param forNow whether it may do later
   */
  record Refused(String problem, boolean forNow) implements TokenProof {}
}
