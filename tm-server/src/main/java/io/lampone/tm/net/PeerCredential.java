package io.lampone.tm.net;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.TlsContext;
import io.netty.handler.ssl.SslContext;
import java.util.Optional;

/**
 * How this transaction manager makes itself known to another one that it hands over to: as an
 * administrator, where that has to be proved.
 *
 * @param security its name there, and what proves it; nothing is handed over to somebody who does
 *     not know the secret
 * @param tls what protects the connection; empty for plain text
 */
public record PeerCredential(ClientSecurity security, Optional<SslContext> tls) {

  /** What the files say at this moment: they may change while the server runs. */
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
