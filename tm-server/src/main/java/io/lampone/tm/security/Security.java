package io.lampone.tm.security;

import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.token.DelegationTokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authentication and TLS of a server, with their files. */
public final class Security {

  private static final Logger LOG = LoggerFactory.getLogger(Security.class);

  private final Authenticator authenticator;
  private final Optional<WatchedFiles<Principals>> principals;
  private final Optional<WatchedFiles<TlsContext>> tls;
  private final Peer peer;
  private final Phase tlsPhase;
  private final Proofs proofs;
  private final DelegationTokens tokens;

  /** Credentials of this server for its peers. */
  private record Peer(
      Identity identity,
      Optional<WatchedFiles<SharedSecret>> secret,
      Optional<ClientKerberos> kerberos) {

    static final Peer NOBODY = new Peer(Identity.NOBODY, Optional.empty(), Optional.empty());
  }

  private Security(
      Authenticator authenticator,
      Optional<WatchedFiles<Principals>> principals,
      Optional<WatchedFiles<TlsContext>> tls,
      Peer peer,
      Phase tlsPhase,
      Proofs proofs,
      DelegationTokens tokens) {
    this.principals = principals;
    this.tls = tls;
    this.peer = peer;
    this.authenticator = authenticator;
    this.tlsPhase = tlsPhase;
    this.proofs = proofs;
    this.tokens = tokens;
  }

  /** Returns the settings that trust every client and encrypt nothing. */
  public static Security off() {
    return new Security(
        Authenticator.open(),
        Optional.empty(),
        Optional.empty(),
        Peer.NOBODY,
        Phase.REQUIRED,
        Proofs.OPEN,
        DelegationTokens.none());
  }

  /** Returns the settings that require a secret of these principals; without files. */
  public static Security ofSecrets(Principals principals) {
    return new Security(
        new Authenticator(Authenticator.Mode.SECRET, () -> Optional.of(principals)),
        Optional.empty(),
        Optional.empty(),
        Peer.NOBODY,
        Phase.REQUIRED,
        Proofs.OPEN,
        DelegationTokens.none());
  }

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one does not have the expected content
   */
  public static Security load(SecuritySettings settings, Clock clock) throws IOException {
    Optional<WatchedFiles<Principals>> principals = Optional.empty();
    if (settings.principalsFile().isPresent()) {
      Path file = settings.principalsFile().get();
      principals = Optional.of(new WatchedFiles<>(List.of(file), () -> readPrincipals(file)));
    }
    Optional<WatchedFiles<TlsContext>> tls = Optional.empty();
    if (settings.tls().isPresent()) {
      TlsSettings files = settings.tls().get();
      tls = Optional.of(new WatchedFiles<>(files.files(), () -> TlsContext.load(files, clock)));
    }
    Identity peerIdentity = Identity.NOBODY;
    Optional<WatchedFiles<SharedSecret>> peerSecret = Optional.empty();
    if (settings.peer().isPresent()) {
      Path file = settings.peer().get().secretFile();
      peerIdentity = new Identity(settings.peer().get().principal(), "");
      peerSecret = Optional.of(new WatchedFiles<>(List.of(file), () -> SecurityFiles.secret(file)));
    } else if (settings.authentication() == Authenticator.Mode.SECRET) {
      LOG.warn(
          "cannot hand over to a transaction manager that demands a secret, set"
              + " lampone.tm.security.peer.principal and lampone.tm.security.peer.secret.file");
    }
    Proofs proofs = proofs(settings);
    DelegationTokens tokens = new DelegationTokens(proofs, settings.tokens(), clock);
    return new Security(
        authenticator(settings, principals, tokens),
        principals,
        tls,
        new Peer(peerIdentity, peerSecret, settings.kerberos().map(Security::peerKerberos)),
        settings.tlsPhase(),
        proofs,
        tokens);
  }

  private static Authenticator authenticator(
      SecuritySettings settings,
      Optional<WatchedFiles<Principals>> principals,
      DelegationTokens tokens)
      throws IOException {
    Supplier<Optional<Principals>> known = () -> principals.map(WatchedFiles::current);
    Supplier<KerberosExchange> exchanges = Authenticator::noKerberos;
    if (settings.authentication() == Authenticator.Mode.KERBEROS) {
      KerberosSettings kerberos = settings.kerberos().orElseThrow();
      KerberosLogin login = kerberos.server();
      exchanges = () -> new KerberosExchange(login, kerberos);
    }
    return new Authenticator(settings.authentication(), known, exchanges, settings.phase(), tokens);
  }

  private static ClientKerberos peerKerberos(KerberosSettings kerberos) {
    return new ClientKerberos(
        kerberos.service(), KerberosLogin.ofKeytab(kerberos.principal(), kerberos.keytabFile()));
  }

  /** Returns the proofs under the cluster key. */
  public Proofs proofs() {
    return proofs;
  }

  /** Returns the delegation tokens of the cluster. */
  public DelegationTokens tokens() {
    return tokens;
  }

  /** Returns the authenticator of clients. */
  public Authenticator authenticator() {
    return authenticator;
  }

  /** Returns the context of the next TLS handshake; empty for plain text. */
  public Optional<TlsContext> tls() {
    return tls.map(WatchedFiles::current);
  }

  /** Returns true if clients without TLS are refused. */
  public boolean demandsTls() {
    return tls.isPresent() && tlsPhase == Phase.REQUIRED;
  }

  /** Returns this server's name at other transaction managers; may be empty. */
  public Identity peerIdentity() {
    return peer.identity();
  }

  /** Returns the secret that proves that name. */
  public Optional<SharedSecret> peerSecret() {
    return peer.secret().map(WatchedFiles::current);
  }

  /** Returns the Kerberos authentication of this server at other transaction managers. */
  public Optional<ClientKerberos> peerKerberos() {
    return peer.kerberos();
  }

  /** Returns true if there are files that may change. */
  public boolean restsOnFiles() {
    return principals.isPresent() || tls.isPresent() || peer.secret().isPresent();
  }

  /** Returns how often a changed file was unusable. */
  public int failedRefreshes() {
    return principals.map(WatchedFiles::failures).orElse(0)
        + tls.map(WatchedFiles::failures).orElse(0)
        + peer.secret().map(WatchedFiles::failures).orElse(0);
  }

  /** Returns the number of objects in force that are older than their files, which are unusable. */
  public int outdatedFiles() {
    return (int)
        Stream.of(principals, tls, peer.secret())
            .flatMap(Optional::stream)
            .filter(WatchedFiles::isOutdated)
            .count();
  }

  /** Reads changed files; returns true if the principals have changed. Not on the event loop. */
  public boolean refresh() {
    tls.ifPresent(WatchedFiles::refresh);
    peer.secret().ifPresent(WatchedFiles::refresh);
    return principals.isPresent() && principals.get().refresh();
  }

  private static Proofs proofs(SecuritySettings settings) throws IOException {
    if (settings.clusterKeyFile().isPresent()) {
      return new Proofs(SecurityFiles.clusterKey(settings.clusterKeyFile().get()));
    }
    LOG.warn(
        "without a cluster key any client may decide the transactions of others; make one by"
            + " lampone tm keys, and set lampone.tm.security.cluster.key.file");
    return Proofs.OPEN;
  }

  private static Principals readPrincipals(Path file) throws IOException {
    try {
      SecurityFiles.requirePrivate(file);
      List<String> lines = SecurityFiles.lines(file);
      if (lines.isEmpty()) {
        // A file may be empty for a moment while it is rewritten.
        throw new IllegalArgumentException(
            "the file is empty: a file with nothing but a comment admits no client, if that is"
                + " what is meant");
      }
      return Principals.parse(lines);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(e.getMessage() + ", in the principals file=" + file, e);
    }
  }
}
