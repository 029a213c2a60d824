package io.lampone.tm.net;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.TlsContext;
import io.netty.handler.ssl.SslContext;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * How this transaction manager makes itself known to another one that it hands over to: as an
 * administrator, where that has to be proved.
 *
 * @param identity its name there
 * @param secret what proves it; nothing is handed over to somebody who does not know it
 * @param tls what protects the connection; empty for plain text
 */
public record PeerCredential(
    Identity identity, Optional<SharedSecret> secret, Optional<SslContext> tls) {

  /** What the files say at this moment: they may change while the server runs. */
  public static PeerCredential of(Security security) {
    return new PeerCredential(
        security.peerIdentity(), security.peerSecret(), security.tls().map(TlsContext::peers));
  }

  /** Random bytes, used once. */
  Bytes nonce() {
    byte[] bytes = new byte[FrameLayout.NONCE_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Bytes.wrap(bytes);
  }
}
