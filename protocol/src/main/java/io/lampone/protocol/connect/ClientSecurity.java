package io.lampone.protocol.connect;

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
 */
public record ClientSecurity(
    Identity identity, Optional<SharedSecret> secret, Optional<ClientTls> tls) {

  /** Nobody says or proves anything. */
  public static final ClientSecurity NONE =
      new ClientSecurity(Identity.NOBODY, Optional.empty(), Optional.empty());

  /** Under this name and tenant. */
  public ClientSecurity withIdentity(Identity newIdentity) {
    return new ClientSecurity(newIdentity, secret, tls);
  }

  /** With this secret. */
  public ClientSecurity withSecret(SharedSecret newSecret) {
    return new ClientSecurity(identity, Optional.of(newSecret), tls);
  }

  /** With TLS. */
  public ClientSecurity withTls(ClientTls newTls) {
    return new ClientSecurity(identity, secret, Optional.of(newTls));
  }
}
