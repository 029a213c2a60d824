package io.lampone.tm.net;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * How this transaction manager makes itself known to another one that it hands over to: as an
 * administrator, where that has to be proved.
 *
 * @param identity its name there
 * @param secret what proves it; nothing is handed over to somebody who does not know it
 */
public record PeerCredential(Identity identity, Optional<SharedSecret> secret) {

  /** Where nothing has to be proved. */
  public static final PeerCredential NONE = new PeerCredential(Identity.NOBODY, Optional.empty());

  /** Random bytes, used once. */
  Bytes nonce() {
    byte[] bytes = new byte[FrameLayout.NONCE_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Bytes.wrap(bytes);
  }
}
