package io.lampone.tm.net;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.TlsContext;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;

/**
 * Credential of this transaction manager at another one that it hands over to: of an administrator,
 * where a proof is required.
 *
 * @param security its name there, and the proof of it; nothing is handed over to a peer that does
 *     not know the secret
 * @param tls the protection of the connection; empty for plain text
 */
public record PeerCredential(ClientSecurity security, Optional<SslContext> tls) {

  /** Returns the credential by the files at this moment: they may change while the server runs. */
  public static PeerCredential of(Security security) {
    return new PeerCredential(
        new ClientSecurity(
            security.peerIdentity(),
            security.peerSecret(),
            Optional.empty(),
            security.peerKerberos()),
        security.tls().map(TlsContext::peers));
  }
}
