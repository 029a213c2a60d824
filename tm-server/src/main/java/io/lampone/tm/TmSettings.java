package io.lampone.tm;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tm.zookeeper.AclSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Settings of a transaction manager, in the order of the reference page. */
public final class TmSettings {

  private static final int HIGHEST_PORT = 65_535;

  private static final SettingList LIST = new SettingList(TransactionManagerConfig.PREFIX, false);

  static final Setting<String> ZOOKEEPER_QUORUM =
      LIST.text(
          "zookeeper.quorum",
          "localhost:2181",
          "ZooKeeper's servers, host:port with commas between them: those of HBase.");
  static final Setting<String> ZOOKEEPER_PARENT =
      LIST.znode(
          "zookeeper.parent",
          ManagerRecord.DEFAULT_PARENT,
          "The znode under which the record is kept; clients and region servers need the same"
              + " one in lampone.zookeeper.parent.");
  static final Setting<Duration> ZOOKEEPER_SESSION_TIMEOUT =
      timeout(
          "zookeeper.session.timeout",
          "10s",
          "Of this process's session with ZooKeeper; has nothing to do with the lease.");
  static final Setting<String> ADVERTISED_HOST =
      LIST.text(
          "advertised.host",
          "",
          "What clients and region servers connect to. Unless it is set: the address that is"
              + " listened on, or this machine's name if that is a wildcard.");
  static final Setting<AclSettings.Mode> ZOOKEEPER_ACL =
      LIST.choice(
          "zookeeper.acl",
          AclSettings.Mode.class,
          "How the znodes of the transaction managers are protected from changes; any client may"
              + " read them. auto is sasl where this process proves itself to ZooKeeper by SASL, else digest if"
              + " its file is given, else open, which is refused unless this process listens on"
              + " loopback only.");
  static final Setting<Optional<Path>> ZOOKEEPER_ACL_DIGEST_FILE =
      LIST.file(
          "zookeeper.acl.digest.file",
          "One line, user:password, the same for all transaction managers; the password has 16"
              + " characters or more.");
  static final Setting<String> ZOOKEEPER_ACL_SASL_PRINCIPALS =
      LIST.text(
          "zookeeper.acl.sasl.principals",
          "",
          "Ids by which ZooKeeper knows the transaction managers, with commas between them."
              + " Unless it is set: the id of the process that makes a znode.");
  static final Setting<String> BIND_HOST =
      LIST.text(
          "bind.host",
          "",
          "The address to listen on. Unless it is set: every one, 0.0.0.0, if clients must show"
              + " something or security.open is true, else 127.0.0.1.");
  static final Setting<Integer> BIND_PORT =
      LIST.count(
          "bind.port",
          TransactionManagerConfig.DEFAULT_PORT,
          0,
          HIGHEST_PORT,
          "The port to listen on; 0 for any.");
  static final Setting<Duration> LEASE_DURATION =
      LIST.duration(
          "lease.duration",
          "2s",
          "100ms",
          ManagerRecord.LONGEST_AHEAD.dividedBy(2).toSeconds() + "s",
          "How long a renewal counts: the primary answers for nine tenths of it, and a backup"
              + " takes over when it has seen none for eleven tenths; clients wait that long"
              + " when a primary dies. All transaction managers need the same.");
  static final Setting<Duration> LEASE_RENEW_INTERVAL =
      LIST.duration(
          "lease.renew.interval",
          "500ms",
          "1ms",
          "",
          "How often the lease is renewed; at most half of lease.duration.");
  static final Setting<Duration> TIMESTAMPS_AHEAD =
      LIST.duration(
          "timestamps.ahead",
          "5s",
          "1ms",
          ManagerRecord.LONGEST_AHEAD.dividedBy(2).toSeconds() + "s",
          "How far the persisted bound of timestamps is kept ahead of the clock; at least"
              + " lease.duration.");
  static final Setting<Duration> CLOCK_AHEAD_LIMIT =
      LIST.duration(
          "clock.ahead.limit",
          "5s",
          "0ms",
          ManagerRecord.LONGEST_AHEAD.toSeconds() + "s",
          "A transaction manager whose clock is further ahead of the median of ZooKeeper's and"
              + " the other transaction managers' takes no epoch, and a primary hands over;"
              + " together with timestamps.ahead at most 60s; 0ms: clocks are not compared.");
  static final Setting<Integer> CONFLICT_TABLE_CAPACITY =
      LIST.count(
          "conflict.table.capacity",
          1 << 22,
          1,
          1 << 28,
          "Hashes of written keys that are kept to find conflicts, less than 19 bytes of memory"
              + " each. Divided by the keys written a second it is how old a transaction may be"
              + " that is still validated.");
  static final Setting<Integer> DECISION_MEMORY_CAPACITY =
      LIST.count(
          "decision.memory.capacity",
          1 << 20,
          1,
          1 << 28,
          "Decisions that are kept for repeated requests, less than 27 bytes of memory each.");
  static final Setting<Duration> RETENTION =
      lifetime(
          "retention",
          "10m",
          "How long every snapshot stays readable at least. All transaction managers need the"
              + " same; a table may keep its snapshots longer.");
  static final Setting<Duration> HOLD_LONGEST =
      lifetime(
          "hold.longest",
          "10m",
          "How long a hold keeps its snapshot readable at most, unless it is renewed; and how"
              + " long the oldest readable snapshot stays where it is after an unplanned"
              + " takeover. All transaction managers need the same.");
  static final Setting<String> VALIDATOR_NAME =
      LIST.text(
          "validator.name",
          "",
          "Name of this process if it is a validator only, as 'lampone validator run' sets it;"
              + " empty for a transaction manager.");
  static final Setting<Duration> VALIDATOR_SILENCE =
      LIST.duration(
          "validator.silence",
          "1s",
          "500ms", // asked every 200 ms
          "1440m",
          "Silence of a validator after which the primary gives its buckets to the others.");
  static final Setting<Boolean> BUCKETS_PRIMARY =
      LIST.flag(
          "buckets.primary",
          true,
          "Whether the primary keeps a share of the buckets when validators are added.");
  static final Setting<Long> MAX_FRAME_BYTES =
      LIST.bytes(
          "max.frame.bytes",
          1 << 20,
          FrameLayout.LOWEST_MAX_FRAME_BYTES,
          FrameLayout.HIGHEST_MAX_FRAME_BYTES,
          "The longest frame that clients may send. It limits a transaction to some 60,000 rows"
              + " (at level CELL: columns) in several regions, and is decided in one step, which"
              + " takes about 15 ms at the default.");
  static final Setting<Integer> MAX_MESSAGES_PER_FRAME =
      LIST.count(
          "max.messages.per.frame",
          4096,
          1,
          1 << 14,
          "The most requests in a frame; at most max.outstanding.per.connection.");
  static final Setting<Integer> MAX_CONNECTIONS =
      LIST.count(
          "max.connections",
          4096,
          1,
          Integer.MAX_VALUE,
          "The most connections at a time: two for each client and each region server, and a"
              + " third of a client for moments, when it takes or renews a hold.");
  static final Setting<Integer> MAX_OUTSTANDING_PER_CONNECTION =
      LIST.count(
          "max.outstanding.per.connection",
          1 << 14,
          1,
          1 << 20,
          "Replies that may wait for a slow client before it is refused; at most"
              + " max.outstanding.");
  static final Setting<Integer> MAX_OUTSTANDING =
      LIST.count(
          "max.outstanding",
          1 << 20,
          1,
          Integer.MAX_VALUE,
          "Replies that may wait for all clients together; above half of it, the slowest connection"
              + " is closed.");
  static final Setting<Duration> HANDSHAKE_TIMEOUT =
      timeout(
          "handshake.timeout",
          "5s",
          "How long a new connection may take to introduce itself, TLS included.");
  static final Setting<Boolean> EVENT_LOOP_BUSY_POLL =
      LIST.flag(
          "event.loop.busy.poll",
          false,
          "Whether the event loop never sleeps: takes a core for itself, answers some"
              + " microseconds earlier.");
  static final Setting<Authenticator.Mode> SECURITY_AUTHENTICATION =
      LIST.choice(
          "security.authentication",
          Authenticator.Mode.class,
          "What clients must show; see docs/operations/security.md.");
  static final Setting<Phase> SECURITY_PHASE =
      LIST.choice(
          "security.phase",
          Phase.class,
          "permissive while authentication is being switched on: clients that prove nothing are"
              + " served, too, and counted.");
  static final Setting<Phase> SECURITY_TLS_PHASE =
      LIST.choice(
          "security.tls.phase",
          Phase.class,
          "permissive while TLS is being switched on: clients without it are served, too, and"
              + " counted.");
  static final Setting<Optional<Path>> SECURITY_PRINCIPALS_FILE =
      LIST.file(
          "security.principals.file",
          "The principals: name, roles, tenants, secret. Read again when it changes.");
  static final Setting<Optional<Path>> SECURITY_TLS_CERTIFICATE_FILE =
      LIST.file(
          "security.tls.certificate.file",
          "PEM: the server's certificate; switches TLS on, together with the key.");
  static final Setting<Optional<Path>> SECURITY_TLS_KEY_FILE =
      LIST.file("security.tls.key.file", "PEM: its key (PKCS#8).");
  static final Setting<Optional<Path>> SECURITY_TLS_KEY_PASSWORD_FILE =
      LIST.file("security.tls.key.password.file", "The password of the key, if it has one.");
  static final Setting<Optional<Path>> SECURITY_TLS_AUTHORITY_FILE =
      LIST.file(
          "security.tls.authority.file",
          "PEM: who signs the certificates of clients, and of transaction managers that are"
              + " handed over to. For these Java's authorities unless it is set.");
  static final Setting<ClientCertificates> SECURITY_TLS_CLIENT_CERTIFICATES =
      LIST.choice(
          "security.tls.client.certificates",
          ClientCertificates.class,
          "Whether clients show a certificate; needs TLS.");
  static final Setting<String> SECURITY_KERBEROS_PRINCIPAL =
      LIST.text(
          "security.kerberos.principal",
          "",
          "This server's own principal, service/host@REALM, with the host that it advertises;"
              + " clients name the service in lampone.client.manager.kerberos.service.");
  static final Setting<Optional<Path>> SECURITY_KERBEROS_KEYTAB_FILE =
      LIST.file("security.kerberos.keytab.file", "The keytab with the keys of that principal.");
  static final Setting<Duration> SECURITY_KERBEROS_CONNECTION_LIFETIME =
      lifetime(
          "security.kerberos.connection.lifetime",
          "1440m",
          "How long a connection lasts at most that is made by a Kerberos ticket; clients make"
              + " another one without losing a request.");
  static final Setting<String> SECURITY_PEER_PRINCIPAL =
      LIST.text(
          "security.peer.principal",
          "",
          "The name by which this transaction manager hands over to another one, with the role"
              + " administrator there.");
  static final Setting<Optional<Path>> SECURITY_PEER_SECRET_FILE =
      LIST.file("security.peer.secret.file", "The secret of that name.");
  static final Setting<Optional<Path>> SECURITY_CLUSTER_KEY_FILE =
      LIST.file(
          "security.cluster.key.file",
          "The key by which transactions belong to their clients: 64 hexadecimal digits, which"
              + " lampone tm keys makes; the same for all transaction managers and region servers."
              + " Without it any client can make the proofs.");
  static final Setting<Duration> SECURITY_TOKEN_LIFETIME =
      lifetime(
          "security.token.lifetime",
          "1440m",
          "How long a delegation token is valid unless it is renewed.");
  static final Setting<Duration> SECURITY_TOKEN_LIFETIME_LONGEST =
      lifetime(
          "security.token.lifetime.longest",
          "10080m",
          "No delegation token is valid for longer than this after it was issued, however often it"
              + " is renewed.");
  static final Setting<Integer> SECURITY_TOKEN_KEPT =
      LIST.count(
          "security.token.kept",
          TokenSettings.DEFAULT.kept(),
          1,
          TokenSettings.HIGHEST_KEPT,
          "Renewed delegation tokens that are kept track of in ZooKeeper until they expire, and"
              + " as many cancelled ones.");
  static final Setting<Integer> SECURITY_TOKEN_KEPT_OF_OWNER =
      LIST.count(
          "security.token.kept.of.owner",
          TokenSettings.DEFAULT.keptOfOwner(),
          1,
          TokenSettings.HIGHEST_KEPT,
          "The same for each owner; a fifth of it of cancelled ones.");
  static final Setting<Boolean> SECURITY_OPEN =
      LIST.flag(
          "security.open",
          false,
          "Whether others than this machine's own processes are let in although clients need"
              + " show nothing.");
  static final Setting<Duration> ADMISSION_DELAY_LIMIT =
      timeout(
          "admission.delay.limit",
          "10ms",
          "How late the event loop may be before a connection is refused what is beyond its"
              + " share.");
  static final Setting<Integer> ADMISSION_MAX_HALF_OPEN =
      LIST.count(
          "admission.max.half.open",
          256,
          1,
          Integer.MAX_VALUE,
          "Connections that may be in their handshake at a time; the oldest makes room.");
  static final Setting<Integer> ADMISSION_CONNECTIONS_OF_PRINCIPAL =
      LIST.count(
          AdmissionSettings.CONNECTIONS_OF_PRINCIPAL,
          AdmissionSettings.DEFAULT.connectionsOfPrincipal(),
          1,
          Integer.MAX_VALUE,
          "The most connections of a principal that has proved its name; two or three for each"
              + " client. Of one with the role region as well it is for each address.");
  static final Setting<Integer> ADMISSION_CONNECTIONS_OF_REGION_SERVER =
      LIST.count(
          AdmissionSettings.CONNECTIONS_OF_REGION_SERVER,
          AdmissionSettings.DEFAULT.connectionsOfRegionServer(),
          1,
          Integer.MAX_VALUE,
          "The most connections from each address of a principal with the role region and"
              + " neither client nor backup; two for each region server.");
  static final Setting<Integer> ADMISSION_CONNECTIONS_PER_SECOND =
      LIST.count(
          AdmissionSettings.CONNECTIONS_PER_SECOND,
          AdmissionSettings.DEFAULT.connectionsPerSecond(),
          1,
          AdmissionSettings.HIGHEST_PER_SECOND,
          "The most connections that are accepted in a second; a quarter of them while more"
              + " than an eighth end within their first second. The others wait.");
  static final Setting<Optional<Path>> ADMISSION_TENANTS_FILE =
      LIST.file("admission.tenants.file", "Quotas of tenants. Read again when it changes.");
  static final Setting<Duration> ADMISSION_TABLE_AGE =
      LIST.duration(
          "admission.table.age",
          "10s",
          "0s",
          "1440m",
          "For so long conflicts and decisions are kept, however much one principal validates:"
              + " if the tables would turn over sooner, the principal that adds most is refused"
              + " (unless it is the only one). 0s is off.");
  static final Setting<String> HTTP_HOST =
      LIST.text(
          "http.host",
          "",
          "The address on which metrics and health are served. Unless it is set: as bind.host.");
  static final Setting<Integer> HTTP_PORT =
      LIST.count(
          "http.port",
          HttpSettings.DEFAULT.port(),
          HttpSettings.OFF,
          HIGHEST_PORT,
          "The port of metrics and health; -1 switches it off.");
  static final Setting<Optional<Path>> HTTP_TOKEN_FILE =
      LIST.file(
          "http.token.file",
          "The bearer token, at least 16 characters, that pages other than /health and /ready"
              + " take. Without it they are for processes of this machine, or for all if"
              + " lampone.tm.security.open=true.");

  /** All settings. */
  public static final List<Setting<?>> ALL = LIST.all();

  private TmSettings() {}

  /** Declares a wait: at most a day. */
  private static Setting<Duration> timeout(String name, String defaultValue, String meaning) {
    return LIST.duration(name, defaultValue, "1ms", "1440m", meaning);
  }

  /** Declares how long something is kept: at most thirty days. */
  private static Setting<Duration> lifetime(String name, String defaultValue, String meaning) {
    return LIST.duration(name, defaultValue, "1s", "43200m", meaning);
  }

  /** Returns the full names, sorted. */
  static TreeSet<String> names() {
    return LIST.names();
  }
}
