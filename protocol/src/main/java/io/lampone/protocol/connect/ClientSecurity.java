package io.lampone.protocol.connect;

import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.util.Optional;

/**
 * How a client and its server convince each other of who they are.
 *
 * @param identity who this client says it is
 * @param secret proves the identity, and demands of the server that it proves to know the secret
 *     too: one that does not is not believed
 * @param tls encrypts the connection, if present
 * @param kerberos proves the client's principal by a ticket, and demands the same of the server
 */
public record ClientSecurity(
    Identity identity,
    Optional<SharedSecret> secret,
    Optional<ClientTls> tls,
    Optional<ClientKerberos> kerberos) {

  /** Nobody says or proves anything. */
  public static final ClientSecurity NONE =
      new ClientSecurity(Identity.NOBODY, Optional.empty(), Optional.empty(), Optional.empty());

  /** Under this name and tenant. */
  public ClientSecurity withIdentity(Identity newIdentity) {
    return new ClientSecurity(newIdentity, secret, tls, kerberos);
  }

  /** With this secret. */
  public ClientSecurity withSecret(SharedSecret newSecret) {
    return new ClientSecurity(identity, Optional.of(newSecret), tls, kerberos);
  }

  /** With TLS. */
  public ClientSecurity withTls(ClientTls newTls) {
    return new ClientSecurity(identity, secret, Optional.of(newTls), kerberos);
  }

  /** With Kerberos. */
  public ClientSecurity withKerberos(ClientKerberos newKerberos) {
    return new ClientSecurity(identity, secret, tls, Optional.of(newKerberos));
  }

  /** The longest frame of the server's before its welcome, head included. */
  public int maxHandshakeBytes() {
    return kerberos.isPresent()
        ? FrameLayout.MAX_SASL_FRAME_BYTES
        : FrameLayout.MAX_HANDSHAKE_BYTES;
  }
}
