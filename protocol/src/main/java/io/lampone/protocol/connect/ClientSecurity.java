package io.lampone.protocol.connect;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Mutual authentication of a client and its server.
 *
 * @param identity the identity that this client claims
 * @param secret proves the identity, and requires the server to prove that it knows the secret too;
 *     otherwise it is not trusted
 * @param tls encrypts the connection, if present
 * @param kerberos proves the client's principal by a ticket, and requires the same of the server
 * @param tokens a delegation token, if there is one when a connection is made, replaces identity,
 *     secret and ticket
 */
public record ClientSecurity(
    Identity identity,
    Optional<SharedSecret> secret,
    Optional<ClientTls> tls,
    Optional<ClientKerberos> kerberos,
    Supplier<Optional<ClientToken>> tokens) {

  /** No identity and no proofs. */
  public static final ClientSecurity NONE =
      new ClientSecurity(Identity.NOBODY, Optional.empty(), Optional.empty(), Optional.empty());

  /** Creates settings without tokens. */
  public ClientSecurity(
      Identity identity,
      Optional<SharedSecret> secret,
      Optional<ClientTls> tls,
      Optional<ClientKerberos> kerberos) {
    this(identity, secret, tls, kerberos, Optional::empty);
  }

  /** Returns this with another name and tenant. */
  public ClientSecurity withIdentity(Identity newIdentity) {
    return new ClientSecurity(newIdentity, secret, tls, kerberos, tokens);
  }

  /** Returns this with a secret. */
  public ClientSecurity withSecret(SharedSecret newSecret) {
    return new ClientSecurity(identity, Optional.of(newSecret), tls, kerberos, tokens);
  }

  /** Returns this with TLS. */
  public ClientSecurity withTls(ClientTls newTls) {
    return new ClientSecurity(identity, secret, Optional.of(newTls), kerberos, tokens);
  }

  /** Returns this with Kerberos. */
  public ClientSecurity withKerberos(ClientKerberos newKerberos) {
    return new ClientSecurity(identity, secret, tls, Optional.of(newKerberos), tokens);
  }

  /** Returns this with tokens, looked up for each connection. */
  public ClientSecurity withTokens(Supplier<Optional<ClientToken>> newTokens) {
    return new ClientSecurity(identity, secret, tls, kerberos, newTokens);
  }

  /** Returns this without tokens: requests about tokens need other authentication. */
  public ClientSecurity withoutTokens() {
    return withTokens(Optional::empty);
  }

  /** Returns the settings of a connection made now. */
  ClientSecurity now() {
    return tokens
        .get()
        .map(
            token ->
                ClientSecurity.NONE
                    .withIdentity(new Identity(token.identifier().name(), identity.tenant()))
                    .withSecret(new SharedSecret(token.password())))
        .map(shown -> tls.map(shown::withTls).orElse(shown))
        .orElse(this);
  }

  /** Returns the maximum length of the server's frames before its welcome, head included. */
  public int maxHandshakeBytes() {
    return kerberos.isPresent()
        ? FrameLayout.MAX_SASL_FRAME_BYTES
        : FrameLayout.MAX_HANDSHAKE_BYTES;
  }
}
