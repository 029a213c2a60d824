package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.core.NodeListener.Retirement;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.PeerSettings;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Planned hand-overs between transaction managers that believe nobody. */
@Timeout(180)
final class SecureHandOverTest {

  private static final String SHOP_SECRET = "the-secret-of-the-shop";
  private static final String PEER_SECRET = "the-secret-of-managers";
  private static final String WRONG_SECRET = "not-the-secret-of-them";
  private static final Duration LEASE = Duration.ofSeconds(2);

  @TempDir private Path directory;

  private final List<TransactionManagerServer> servers = new ArrayList<>();
  private TestingServer zookeeper;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer(true);
  }

  @AfterEach
  void stop() throws Exception {
    servers.forEach(TransactionManagerServer::kill);
    zookeeper.close();
  }

  @Test
  void aManagerThatProvesToBeAnAdministratorHandsOver() throws Exception {
    Path principals = principals("administrator");
    SecuritySettings settings = secret(principals, file("peer", PEER_SECRET));
    TransactionManagerServer first = startServer(settings);
    first.whenPrimary().get(60, SECONDS);
    try (TransactionManagerClient shop = client(shop())) {
      long before = begin(shop);
      TransactionManagerServer second = startServer(settings);
      assertThat(first.handOver(Optional.empty()).get(60, SECONDS).leading()).isTrue();
      assertThat(first.whenRetired().get(60, SECONDS)).isEqualTo(Retirement.HANDED_OVER);
      assertThat(second.isPrimary()).isTrue();
      assertThat(begin(shop)).isGreaterThan(before);
    }
  }

  @Test
  void aWrongSecretIsExplainedThePrimaryGoesOnAndTheRightOneHelpsAtOnce() throws Exception {
    Path principals = principals("administrator");
    Path peer = file("peer", WRONG_SECRET);
    TransactionManagerServer first = startServer(secret(principals, peer));
    first.whenPrimary().get(60, SECONDS);
    TransactionManagerServer second = startServer(secret(principals, peer));
    try (TransactionManagerClient shop = client(shop())) {
      assertRefused(first, "principal and secret do not fit", "peer.secret.file");
      assertThat(begin(shop)).isPositive();
      Files.writeString(peer, PEER_SECRET + "\n# longer than before, so that the change shows");
      Files.writeString(peer, PEER_SECRET + "\n");
      while (!second.isPrimary()) {
        try {
          first.handOver(Optional.empty()).get(60, SECONDS);
        } catch (ExecutionException e) {
          assertThat(e).hasMessageContaining("do not fit"); // not read again yet
        }
      }
      assertThat(begin(shop)).isPositive();
    }
  }

  @Test
  void whoShowsNothingOrIsNoAdministratorHandsNothingOver() throws Exception {
    Path principals = principals("client");
    TransactionManagerServer first = startServer(secret(principals, file("peer", PEER_SECRET)));
    first.whenPrimary().get(60, SECONDS);
    startServer(secret(principals, file("peer", PEER_SECRET)));
    assertRefused(first, "only an administrator may hand over");
    SecuritySettings nothing =
        new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    first.close();
    TransactionManagerServer last = startServer(nothing);
    servers.get(1).close();
    last.whenPrimary().get(60, SECONDS);
    startServer(nothing);
    assertRefused(last, "demands a principal and its secret", "peer.principal");
  }

  @Test
  void whatGoesToABackupThatProvesNothingIsNothing() throws Exception {
    Path principals = principals("administrator");
    TransactionManagerServer first = startServer(secret(principals, file("peer", PEER_SECRET)));
    first.whenPrimary().get(60, SECONDS);
    startServer(SecuritySettings.OFF);
    assertRefused(first, "has not proved that it knows", "give all transaction managers the same");
  }

  @Test
  void commandsThatChangeSomethingAreForAdministratorsAndABackupTakesThemToo() throws Exception {
    SecuritySettings settings = secret(principals("administrator"), file("peer", PEER_SECRET));
    TransactionManagerServer first = startServer(settings);
    first.whenPrimary().get(60, SECONDS);
    TransactionManagerServer second = startServer(settings);
    assertThat(tell(shop(), second, "status").succeeded()).isTrue();
    CommandAnswer refused = tell(shop(), first, "handover");
    assertThat(refused.succeeded()).isFalse();
    assertThat(refused.text()).contains("not permitted");
    ClientSecurity administrator =
        ClientSecurity.NONE
            .withIdentity(new Identity("tm", ""))
            .withSecret(new SharedSecret(Bytes.utf8(PEER_SECRET)));
    assertThat(tell(administrator, first, "handover").text()).contains("\"leading\":true");
  }

  @Test
  void withTlsTheCertificateOfTheManagerIsItsName() throws Exception {
    TestCertificates certificates = new TestCertificates(directory);
    for (String name : new String[] {"tm", "shop", "other"}) {
      certificates.make(name);
    }
    Path authority =
        file(
            "authority",
            Files.readString(certificates.certificate("tm"))
                + Files.readString(certificates.certificate("shop"))
                + Files.readString(certificates.certificate("other")));
    Path principals = file("principals", "tm administrator * -\nshop client * -\n");
    TransactionManagerServer other =
        startServer(certified(certificates, "other", authority, principals));
    other.whenPrimary().get(60, SECONDS);
    TransactionManagerServer first =
        startServer(certified(certificates, "tm", authority, principals));
    assertRefused(other, "does not name the holder of this certificate, name=other");
    assertThat(other.isPrimary()).isTrue();
    other.close();
    first.whenPrimary().get(60, SECONDS);
    ClientSecurity shop =
        ClientSecurity.NONE.withTls(
            new ClientTls(
                Optional.of(authority),
                Optional.of(certificates.certificate("shop")),
                Optional.of(certificates.key("shop")),
                true));
    try (TransactionManagerClient client = client(shop)) {
      long before = begin(client);
      TransactionManagerServer second =
          startServer(certified(certificates, "tm", authority, principals));
      assertThat(first.handOver(Optional.empty()).get(60, SECONDS).leading()).isTrue();
      assertThat(second.isPrimary()).isTrue();
      assertThat(begin(client)).isGreaterThan(before);
    }
  }

  @Test
  void aBackupWhoseCertificateHasEndedIsToldFromAStranger() throws Exception {
    TestCertificates certificates = new TestCertificates(directory);
    certificates.make("authority", "-ext", "bc:c");
    certificates.makeSigned("tm", "authority", "-1H").makeSigned("ended", "authority", "-3d");
    Path authority = certificates.certificate("authority");
    Path principals = file("principals", "tm administrator * -\n");
    TransactionManagerServer first =
        startServer(certified(certificates, "tm", authority, principals));
    first.whenPrimary().get(60, SECONDS);
    startServer(certified(certificates, "ended", authority, principals));
    assertRefused(first, "the backup's certificate has ended, NotAfter: ");
  }

  private static void assertRefused(TransactionManagerServer primary, String... texts) {
    assertThatThrownBy(() -> primary.handOver(Optional.empty()).get(60, SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("this one remains the primary")
        .satisfies(refusal -> assertThat(refusal.getMessage()).contains(texts));
    assertThat(primary.isPrimary()).isTrue();
  }

  private static ClientSecurity shop() {
    return ClientSecurity.NONE
        .withIdentity(new Identity("shop", ""))
        .withSecret(new SharedSecret(Bytes.utf8(SHOP_SECRET)));
  }

  private static CommandAnswer tell(
      ClientSecurity security, TransactionManagerServer server, String command) throws Exception {
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().security(security).build())) {
      return commands
          .ask(new InetSocketAddress("127.0.0.1", server.port()), command, "")
          .get(60, SECONDS);
    }
  }

  private TransactionManagerClient client(ClientSecurity security) throws Exception {
    return TransactionManagerClient.connect(
        TransactionManagerClientConfig.builder().security(security).build(),
        zookeeper.getConnectString(),
        "/lampone");
  }

  private static long begin(TransactionManagerClient client) throws Exception {
    return client.begin().get(60, SECONDS).startTimestamp();
  }

  private Path principals(String roleOfPeer) throws IOException {
    return file(
        "principals",
        "shop client * " + SHOP_SECRET + "\ntm " + roleOfPeer + " * " + PEER_SECRET + "\n");
  }

  private Path file(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static SecuritySettings secret(Path principals, Path peer) {
    return new SecuritySettings(
        Mode.SECRET,
        Optional.of(principals),
        Optional.empty(),
        Optional.empty(),
        Optional.of(new PeerSettings("tm", peer)));
  }

  private static SecuritySettings certified(
      TestCertificates certificates, String own, Path authority, Path principals) {
    return new SecuritySettings(
        Mode.CERTIFICATE,
        Optional.of(principals),
        Optional.of(
            new TlsSettings(
                certificates.certificate(own),
                certificates.key(own),
                Optional.empty(),
                Optional.of(authority),
                ClientCertificates.REQUIRED)),
        Optional.empty(),
        Optional.empty());
  }

  private TransactionManagerServer startServer(SecuritySettings security) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .handshakeTimeout(Duration.ofMinutes(1))
                .zookeeperQuorum(zookeeper.getConnectString())
                .leaseDuration(LEASE)
                .leaseRenewInterval(LEASE.dividedBy(4))
                .timestampsAhead(LEASE.multipliedBy(3))
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .security(security)
                .build(),
            new MetricRegistry());
    servers.add(server);
    server.whenListed().get(60, SECONDS);
    return server;
  }
}
