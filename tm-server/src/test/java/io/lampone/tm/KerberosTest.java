package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientGreeting.Refusal;
import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.connect.HandshakeFailedException;
import io.lampone.protocol.connect.KerberosCredentials;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.connect.SecurityProperties;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TokenClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.AccessController;
import java.security.PrivilegedActionException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Transaction managers and their clients under a real KDC, whose tickets end after seconds. */
@Timeout(180)
@SuppressWarnings("removal") // what replaces Subject.doAs came with Java 18
final class KerberosTest {

  private static final int TICKET_SECONDS = 6;
  private static final String HOST = "127.0.0.1";
  private static final String SERVICE = "lampone/" + HOST;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String SECRET = "the-secret-of-the-shop";

  @TempDir private static Path directory;

  private static TestKdc kdc;
  private static Path serverKeytab;
  private static Path aliceKeytab;
  private static Path hbaseKeytab;

  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private TestingServer zookeeper;

  @BeforeAll
  static void startKdc() throws Exception {
    kdc = new TestKdc(directory.resolve("kdc"), TICKET_SECONDS);
    serverKeytab = kdc.keytab(SERVICE);
    aliceKeytab = kdc.keytab("alice");
    hbaseKeytab = kdc.keytab("hbase/" + HOST);
  }

  @AfterAll
  static void stopKdc() throws Exception {
    kdc.close();
  }

  @AfterEach
  void stop() throws Exception {
    servers.forEach(TransactionManagerServer::kill);
    if (zookeeper != null) {
      zookeeper.close();
    }
  }

  @Test
  void aTicketIsTheClientsNameAndThePrincipalsFileHasItsRoles() throws Exception {
    int port = start("alice client * -\nhbase region * -\nlampone administrator * -").port();
    assertServed(port, alice());
    assertServed(port, kerberos("hbase/" + HOST, hbaseKeytab)); // as a region server
    assertServed(port, alice().withIdentity(new Identity("alice", "books")));
    assertThatThrownBy(() -> open(port, alice(), Capabilities.TRANSFER))
        .hasMessageContaining("only an administrator");
    assertThatThrownBy(() -> open(port, kerberos(SERVICE, serverKeytab), 0))
        .hasMessageContaining("has not the role client");
    try (BlockingConnection peer =
        open(port, kerberos(SERVICE, serverKeytab), Capabilities.TRANSFER)) {
      assertThat(Capabilities.has(peer.welcome().capabilities(), Capabilities.TRANSFER)).isTrue();
    }
  }

  @Test
  void applicationsAndCommandsComeByTheSameTicket() throws Exception {
    int port = start("alice client,administrator * -").port();
    InetSocketAddress address = InetSocketAddress.createUnresolved(HOST, port);
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(alice()).build();
    try (TransactionManagerClient client =
            TransactionManagerClient.create(config, AddressSource.fixed(address));
        CommandClient commands = new CommandClient(config)) {
      assertThat(client.begin().get(60, SECONDS).startTimestamp()).isPositive();
      assertThat(commands.ask(address, "status", "").get(60, SECONDS).text())
          .contains("\"tenants\"");
    }
  }

  @Test
  void withoutAPrincipalsFileEachPrincipalOfTheRealmIsAClient() throws Exception {
    int port = start("").port();
    assertServed(port, alice());
    assertRefused(
        port, alice().withIdentity(new Identity("bob", "")), "another principal than the ticket");
  }

  @Test
  void whoHasNoTicketOrNoPlaceInTheFileIsToldWhatToDo() throws Exception {
    int port = start("bob client * -").port();
    assertRefused(port, alice(), "the principals file does not name the holder of this ticket");
    assertRefused(port, ClientSecurity.NONE, "lampone.client.manager.kerberos=true");
    assertRefused(
        port,
        ClientSecurity.NONE
            .withIdentity(new Identity("alice", ""))
            .withSecret(new SharedSecret(Bytes.utf8(SECRET))),
        "lampone.client.manager.kerberos=true");
    assertRefused(port, kerberos("stranger", aliceKeytab), "the keytab has no key");
    assertRefused(port, kerberos("alice@ELSEWHERE.TEST", aliceKeytab), "the keytab has no key");
    assertRefused(
        port,
        ClientSecurity.NONE.withKerberos(
            new ClientKerberos("other", KerberosLogin.ofKeytab("alice", aliceKeytab))),
        "the KDC does not know the transaction manager");
    assertRefused(
        port,
        ClientSecurity.NONE.withKerberos(
            new ClientKerberos("lampone", KerberosLogin.ofTicketCache(Optional.of("alice")))),
        "log in by kinit");
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(alice()).build();
    InetSocketAddress address = InetSocketAddress.createUnresolved(HOST, port);
    try (TransactionManagerClient client =
        TransactionManagerClient.create(config, AddressSource.fixed(address))) {
      assertThatThrownBy(() -> client.begin().get(60, SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              TransactionManagerException.class,
              refused ->
                  assertThat(refused.kind()).isEqualTo(TransactionManagerException.Kind.REJECTED))
          .hasMessageContaining("the principals file does not name");
    }
  }

  @Test
  void aServerThatShowsNoTicketOrOneOfAnotherPrincipalIsNotBelieved() throws Exception {
    int open = start(SecuritySettings.OFF).port();
    assertRefused(open, alice(), "it has not shown a Kerberos ticket");
    SecuritySettings impostor =
        kerberos(Optional.empty())
            .withKerberos(new KerberosSettings("hbase/" + HOST + "@" + TestKdc.REALM, hbaseKeytab));
    assertRefused(start(impostor).port(), alice(), "the Kerberos ticket is not accepted");
  }

  /** A client that has both proves what the server asks for: the way from secrets to tickets. */
  @Test
  void aClientWithSecretAndTicketIsServedByEither() throws Exception {
    Path principals = principals("alice client * " + SECRET);
    ClientSecurity both =
        alice()
            .withIdentity(new Identity("alice", ""))
            .withSecret(new SharedSecret(Bytes.utf8(SECRET)));
    assertServed(start(kerberos(Optional.of(principals))).port(), both);
    SecuritySettings secret =
        new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    assertServed(start(secret).port(), both);
  }

  @Test
  void aKeytabIsLoggedInFromAgainAndConnectionsOutliveTheirTickets() throws Exception {
    int port = start("alice client * -").port();
    ClientSecurity security = alice();
    try (BlockingConnection lasting = open(port, security, 0)) {
      long end = System.nanoTime() + SECONDS.toNanos(2 * TICKET_SECONDS);
      long id = 0;
      int made = 0;
      while (System.nanoTime() < end || made <= 10) {
        begin(lasting, ++id);
        assertServed(port, security);
        made++;
      }
    }
  }

  @Test
  void aTicketThatHasEndedIsRefusedByTheClientItself() throws Exception {
    int port = start("alice client * -").port();
    // A login that renews nothing, as a ticket cache whose owner has gone home.
    Subject[] frozen = new Subject[1];
    KerberosLogin.ofKeytab("alice", aliceKeytab)
        .runWith(
            (PrivilegedExceptionAction<Object>)
                () -> frozen[0] = Subject.getSubject(AccessController.getContext()));
    KerberosCredentials old =
        new KerberosCredentials() {
          @Override
          public <T> T runWith(PrivilegedExceptionAction<T> action) throws Exception {
            try {
              return Subject.doAs(frozen[0], action);
            } catch (PrivilegedActionException e) {
              throw e.getException();
            }
          }
        };
    ClientSecurity security = ClientSecurity.NONE.withKerberos(new ClientKerberos("lampone", old));
    assertServed(port, security);
    assertThat(new CountDownLatch(1).await(TICKET_SECONDS + 1, TimeUnit.SECONDS)).isFalse();
    assertRefused(port, security, "log in by kinit");
  }

  @Test
  void aKdcThatIsAwayIsNoReasonToGiveUp() throws Exception {
    int port = start("alice client * -").port();
    Path folder = Files.createDirectories(directory.resolve("away"));
    TestKdc gone = new TestKdc(folder, TICKET_SECONDS);
    try {
      Path keytab = gone.keytab("alice");
      gone.close();
      System.setProperty("java.security.krb5.conf", folder.resolve("client.conf").toString());
      assertThatExceptionOfType(HandshakeFailedException.class)
          .isThrownBy(() -> open(port, kerberos("alice", keytab), 0))
          .withMessageContaining("the KDC cannot be reached")
          .extracting(HandshakeFailedException::refusal)
          .isEqualTo(Refusal.TURNED_AWAY);
    } finally {
      System.setProperty(
          "java.security.krb5.conf", directory.resolve("kdc").resolve("client.conf").toString());
    }
  }

  @Test
  void managersHandOverByTheirOwnTicket() throws Exception {
    zookeeper = new TestingServer();
    SecuritySettings settings =
        kerberos(Optional.of(principals("alice client * -\nlampone administrator * -")));
    TransactionManagerServer first = startMember(settings);
    first.whenPrimary().get(60, SECONDS);
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(alice()).build();
    try (TransactionManagerClient client =
        TransactionManagerClient.connect(config, zookeeper.getConnectString(), "/lampone")) {
      long before = client.begin().get(60, SECONDS).startTimestamp();
      TransactionManagerServer second = startMember(settings);
      second.whenListed().get(60, SECONDS);
      HandOvers.handOver(first, Optional.empty());
      second.whenPrimary().get(60, SECONDS);
      assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);
      assertThat(client.begin().get(60, SECONDS).startTimestamp()).isGreaterThan(before);
      assertThat(second.isPrimary()).isTrue();
    }
  }

  @Test
  void theServerDoesNotStartWithAKeytabOfAnotherPrincipalOrForAllToRead() throws Exception {
    KerberosSettings foreign = new KerberosSettings(SERVICE + "@" + TestKdc.REALM, aliceKeytab);
    assertThatThrownBy(() -> start(kerberos(Optional.empty()).withKerberos(foreign)))
        .hasMessageContaining("the keytab has no key of the principal");
    Path readable = Files.copy(serverKeytab, directory.resolve("readable.keytab"));
    Files.setPosixFilePermissions(readable, PosixFilePermissions.fromString("rw-r--r--"));
    KerberosSettings shown = new KerberosSettings(SERVICE + "@" + TestKdc.REALM, readable);
    assertThatThrownBy(() -> start(kerberos(Optional.empty()).withKerberos(shown)))
        .hasMessageContaining("chmod go-rwx");
  }

  /** A job: its tasks have neither a ticket nor a keytab, and work on when the ticket has ended. */
  @Test
  void aTokenThatWasObtainedByATicketIsUsedWithoutOne() throws Exception {
    Path key = directory.resolve("cluster.key");
    SecurityFiles.createClusterKey(key);
    SecuritySettings settings =
        new SecuritySettings(
                Mode.KERBEROS,
                Optional.of(principals("alice client * -")),
                Optional.empty(),
                Optional.of(key),
                Optional.empty())
            .withKerberos(new KerberosSettings(SERVICE + "@" + TestKdc.REALM, serverKeytab));
    int port = start(settings).port();
    AddressSource source = AddressSource.fixed(InetSocketAddress.createUnresolved(HOST, port));
    TransactionManagerClientConfig submitting =
        TransactionManagerClientConfig.builder().security(alice()).build();
    try (TokenClient tokens = new TokenClient(submitting, source)) {
      ClientToken token = tokens.obtain("").get(60, SECONDS);
      assertThat(token.identifier().owner()).isEqualTo("alice");
      ClientSecurity task = ClientSecurity.NONE.withTokens(() -> Optional.of(token));
      assertServed(port, task);
      // Before a ticket, where there are both.
      assertServed(port, kerberos("stranger", aliceKeytab).withTokens(() -> Optional.of(token)));
      tokens.cancel(token).get(60, SECONDS);
      assertRefused(port, task, "was cancelled");
    }
  }

  @Test
  void propertiesAreALogin() throws Exception {
    int port = start("alice client * -").port();
    Map<String, String> properties =
        Map.of(
            SecurityProperties.KERBEROS.name(),
            "true",
            SecurityProperties.KERBEROS_PRINCIPAL.name(),
            "alice@" + TestKdc.REALM,
            SecurityProperties.KERBEROS_KEYTAB_FILE.name(),
            aliceKeytab.toString());
    assertServed(port, SecurityProperties.read(properties::get));
    for (String missing : List.of("kerberos", "kerberos.principal")) {
      assertThatThrownBy(
              () ->
                  SecurityProperties.read(
                      name -> name.endsWith("." + missing) ? null : properties.get(name)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("set lampone.client.manager." + missing);
    }
  }

  private static ClientSecurity alice() {
    return kerberos("alice", aliceKeytab);
  }

  private static ClientSecurity kerberos(String principal, Path keytab) {
    return ClientSecurity.NONE.withKerberos(
        new ClientKerberos("lampone", KerberosLogin.ofKeytab(principal, keytab)));
  }

  private static SecuritySettings kerberos(Optional<Path> principals) {
    return new SecuritySettings(
            Mode.KERBEROS, principals, Optional.empty(), Optional.empty(), Optional.empty())
        .withKerberos(new KerberosSettings(SERVICE + "@" + TestKdc.REALM, serverKeytab));
  }

  private static Path principals(String lines) throws IOException {
    Path file = Files.createTempFile(directory, "principals", "");
    Files.writeString(file, lines + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private TransactionManagerServer start(String lines) throws Exception {
    return start(kerberos(lines.isEmpty() ? Optional.empty() : Optional.of(principals(lines))));
  }

  private TransactionManagerServer start(SecuritySettings security) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            config(security).build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    servers.add(server);
    server.whenPrimary().get(60, SECONDS);
    return server;
  }

  private TransactionManagerServer startMember(SecuritySettings security) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            config(security).zookeeperQuorum(zookeeper.getConnectString()).build(),
            new MetricRegistry());
    servers.add(server);
    return server;
  }

  private static TransactionManagerConfig.Builder config(SecuritySettings security) {
    return TransactionManagerConfig.builder()
        .bindHost(HOST)
        .bindPort(0)
        .handshakeTimeout(Duration.ofMinutes(1))
        .conflictTableCapacity(1 << 10)
        .decisionMemoryCapacity(1 << 10)
        .security(security);
  }

  private static BlockingConnection open(int port, ClientSecurity security, long capabilities)
      throws IOException {
    return BlockingConnection.open(
        InetSocketAddress.createUnresolved(HOST, port),
        security,
        capabilities,
        LIMIT,
        SystemClock.INSTANCE);
  }

  private static void assertServed(int port, ClientSecurity security) throws IOException {
    try (BlockingConnection connection = open(port, security, 0)) {
      begin(connection, 1);
    }
  }

  private static void begin(BlockingConnection connection, long id) throws IOException {
    connection.allow(LIMIT);
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(id).writeTo(connection.writer());
    connection.send();
    assertThat(WireReply.readBatch(connection.receive()).get(0))
        .isInstanceOf(WireReply.Begun.class);
  }

  private static void assertRefused(int port, ClientSecurity security, String text) {
    assertThatExceptionOfType(HandshakeFailedException.class)
        .isThrownBy(() -> open(port, security, 0))
        .withMessageContaining(text)
        .satisfies(
            refused ->
                assertThat(Stream.of(SECRET, "password of").filter(refused.toString()::contains))
                    .isEmpty())
        .extracting(HandshakeFailedException::refusal)
        .isEqualTo(Refusal.DISTRUSTED);
  }
}
