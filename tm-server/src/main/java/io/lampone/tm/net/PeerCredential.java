package io.lampone.tm.net;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.TlsContext;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;

/**
 * Credentials of this transaction manager at another one to which it hands over: those of an
 * administrator if authentication is required.
 *
 * @param security its name there and the proof; nothing is handed over to a peer that does not know
 *     the secret
 * @param tls the TLS context; empty for plain text
 */
public record PeerCredential(ClientSecurity security, Optional<SslContext> tls) {

  /** Returns the credentials by the current files, which may change while the server runs. */
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
