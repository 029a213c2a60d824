package io.lampone.tm.security;

import io.lampone.tm.token.core.TokenSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Authentication of clients and protection of connections.
 *
 * @param authentication the proof required of clients
 * @param principalsFile all known principals, in the format of {@link Principals}
 * @param tls files for TLS; empty for plain text
 * @param clusterKeyFile the key of the proofs; empty for the public one
 * @param kerberos this server's principal, for clients and other transaction managers; empty for
 *     none
 * @param phase whether clients must authenticate already
 * @param tlsPhase whether clients must use TLS already, if configured
 * @param tokens lifetimes of delegation tokens
 * @param peer credentials at other transaction managers that require a secret; empty for none
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

  /** Settings that trust every client and encrypt nothing. */
  public static final SecuritySettings OFF =
      new SecuritySettings(
          Authenticator.Mode.NONE,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** Creates settings without Kerberos that require everything. */
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

  /** Returns these settings with a Kerberos principal. */
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

  /** Returns these settings in other phases. */
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

  /** Returns these settings with other delegation tokens. */
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
