package io.lampone.tm;

import io.lampone.protocol.config.Property;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.token.core.TokenSettings;
import java.util.List;

/** The declarations of a transaction manager's properties, in the order of the reference page. */
public final class TmPropertyList {

  private static final int HIGHEST_PORT = 65_535;

  /** All properties. */
  public static final List<Property> ALL =
      List.of(
          Property.text(
              name("zookeeper.quorum"),
              "localhost:2181",
              "ZooKeeper's servers, host:port with commas between them: those of HBase."),
          Property.znode(
              name("zookeeper.parent"),
              ManagerRecord.DEFAULT_PARENT,
              "The znode under which the record is kept; clients and region servers need the same"
                  + " one in lampone.zookeeper.parent."),
          Property.duration(
              name("zookeeper.session.timeout"),
              "10s",
              "1ms",
              "1440m",
              "Of this process's session with ZooKeeper; has nothing to do with the lease."),
          Property.text(
              name("advertised.host"),
              "",
              "What clients and region servers connect to. Unless it is set: the address that is"
                  + " listened on, or this machine's name if that is a wildcard."),
          Property.choice(
              name("zookeeper.acl"),
              List.of("auto", "sasl", "digest", "open"),
              "Who may change the znodes of the transaction managers; everybody may read them. auto"
                  + " is sasl where this process proves itself to ZooKeeper by SASL, else digest if"
                  + " its file is given, else open, which is refused unless this process listens on"
                  + " loopback only."),
          Property.file(
              name("zookeeper.acl.digest.file"),
              "One line, user:password, the same for all transaction managers; the password has 16"
                  + " characters or more."),
          Property.text(
              name("zookeeper.acl.sasl.principals"),
              "",
              "Ids by which ZooKeeper knows the transaction managers, with commas between them."
                  + " Unless it is set: the id of the process that makes a znode."),
          Property.text(
              name("bind.host"),
              "",
              "The address to listen on. Unless it is set: every one, 0.0.0.0, if clients must show"
                  + " something or security.open is true, else 127.0.0.1."),
          Property.count(
              name("bind.port"),
              TransactionManagerConfig.DEFAULT_PORT,
              0,
              HIGHEST_PORT,
              "The port to listen on; 0 for any."),
          Property.duration(
              name("lease.duration"),
              "2s",
              "100ms",
              "1440m",
              "How long a renewal counts: the primary answers for nine tenths of it, and a backup"
                  + " takes over when it has seen none for eleven tenths; so long everybody waits"
                  + " when a primary dies. All transaction managers need the same."),
          Property.duration(
              name("lease.renew.interval"),
              "500ms",
              "1ms",
              "",
              "How often the lease is renewed; at most half of lease.duration."),
          Property.duration(
              name("timestamps.ahead"),
              "5s",
              "1ms",
              "30s",
              "How far the persisted bound of timestamps is kept ahead of the clock; at least"
                  + " lease.duration."),
          Property.duration(
              name("clock.ahead.limit"),
              "5s",
              "0ms",
              "1440m",
              "A transaction manager whose clock is further ahead of the median of ZooKeeper's and"
                  + " the other transaction managers' takes no epoch, and a primary hands over;"
                  + " 0ms: clocks are not compared."),
          Property.count(
              name("conflict.table.capacity"),
              1 << 22,
              1,
              1 << 28,
              "Hashes of written keys that are kept to find conflicts, less than 19 bytes of memory"
                  + " each. Divided by the keys written a second it is how old a transaction may be"
                  + " that is still validated."),
          Property.count(
              name("decision.memory.capacity"),
              1 << 20,
              1,
              1 << 28,
              "Decisions that are kept for repeated requests, less than 27 bytes of memory each."),
          Property.duration(
              name("retention"),
              "10m",
              "1s",
              "43200m",
              "How long every snapshot stays readable at least. All transaction managers need the"
                  + " same; a table may keep its snapshots longer."),
          Property.duration(
              name("hold.longest"),
              "10m",
              "1s",
              "43200m",
              "How long a hold keeps its snapshot readable at most, unless it is renewed; and how"
                  + " long the oldest readable snapshot stays where it is after a takeover that"
                  + " nobody has asked for. All transaction managers need the same."),
          Property.text(
              name("validator.name"),
              "",
              "Name of this process if it is a validator only, as 'lampone validator run' sets it;"
                  + " empty for a transaction manager."),
          Property.duration(
              name("validator.silence"),
              "1s",
              "1ms",
              "1440m",
              "Silence of a validator after which the primary gives its buckets to the others."),
          Property.flag(
              name("buckets.primary"),
              true,
              "Whether the primary keeps a share of the buckets when validators are added."),
          Property.bytes(
              name("max.frame.bytes"),
              1 << 20,
              FrameLayout.LOWEST_MAX_FRAME_BYTES,
              FrameLayout.HIGHEST_MAX_FRAME_BYTES,
              "The longest frame that clients may send. It limits a transaction to some 60,000 rows"
                  + " (at level CELL: columns) in several regions, and is decided in one step, which"
                  + " takes about 15 ms at the default."),
          Property.count(
              name("max.messages.per.frame"),
              4096,
              1,
              1 << 14,
              "The most requests in a frame; at most max.outstanding.per.connection."),
          Property.count(
              name("max.connections"),
              4096,
              1,
              Integer.MAX_VALUE,
              "The most connections at a time: two for each client and each region server, and a"
                  + " third of a client for moments, when it takes or renews a hold."),
          Property.count(
              name("max.outstanding.per.connection"),
              1 << 14,
              1,
              1 << 20,
              "Replies that may wait for a slow client before it is refused; at most"
                  + " max.outstanding."),
          Property.count(
              name("max.outstanding"),
              1 << 20,
              1,
              Integer.MAX_VALUE,
              "Replies that may wait for all clients together."),
          Property.duration(
              name("handshake.timeout"),
              "5s",
              "1ms",
              "1440m",
              "How long a new connection may take to introduce itself, TLS included."),
          Property.flag(
              name("event.loop.busy.poll"),
              false,
              "Whether the event loop never sleeps: takes a core for itself, answers some"
                  + " microseconds earlier."),
          Property.choice(
              name("security.authentication"),
              List.of("none", "secret", "certificate", "kerberos"),
              "What clients must show; see docs/operations/security.md."),
          Property.choice(
              name("security.phase"),
              List.of("required", "permissive"),
              "permissive while authentication is being switched on: clients that prove nothing are"
                  + " served, too, and counted."),
          Property.choice(
              name("security.tls.phase"),
              List.of("required", "permissive"),
              "permissive while TLS is being switched on: clients without it are served, too, and"
                  + " counted."),
          Property.file(
              name("security.principals.file"),
              "Everybody known: name, roles, tenants, secret. Read again when it changes."),
          Property.file(
              name("security.tls.certificate.file"),
              "PEM: the server's certificate; switches TLS on, together with the key."),
          Property.file(name("security.tls.key.file"), "PEM: its key (PKCS#8)."),
          Property.file(
              name("security.tls.key.password.file"), "The password of the key, if it has one."),
          Property.file(
              name("security.tls.authority.file"),
              "PEM: who signs the certificates of clients, and of transaction managers that are"
                  + " handed over to. For these Java's authorities unless it is set."),
          Property.choice(
              name("security.tls.client.certificates"),
              List.of("none", "optional", "required"),
              "Whether clients show a certificate; needs TLS."),
          Property.text(
              name("security.kerberos.principal"),
              "",
              "This server's own principal, service/host@REALM, with the host that it advertises;"
                  + " clients name the service in lampone.client.manager.kerberos.service."),
          Property.file(
              name("security.kerberos.keytab.file"), "The keytab with the keys of that principal."),
          Property.duration(
              name("security.kerberos.connection.lifetime"),
              "1440m",
              "1s",
              "43200m",
              "How long a connection lasts at most that is made by a Kerberos ticket; clients make"
                  + " another one without losing a request."),
          Property.text(
              name("security.peer.principal"),
              "",
              "The name by which this transaction manager hands over to another one, with the role"
                  + " administrator there."),
          Property.file(name("security.peer.secret.file"), "The secret of that name."),
          Property.file(
              name("security.cluster.key.file"),
              "The key by which transactions belong to their clients: 64 hexadecimal digits, which"
                  + " lampone tm keys makes; the same for all transaction managers. Without it"
                  + " everybody can make the proofs."),
          Property.duration(
              name("security.token.lifetime"),
              "1440m",
              "1s",
              "43200m",
              "How long a delegation token is valid unless it is renewed."),
          Property.duration(
              name("security.token.lifetime.longest"),
              "10080m",
              "1s",
              "43200m",
              "No delegation token is valid for longer than this after it was issued, however often it"
                  + " is renewed."),
          Property.count(
              name("security.token.kept"),
              TokenSettings.DEFAULT.kept(),
              1,
              TokenSettings.HIGHEST_KEPT,
              "Renewed delegation tokens that are kept track of in ZooKeeper until they expire, and"
                  + " as many cancelled ones."),
          Property.count(
              name("security.token.kept.of.owner"),
              TokenSettings.DEFAULT.keptOfOwner(),
              1,
              TokenSettings.HIGHEST_KEPT,
              "The same for each owner; a fifth of it of cancelled ones."),
          Property.flag(
              name("security.open"),
              false,
              "Whether others than this machine's own processes are let in although clients need"
                  + " show nothing."),
          Property.duration(
              name("admission.delay.limit"),
              "10ms",
              "1ms",
              "1440m",
              "How late the event loop may be before a connection is refused what is beyond its"
                  + " share."),
          Property.count(
              name("admission.max.half.open"),
              256,
              1,
              Integer.MAX_VALUE,
              "Connections that may be in their handshake at a time; the oldest makes room."),
          Property.count(
              name(AdmissionSettings.CONNECTIONS_OF_PRINCIPAL),
              AdmissionSettings.DEFAULT.connectionsOfPrincipal(),
              1,
              Integer.MAX_VALUE,
              "The most connections of a principal that has proved its name; two or three for each"
                  + " client. Of one with the role region as well it is for each address."),
          Property.count(
              name(AdmissionSettings.CONNECTIONS_OF_REGION_SERVER),
              AdmissionSettings.DEFAULT.connectionsOfRegionServer(),
              1,
              Integer.MAX_VALUE,
              "The most connections from each address of a principal with the role region and"
                  + " neither client nor backup; two for each region server."),
          Property.count(
              name(AdmissionSettings.CONNECTIONS_PER_SECOND),
              AdmissionSettings.DEFAULT.connectionsPerSecond(),
              1,
              AdmissionSettings.HIGHEST_PER_SECOND,
              "The most connections that are accepted in a second; a quarter of them while more"
                  + " than an eighth end within their first second. The others wait."),
          Property.file(
              name("admission.tenants.file"), "Quotas of tenants. Read again when it changes."),
          Property.duration(
              name("admission.table.age"),
              "10s",
              "0s",
              "1440m",
              "For so long conflicts and decisions are kept, however much one principal validates:"
                  + " if the tables would turn over sooner, the principal that adds most is refused"
                  + " (unless it is the only one). 0s is off."),
          Property.text(
              name("http.host"),
              "",
              "The address on which metrics and health are served. Unless it is set: as bind.host."),
          Property.count(
              name("http.port"),
              HttpSettings.DEFAULT.port(),
              HttpSettings.OFF,
              HIGHEST_PORT,
              "The port of metrics and health; -1 switches it off."),
          Property.file(
              name("http.token.file"),
              "The bearer token, at least 16 characters, that pages other than /health and /ready"
                  + " take. Without it they are for processes of this machine, or for all if"
                  + " lampone.tm.security.open=true."));

  private TmPropertyList() {}

  private static String name(String shortName) {
    return TransactionManagerConfig.PREFIX + shortName;
  }
}
