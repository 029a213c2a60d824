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
 * @param kerberos this server's principal, for clients and for others of its kind; empty for none
 * @param peer what this server shows to others of its kind that demand a secret; empty for nothing
 */
public record SecuritySettings(
    Authenticator.Mode authentication,
    Optional<Path> principalsFile,
    Optional<TlsSettings> tls,
    Optional<Path> clusterKeyFile,
    Optional<KerberosSettings> kerberos,
    Optional<PeerSettings> peer) {

  /** Believes everybody, protects nothing. */
  public static final SecuritySettings OFF =
      new SecuritySettings(
          Authenticator.Mode.NONE,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** Without Kerberos. */
  public SecuritySettings(
      Authenticator.Mode authentication,
      Optional<Path> principalsFile,
      Optional<TlsSettings> tls,
      Optional<Path> clusterKeyFile,
      Optional<PeerSettings> peer) {
    this(authentication, principalsFile, tls, clusterKeyFile, Optional.empty(), peer);
  }

  /** With this principal of the server's own. */
  public SecuritySettings withKerberos(KerberosSettings newKerberos) {
    return new SecuritySettings(
        authentication, principalsFile, tls, clusterKeyFile, Optional.of(newKerberos), peer);
  }
}
