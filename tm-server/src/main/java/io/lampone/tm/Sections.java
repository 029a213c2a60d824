package io.lampone.tm;

import io.lampone.protocol.config.Setting;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.Retention;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.PeerSettings;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.Principals;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tm.zookeeper.AclSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sections of the configuration: how each is read from its settings, and its constraints. */
final class Sections {

  private Sections() {}

  static SecuritySettings security(Function<String, @Nullable String> values) {
    return new SecuritySettings(
        TmSettings.SECURITY_AUTHENTICATION.read(values),
        TmSettings.SECURITY_PRINCIPALS_FILE.read(values),
        tls(values),
        TmSettings.SECURITY_CLUSTER_KEY_FILE.read(values),
        kerberos(values),
        TmSettings.SECURITY_PHASE.read(values),
        TmSettings.SECURITY_TLS_PHASE.read(values),
        tokens(values),
        peer(values));
  }

  private static TokenSettings tokens(Function<String, @Nullable String> values) {
    return new TokenSettings(
        TmSettings.SECURITY_TOKEN_LIFETIME.read(values),
        TmSettings.SECURITY_TOKEN_LIFETIME_LONGEST.read(values),
        TmSettings.SECURITY_TOKEN_KEPT.read(values),
        TmSettings.SECURITY_TOKEN_KEPT_OF_OWNER.read(values));
  }

  /** Fails if these settings are out of range. */
  static void check(TokenSettings tokens) {
    TmSettings.SECURITY_TOKEN_LIFETIME.check(tokens.lifetime());
    TmSettings.SECURITY_TOKEN_LIFETIME_LONGEST.check(tokens.longestLifetime());
    TmSettings.SECURITY_TOKEN_KEPT.check(tokens.kept());
    TmSettings.SECURITY_TOKEN_KEPT_OF_OWNER.check(tokens.keptOfOwner());
  }

  static Exposure exposure(Function<String, @Nullable String> values) {
    AclSettings acl =
        new AclSettings(
            TmSettings.ZOOKEEPER_ACL.read(values),
            TmSettings.ZOOKEEPER_ACL_DIGEST_FILE.read(values),
            Arrays.stream(TmSettings.ZOOKEEPER_ACL_SASL_PRINCIPALS.read(values).split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList());
    TmSettings.ZOOKEEPER_ACL_DIGEST_FILE.require(
        acl.mode() != AclSettings.Mode.DIGEST || acl.digestFile().isPresent(),
        "",
        "the name of a file, for " + TmSettings.ZOOKEEPER_ACL + " is digest");
    return new Exposure(TmSettings.SECURITY_OPEN.read(values), acl);
  }

  static AdmissionSettings admission(Function<String, @Nullable String> values) {
    return new AdmissionSettings(
        TmSettings.ADMISSION_DELAY_LIMIT.read(values),
        TmSettings.ADMISSION_MAX_HALF_OPEN.read(values),
        TmSettings.ADMISSION_TENANTS_FILE.read(values),
        TmSettings.ADMISSION_TABLE_AGE.read(values),
        TmSettings.ADMISSION_CONNECTIONS_OF_PRINCIPAL.read(values),
        TmSettings.ADMISSION_CONNECTIONS_OF_REGION_SERVER.read(values),
        TmSettings.ADMISSION_CONNECTIONS_PER_SECOND.read(values));
  }

  static Sharding sharding(Function<String, @Nullable String> values) {
    return new Sharding(
        TmSettings.VALIDATOR_NAME.read(values),
        TmSettings.BUCKETS_PRIMARY.read(values),
        TmSettings.VALIDATOR_SILENCE.read(values));
  }

  /** Fails if these settings are out of range. */
  static void check(Sharding sharding) {
    TmSettings.VALIDATOR_SILENCE.check(sharding.silence());
    TmSettings.VALIDATOR_NAME.require(
        sharding.name().matches("[A-Za-z0-9._-]{0,63}"),
        sharding.name(),
        "at most 63 letters, digits, dots, hyphens and underscores");
  }

  static Retention retention(Function<String, @Nullable String> values) {
    return new Retention(TmSettings.RETENTION.read(values), TmSettings.HOLD_LONGEST.read(values));
  }

  /** Fails if these settings are out of range. */
  static void check(Retention retention) {
    TmSettings.RETENTION.check(retention.snapshots());
    TmSettings.HOLD_LONGEST.check(retention.longestHold());
  }

  static HttpSettings http(Function<String, @Nullable String> values) {
    return new HttpSettings(
        TmSettings.HTTP_HOST.read(values),
        TmSettings.HTTP_PORT.read(values),
        TmSettings.HTTP_TOKEN_FILE.read(values),
        HttpSettings.DEFAULT.open());
  }

  /** Fails if these settings contradict each other; files are checked when they are read. */
  static void check(SecuritySettings security, AdmissionSettings admission, HttpSettings http) {
    Optional<ClientCertificates> certificates = security.tls().map(TlsSettings::clientCertificates);
    TmSettings.SECURITY_PRINCIPALS_FILE.require(
        security.authentication() != Mode.SECRET || security.principalsFile().isPresent(),
        "",
        "the name of a file, for authentication is by secret");
    TmSettings.SECURITY_TLS_CLIENT_CERTIFICATES.require(
        security.authentication() != Mode.CERTIFICATE
            || certificates.filter(ClientCertificates.REQUIRED::equals).isPresent(),
        certificates.map(ClientCertificates::name).orElse(""),
        "required, with TLS, for authentication is by certificate");
    TmSettings.SECURITY_KERBEROS_PRINCIPAL.require(
        security.authentication() != Mode.KERBEROS || security.kerberos().isPresent(),
        "",
        "given, with "
            + TmSettings.SECURITY_KERBEROS_KEYTAB_FILE
            + ", for authentication is by Kerberos");
    TmSettings.SECURITY_AUTHENTICATION.require(
        security.phase() == Phase.REQUIRED || security.authentication() != Mode.NONE,
        "none",
        "what is being switched on, for " + TmSettings.SECURITY_PHASE + " is permissive");
    TmSettings.SECURITY_TLS_CERTIFICATE_FILE.require(
        security.tlsPhase() == Phase.REQUIRED || security.tls().isPresent(),
        "",
        "the name of a file, for " + TmSettings.SECURITY_TLS_PHASE + " is permissive");
    TmSettings.SECURITY_TLS_AUTHORITY_FILE.require(
        certificates.isEmpty()
            || certificates.get() == ClientCertificates.NONE
            || security.tls().flatMap(TlsSettings::authorityFile).isPresent(),
        "",
        "the name of a file, for clients show certificates");
    TmSettings.ADMISSION_DELAY_LIMIT.check(admission.delayLimit());
    TmSettings.ADMISSION_TABLE_AGE.check(admission.tableAge());
    TmSettings.ADMISSION_MAX_HALF_OPEN.check(admission.maxHalfOpen());
    TmSettings.ADMISSION_CONNECTIONS_OF_PRINCIPAL.check(admission.connectionsOfPrincipal());
    TmSettings.ADMISSION_CONNECTIONS_OF_REGION_SERVER.check(admission.connectionsOfRegionServer());
    TmSettings.ADMISSION_CONNECTIONS_PER_SECOND.check(admission.connectionsPerSecond());
    TmSettings.HTTP_PORT.check(http.port());
  }

  private static Optional<KerberosSettings> kerberos(Function<String, @Nullable String> values) {
    String principal = TmSettings.SECURITY_KERBEROS_PRINCIPAL.read(values);
    Optional<Path> keytab = TmSettings.SECURITY_KERBEROS_KEYTAB_FILE.read(values);
    requireBoth(
        TmSettings.SECURITY_KERBEROS_PRINCIPAL,
        !principal.isEmpty(),
        TmSettings.SECURITY_KERBEROS_KEYTAB_FILE,
        keytab.isPresent());
    TmSettings.SECURITY_KERBEROS_PRINCIPAL.require(
        principal.isEmpty() || KerberosSettings.isPrincipal(principal),
        principal,
        "of the form service/host@REALM");
    Duration lifetime = TmSettings.SECURITY_KERBEROS_CONNECTION_LIFETIME.read(values);
    return keytab.map(file -> new KerberosSettings(principal, file, lifetime));
  }

  /** Fails if one of two settings is given without the other. */
  private static void requireBoth(
      Setting<?> first, boolean hasFirst, Setting<?> second, boolean hasSecond) {
    first.require(hasFirst || !hasSecond, "", "given, because " + second + " is");
    second.require(hasSecond || !hasFirst, "", "given, because " + first + " is");
  }

  private static Optional<PeerSettings> peer(Function<String, @Nullable String> values) {
    String principal = TmSettings.SECURITY_PEER_PRINCIPAL.read(values);
    Optional<Path> secret = TmSettings.SECURITY_PEER_SECRET_FILE.read(values);
    TmSettings.SECURITY_PEER_PRINCIPAL.require(
        principal.isEmpty() || Principals.isName(principal),
        principal,
        "a name as in the principals file");
    requireBoth(
        TmSettings.SECURITY_PEER_PRINCIPAL,
        !principal.isEmpty(),
        TmSettings.SECURITY_PEER_SECRET_FILE,
        secret.isPresent());
    return secret.map(file -> new PeerSettings(principal, file));
  }

  private static Optional<TlsSettings> tls(Function<String, @Nullable String> values) {
    Optional<Path> certificate = TmSettings.SECURITY_TLS_CERTIFICATE_FILE.read(values);
    Optional<Path> key = TmSettings.SECURITY_TLS_KEY_FILE.read(values);
    Optional<Path> authority = TmSettings.SECURITY_TLS_AUTHORITY_FILE.read(values);
    ClientCertificates clients = TmSettings.SECURITY_TLS_CLIENT_CERTIFICATES.read(values);
    if (certificate.isPresent() && key.isPresent()) {
      return Optional.of(
          new TlsSettings(
              certificate.get(),
              key.get(),
              TmSettings.SECURITY_TLS_KEY_PASSWORD_FILE.read(values),
              authority,
              clients));
    }
    // With a part of the settings the server would use plain text, although TLS was intended.
    boolean mentioned =
        certificate.isPresent()
            || key.isPresent()
            || authority.isPresent()
            || clients != ClientCertificates.NONE;
    Setting<?> missing =
        certificate.isEmpty()
            ? TmSettings.SECURITY_TLS_CERTIFICATE_FILE
            : TmSettings.SECURITY_TLS_KEY_FILE;
    missing.require(!mentioned, "", "the name of a file, for other TLS properties are given");
    return Optional.empty();
  }
}
