package io.lampone.tm.security;

import io.lampone.protocol.Bytes;

/** Outcome of a client's proof that it has the password of a delegation token. */
public sealed interface TokenProof {

  /**
   * The client acts for the token's owner.
   *
   * @param owner the owner, with the roles that a token can have
   * @param counterMac the server's counterproof
   */
  record Holds(Principal owner, Bytes counterMac) implements TokenProof {}

  /**
   * The proof is wrong, or the token is no longer valid.
   *
   * @param problem the remedy for people
   * @param forNow whether a later attempt may succeed
   */
  record Refused(String problem, boolean forNow) implements TokenProof {}
}
