package io.lampone.tm;

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
import java.util.Set;

/**
 * Properties of the sections of the configuration: their names, how a section is created from them,
 * and its constraints.
 */
final class Sections {

  private static final String AUTHENTICATION = "security.authentication";
  private static final String PRINCIPALS_FILE = "security.principals.file";
  private static final String CERTIFICATE_FILE = "security.tls.certificate.file";
  private static final String KEY_FILE = "security.tls.key.file";
  private static final String KEY_PASSWORD_FILE = "security.tls.key.password.file";
  private static final String AUTHORITY_FILE = "security.tls.authority.file";
  private static final String CLIENT_CERTIFICATES = "security.tls.client.certificates";
  private static final String PEER_PRINCIPAL = "security.peer.principal";
  private static final String PEER_SECRET_FILE = "security.peer.secret.file";
  private static final String PHASE = "security.phase";
  private static final String TLS_PHASE = "security.tls.phase";
  private static final String KERBEROS_PRINCIPAL = "security.kerberos.principal";
  private static final String KERBEROS_KEYTAB_FILE = "security.kerberos.keytab.file";
  private static final String KERBEROS_CONNECTION_LIFETIME =
      "security.kerberos.connection.lifetime";
  private static final String CLUSTER_KEY_FILE = "security.cluster.key.file";
  private static final String TOKEN_LIFETIME = "security.token.lifetime";
  private static final String TOKEN_LONGEST_LIFETIME = "security.token.lifetime.longest";
  private static final String TOKENS_KEPT = "security.token.kept";
  private static final String TOKENS_KEPT_OF_OWNER = "security.token.kept.of.owner";
  private static final String OPEN = "security.open";
  private static final String ACL = "zookeeper.acl";
  private static final String ACL_DIGEST_FILE = "zookeeper.acl.digest.file";
  private static final String ACL_SASL_PRINCIPALS = "zookeeper.acl.sasl.principals";
  private static final String DELAY_LIMIT = "admission.delay.limit";
  private static final String MAX_HALF_OPEN = "admission.max.half.open";
  private static final String TABLE_AGE = "admission.table.age";
  private static final String TENANTS_FILE = "admission.tenants.file";
  private static final String RETENTION = "retention";
  private static final String LONGEST_HOLD = "hold.longest";
  private static final String HTTP_HOST = "http.host";
  private static final String HTTP_PORT = "http.port";
  private static final String HTTP_TOKEN_FILE = "http.token.file";
  private static final String VALIDATOR_NAME = "validator.name";
  private static final String VALIDATOR_SILENCE = "validator.silence";
  private static final String BUCKETS_PRIMARY = "buckets.primary";

  /** The names of all properties. */
  static final Set<String> NAMES =
      Set.of(
          AUTHENTICATION,
          PRINCIPALS_FILE,
          CERTIFICATE_FILE,
          KEY_FILE,
          KEY_PASSWORD_FILE,
          AUTHORITY_FILE,
          CLIENT_CERTIFICATES,
          PEER_PRINCIPAL,
          PEER_SECRET_FILE,
          PHASE,
          TLS_PHASE,
          KERBEROS_PRINCIPAL,
          KERBEROS_KEYTAB_FILE,
          KERBEROS_CONNECTION_LIFETIME,
          CLUSTER_KEY_FILE,
          TOKEN_LIFETIME,
          TOKEN_LONGEST_LIFETIME,
          TOKENS_KEPT,
          TOKENS_KEPT_OF_OWNER,
          OPEN,
          ACL,
          ACL_DIGEST_FILE,
          ACL_SASL_PRINCIPALS,
          DELAY_LIMIT,
          MAX_HALF_OPEN,
          AdmissionSettings.CONNECTIONS_OF_PRINCIPAL,
          AdmissionSettings.CONNECTIONS_OF_REGION_SERVER,
          AdmissionSettings.CONNECTIONS_PER_SECOND,
          TENANTS_FILE,
          TABLE_AGE,
          RETENTION,
          LONGEST_HOLD,
          HTTP_HOST,
          HTTP_PORT,
          HTTP_TOKEN_FILE,
          VALIDATOR_NAME,
          VALIDATOR_SILENCE,
          BUCKETS_PRIMARY);

  private static final int HIGHEST_PORT = 65_535;

  private static final Duration SHORTEST_RETENTION = Duration.ofSeconds(1);
  private static final Duration LONGEST_RETENTION = Duration.ofDays(30);

  private Sections() {}

  static SecuritySettings security(PropertyValues values) {
    return new SecuritySettings(
        values.oneOf(AUTHENTICATION, Mode.class, SecuritySettings.OFF.authentication()),
        values.file(PRINCIPALS_FILE),
        tls(values),
        values.file(CLUSTER_KEY_FILE),
        kerberos(values),
        values.oneOf(PHASE, Phase.class, Phase.REQUIRED),
        values.oneOf(TLS_PHASE, Phase.class, Phase.REQUIRED),
        tokens(values),
        peer(values));
  }

  private static TokenSettings tokens(PropertyValues values) {
    TokenSettings otherwise = TokenSettings.DEFAULT;
    return new TokenSettings(
        values.duration(TOKEN_LIFETIME, otherwise.lifetime()),
        values.duration(TOKEN_LONGEST_LIFETIME, otherwise.longestLifetime()),
        values.integer(TOKENS_KEPT, otherwise.kept()),
        values.integer(TOKENS_KEPT_OF_OWNER, otherwise.keptOfOwner()));
  }

  /** Fails if these settings are out of range. */
  static void check(TokenSettings tokens) {
    between(TOKEN_LIFETIME, tokens.lifetime());
    between(TOKEN_LONGEST_LIFETIME, tokens.longestLifetime());
    between(TOKEN_LONGEST_LIFETIME, tokens.longestLifetime());
    TransactionManagerConfig.require(
        tokens.kept() >= 1 && tokens.kept() <= TokenSettings.HIGHEST_KEPT,
        TOKENS_KEPT,
        tokens.kept(),
        "between 1 and " + TokenSettings.HIGHEST_KEPT);
    TransactionManagerConfig.require(
        tokens.keptOfOwner() >= 1 && tokens.keptOfOwner() <= TokenSettings.HIGHEST_KEPT,
        TOKENS_KEPT_OF_OWNER,
        tokens.keptOfOwner(),
        "between 1 and " + TokenSettings.HIGHEST_KEPT);
  }

  static Exposure exposure(PropertyValues values) {
    AclSettings acl =
        new AclSettings(
            values.oneOf(ACL, AclSettings.Mode.class, AclSettings.Mode.AUTO),
            values.file(ACL_DIGEST_FILE),
            Arrays.stream(values.text(ACL_SASL_PRINCIPALS, "").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList());
    TransactionManagerConfig.require(
        acl.mode() != AclSettings.Mode.DIGEST || acl.digestFile().isPresent(),
        ACL_DIGEST_FILE,
        "",
        "the name of a file, for " + ACL + " is digest");
    return new Exposure(values.flag(OPEN, false), acl);
  }

  static AdmissionSettings admission(PropertyValues values) {
    AdmissionSettings otherwise = AdmissionSettings.DEFAULT;
    return new AdmissionSettings(
        values.duration(DELAY_LIMIT, otherwise.delayLimit()),
        values.integer(MAX_HALF_OPEN, otherwise.maxHalfOpen()),
        values.file(TENANTS_FILE),
        values.duration(TABLE_AGE, otherwise.tableAge()),
        values.integer(
            AdmissionSettings.CONNECTIONS_OF_PRINCIPAL, otherwise.connectionsOfPrincipal()),
        values.integer(
            AdmissionSettings.CONNECTIONS_OF_REGION_SERVER, otherwise.connectionsOfRegionServer()),
        values.integer(AdmissionSettings.CONNECTIONS_PER_SECOND, otherwise.connectionsPerSecond()));
  }

  static Sharding sharding(PropertyValues values) {
    return new Sharding(
        values.text(VALIDATOR_NAME, Sharding.DEFAULT.name()),
        values.flag(BUCKETS_PRIMARY, Sharding.DEFAULT.primaryKeeps()),
        values.duration(VALIDATOR_SILENCE, Sharding.DEFAULT.silence()));
  }

  /** Fails if these settings are out of range. */
  static void check(Sharding sharding) {
    TransactionManagerConfig.requireTime(VALIDATOR_SILENCE, sharding.silence());
    TransactionManagerConfig.require(
        sharding.name().matches("[A-Za-z0-9._-]{0,63}"),
        VALIDATOR_NAME,
        sharding.name(),
        "at most 63 letters, digits, dots, hyphens and underscores");
  }

  static Retention retention(PropertyValues values) {
    return new Retention(
        values.duration(RETENTION, Retention.DEFAULT.snapshots()),
        values.duration(LONGEST_HOLD, Retention.DEFAULT.longestHold()));
  }

  /** Fails if these settings are out of range. */
  static void check(Retention retention) {
    between(RETENTION, retention.snapshots());
    between(LONGEST_HOLD, retention.longestHold());
  }

  private static void between(String name, Duration value) {
    TransactionManagerConfig.require(
        value.compareTo(SHORTEST_RETENTION) >= 0 && value.compareTo(LONGEST_RETENTION) <= 0,
        name,
        value,
        "between " + SHORTEST_RETENTION + " and " + LONGEST_RETENTION);
  }

  static HttpSettings http(PropertyValues values) {
    HttpSettings otherwise = HttpSettings.DEFAULT;
    return new HttpSettings(
        values.text(HTTP_HOST, otherwise.host()),
        values.integer(HTTP_PORT, otherwise.port()),
        values.file(HTTP_TOKEN_FILE),
        otherwise.open());
  }

  /** Fails if these settings contradict each other; files are checked when they are read. */
  static void check(SecuritySettings security, AdmissionSettings admission, HttpSettings http) {
    Optional<ClientCertificates> certificates = security.tls().map(TlsSettings::clientCertificates);
    TransactionManagerConfig.require(
        security.authentication() != Mode.SECRET || security.principalsFile().isPresent(),
        PRINCIPALS_FILE,
        "",
        "the name of a file, for authentication is by secret");
    TransactionManagerConfig.require(
        security.authentication() != Mode.CERTIFICATE
            || certificates.filter(ClientCertificates.REQUIRED::equals).isPresent(),
        CLIENT_CERTIFICATES,
        certificates.map(ClientCertificates::name).orElse(""),
        "required, with TLS, for authentication is by certificate");
    TransactionManagerConfig.require(
        security.authentication() != Mode.KERBEROS || security.kerberos().isPresent(),
        KERBEROS_PRINCIPAL,
        "",
        "given, with " + KERBEROS_KEYTAB_FILE + ", for authentication is by Kerberos");
    TransactionManagerConfig.require(
        security.phase() == Phase.REQUIRED || security.authentication() != Mode.NONE,
        AUTHENTICATION,
        "none",
        "what is being switched on, for " + PHASE + " is permissive");
    TransactionManagerConfig.require(
        security.tlsPhase() == Phase.REQUIRED || security.tls().isPresent(),
        CERTIFICATE_FILE,
        "",
        "the name of a file, for " + TLS_PHASE + " is permissive");
    TransactionManagerConfig.require(
        certificates.isEmpty()
            || certificates.get() == ClientCertificates.NONE
            || security.tls().flatMap(TlsSettings::authorityFile).isPresent(),
        AUTHORITY_FILE,
        "",
        "the name of a file, for clients show certificates");
    TransactionManagerConfig.requireTime(DELAY_LIMIT, admission.delayLimit());
    TransactionManagerConfig.require(
        !admission.tableAge().isNegative()
            && admission.tableAge().compareTo(TransactionManagerConfig.LONGEST) <= 0,
        TABLE_AGE,
        admission.tableAge(),
        "zero to " + TransactionManagerConfig.LONGEST);
    TransactionManagerConfig.require(
        admission.maxHalfOpen() >= 1, MAX_HALF_OPEN, admission.maxHalfOpen(), "at least 1");
    TransactionManagerConfig.require(
        admission.connectionsOfPrincipal() >= 1,
        AdmissionSettings.CONNECTIONS_OF_PRINCIPAL,
        admission.connectionsOfPrincipal(),
        "at least 1");
    TransactionManagerConfig.require(
        admission.connectionsOfRegionServer() >= 1,
        AdmissionSettings.CONNECTIONS_OF_REGION_SERVER,
        admission.connectionsOfRegionServer(),
        "at least 1");
    TransactionManagerConfig.require(
        admission.connectionsPerSecond() >= 1
            && admission.connectionsPerSecond() <= AdmissionSettings.HIGHEST_PER_SECOND,
        AdmissionSettings.CONNECTIONS_PER_SECOND,
        admission.connectionsPerSecond(),
        "between 1 and " + AdmissionSettings.HIGHEST_PER_SECOND);
    TransactionManagerConfig.require(
        http.port() >= HttpSettings.OFF && http.port() <= HIGHEST_PORT,
        HTTP_PORT,
        http.port(),
        "between " + HttpSettings.OFF + " (off) and " + HIGHEST_PORT);
  }

  private static Optional<KerberosSettings> kerberos(PropertyValues values) {
    String principal = values.text(KERBEROS_PRINCIPAL, "");
    Optional<Path> keytab = values.file(KERBEROS_KEYTAB_FILE);
    TransactionManagerConfig.require(
        principal.isEmpty() == keytab.isEmpty(),
        principal.isEmpty() ? KERBEROS_PRINCIPAL : KERBEROS_KEYTAB_FILE,
        "",
        "given, for a principal needs its keytab, and a keytab its principal");
    TransactionManagerConfig.require(
        principal.isEmpty() || KerberosSettings.isPrincipal(principal),
        KERBEROS_PRINCIPAL,
        principal,
        "of the form service/host@REALM");
    Duration lifetime =
        values.duration(KERBEROS_CONNECTION_LIFETIME, KerberosSettings.CONNECTION_LIFETIME);
    between(KERBEROS_CONNECTION_LIFETIME, lifetime);
    return keytab.map(file -> new KerberosSettings(principal, file, lifetime));
  }

  private static Optional<PeerSettings> peer(PropertyValues values) {
    String principal = values.text(PEER_PRINCIPAL, "");
    Optional<Path> secret = values.file(PEER_SECRET_FILE);
    TransactionManagerConfig.require(
        principal.isEmpty() || Principals.isName(principal),
        PEER_PRINCIPAL,
        principal,
        "a name as in the principals file");
    TransactionManagerConfig.require(
        principal.isEmpty() == secret.isEmpty(),
        principal.isEmpty() ? PEER_PRINCIPAL : PEER_SECRET_FILE,
        "",
        "given, for a name needs its secret, and a secret its name");
    return secret.map(file -> new PeerSettings(principal, file));
  }

  private static Optional<TlsSettings> tls(PropertyValues values) {
    Optional<Path> certificate = values.file(CERTIFICATE_FILE);
    Optional<Path> key = values.file(KEY_FILE);
    Optional<Path> authority = values.file(AUTHORITY_FILE);
    ClientCertificates clients =
        values.oneOf(CLIENT_CERTIFICATES, ClientCertificates.class, ClientCertificates.NONE);
    if (certificate.isPresent() && key.isPresent()) {
      return Optional.of(
          new TlsSettings(
              certificate.get(), key.get(), values.file(KEY_PASSWORD_FILE), authority, clients));
    }
    // With a part of the settings the server would use plain text, although TLS was intended.
    boolean mentioned =
        certificate.isPresent()
            || key.isPresent()
            || authority.isPresent()
            || clients != ClientCertificates.NONE;
    TransactionManagerConfig.require(
        !mentioned,
        certificate.isEmpty() ? CERTIFICATE_FILE : KEY_FILE,
        "",
        "the name of a file, for other TLS properties are given");
    return Optional.empty();
  }
}
