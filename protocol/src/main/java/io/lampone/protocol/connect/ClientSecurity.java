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
 * @param secret proves the identity, and demands of the server that it proves to know the secret
 *     too: one that does not is not believed
 * @param tls encrypts the connection, if present
 * @param kerberos proves the client's principal by a ticket, and demands the same of the server
 * @param tokens a delegation token, if there is one at the moment of a connection, takes the place
 *     of identity, secret and ticket
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

  /** Without tokens. */
  public ClientSecurity(
      Identity identity,
      Optional<SharedSecret> secret,
      Optional<ClientTls> tls,
      Optional<ClientKerberos> kerberos) {
    this(identity, secret, tls, kerberos, Optional::empty);
  }

  /** Under this name and tenant. */
  public ClientSecurity withIdentity(Identity newIdentity) {
    return new ClientSecurity(newIdentity, secret, tls, kerberos, tokens);
  }

  /** With this secret. */
  public ClientSecurity withSecret(SharedSecret newSecret) {
    return new ClientSecurity(identity, Optional.of(newSecret), tls, kerberos, tokens);
  }

  /** With TLS. */
  public ClientSecurity withTls(ClientTls newTls) {
    return new ClientSecurity(identity, secret, Optional.of(newTls), kerberos, tokens);
  }

  /** With Kerberos. */
  public ClientSecurity withKerberos(ClientKerberos newKerberos) {
    return new ClientSecurity(identity, secret, tls, Optional.of(newKerberos), tokens);
  }

  /** With these tokens, looked up for each connection. */
  public ClientSecurity withTokens(Supplier<Optional<ClientToken>> newTokens) {
    return new ClientSecurity(identity, secret, tls, kerberos, newTokens);
  }

  /** Without tokens: what obtains, renews or cancels one shows something else. */
  public ClientSecurity withoutTokens() {
    return withTokens(Optional::empty);
  }

  /** Returns the security of a connection made now. */
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

  /** The longest frame of the server's before its welcome, head included. */
  public int maxHandshakeBytes() {
    return kerberos.isPresent()
        ? FrameLayout.MAX_SASL_FRAME_BYTES
        : FrameLayout.MAX_HANDSHAKE_BYTES;
  }
}
