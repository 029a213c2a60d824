package io.lampone.tm.security;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Whom the server believes, and how what travels is protected.
 *
 * @param authentication what clients must show
 * @param principalsFile everybody known, in the form of {@link Principals}
 * @param tls files for TLS; empty for plain text
 * @param clusterKeyFile the key of the proofs; empty for the public one
 * @param peer what this server shows to others of its kind that demand a secret; empty for nothing
 */
public record SecuritySettings(
    Authenticator.Mode authentication,
    Optional<Path> principalsFile,
    Optional<TlsSettings> tls,
    Optional<Path> clusterKeyFile,
    Optional<PeerSettings> peer) {

  /** Believes everybody, protects nothing. */
  public static final SecuritySettings OFF =
      new SecuritySettings(
          Authenticator.Mode.NONE,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
}
