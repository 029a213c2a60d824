package io.lampone.tm.security;

import io.lampone.tm.token.core.TokenSettings;
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
 * @param phase whether clients must prove themselves yet
 * @param tlsPhase whether they must talk TLS yet, where it is set up
 * @param tokens how long delegation tokens are valid
 * @param peer what this server shows to others of its kind that demand a secret; empty for nothing
 */
public record SecuritySettings(
    Authenticator.Mode authentication,
    Optional<Path> principalsFile,
    Optional<TlsSettings> tls,
    Optional<Path> clusterKeyFile,
    Optional<KerberosSettings> kerberos,
    Phase phase,
    Phase tlsPhase,
    TokenSettings tokens,
    Optional<PeerSettings> peer) {

  /** Believes everybody, protects nothing. */
  public static final SecuritySettings OFF =
      new SecuritySettings(
          Authenticator.Mode.NONE,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** Without Kerberos, everything required. */
  public SecuritySettings(
      Authenticator.Mode authentication,
      Optional<Path> principalsFile,
      Optional<TlsSettings> tls,
      Optional<Path> clusterKeyFile,
      Optional<PeerSettings> peer) {
    this(
        authentication,
        principalsFile,
        tls,
        clusterKeyFile,
        Optional.empty(),
        Phase.REQUIRED,
        Phase.REQUIRED,
        TokenSettings.DEFAULT,
        peer);
  }

  /** With this principal of the server's own. */
  public SecuritySettings withKerberos(KerberosSettings newKerberos) {
    return new SecuritySettings(
        authentication,
        principalsFile,
        tls,
        clusterKeyFile,
        Optional.of(newKerberos),
        phase,
        tlsPhase,
        tokens,
        peer);
  }

  /** In these phases of being switched on. */
  public SecuritySettings withPhases(Phase newPhase, Phase newTlsPhase) {
    return new SecuritySettings(
        authentication,
        principalsFile,
        tls,
        clusterKeyFile,
        kerberos,
        newPhase,
        newTlsPhase,
        tokens,
        peer);
  }

  /** With these delegation tokens. */
  public SecuritySettings withTokens(TokenSettings newTokens) {
    return new SecuritySettings(
        authentication,
        principalsFile,
        tls,
        clusterKeyFile,
        kerberos,
        phase,
        tlsPhase,
        newTokens,
        peer);
  }

  /** Returns true if only clients with a proof are admitted. */
  public boolean demandsProof() {
    return authentication != Authenticator.Mode.NONE && phase == Phase.REQUIRED;
  }
}
