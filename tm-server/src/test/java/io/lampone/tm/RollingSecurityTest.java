package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.PeerSettings;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
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
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A secret, TLS and Kerberos are switched on, one process after the other, under transactions. */
@Timeout(240)
final class RollingSecurityTest {

  private static final String SHOP_SECRET = "the-secret-of-the-shop";
  private static final String PEER_SECRET = "the-secret-of-the-managers";
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final int TRANSACTIONS = 100;
  private static final int TICKET_SECONDS = 600;

  @TempDir private Path directory;

  private TestingServer zookeeper;
  private final List<Application> applications = new ArrayList<>();
  private Manager primary;
  private Manager backup;

  private record Manager(TransactionManagerServer server, MetricRegistry metrics) {

    long gauge(String name) {
      return ((Number) metrics.getGauges().get("lampone.tm.connections." + name).getValue())
          .longValue();
    }
  }

  @BeforeEach
  void start() throws Exception {
    zookeeper = new TestingServer();
  }

  @AfterEach
  void stop() throws Exception {
    for (Application application : applications) {
      application.close();
    }
    backup.server().kill();
    primary.server().kill();
    zookeeper.close();
  }

  @Test
  void aSecretAndThenTlsAreSwitchedOnWithoutAnError() throws Exception {
    startManagers(SecuritySettings.OFF);
    ClientSecurity open = ClientSecurity.NONE.withIdentity(new Identity("reports", ""));
    Application shop = new Application(ClientSecurity.NONE);
    Application reports = new Application(open);
    work();

    replaceManagers(secret(Optional.empty()).withPhases(Phase.PERMISSIVE, Phase.REQUIRED));
    work();
    assertThat(primary.gauge("unproved")).isGreaterThanOrEqualTo(2);
    assertThat(status()).contains("\"principal\":\"reports\",\"host\":\"127.0.0.1\"");
    shop.restart(knowing());
    work();
    assertThat(primary.gauge("unproved")).isPositive();
    reports.restart(knowing());
    work();
    assertThat(primary.gauge("unproved")).isZero();
    replaceManagers(secret(Optional.empty()));
    work();
    assertRefused(ClientSecurity.NONE, "demands a principal and its secret");

    Optional<TlsSettings> tls = tls();
    replaceManagers(secret(tls).withPhases(Phase.REQUIRED, Phase.PERMISSIVE));
    work();
    assertThat(primary.gauge("plain")).isPositive();
    assertRefused(ClientSecurity.NONE, "demands a principal and its secret");
    shop.restart(knowing().withTls(trusting()));
    reports.restart(knowing().withTls(trusting()));
    work();
    assertThat(primary.gauge("plain")).isZero();
    replaceManagers(secret(tls));
    work();
    assertRefused(knowing(), "talks TLS only");
  }

  @Test
  void ticketsAreDemandedInsteadOfSecretsWithoutAnError() throws Exception {
    try (TestKdc kdc = new TestKdc(directory.resolve("kdc"), TICKET_SECONDS)) {
      ClientSecurity ticket =
          ClientSecurity.NONE
              .withIdentity(new Identity("shop", ""))
              .withKerberos(
                  new ClientKerberos(
                      "lampone", KerberosLogin.ofKeytab("shop", kdc.keytab("shop"))));
      KerberosSettings principal =
          new KerberosSettings(
              "lampone/127.0.0.1@" + TestKdc.REALM, kdc.keytab("lampone/127.0.0.1"));
      SecuritySettings kerberos =
          new SecuritySettings(
                  Mode.KERBEROS,
                  Optional.of(file("holders", "shop client * -\nlampone administrator * -\n")),
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty())
              .withKerberos(principal);
      startManagers(secret(Optional.empty()));
      Application shop = new Application(knowing());
      work();

      shop.restart(ticket.withSecret(new SharedSecret(Bytes.utf8(SHOP_SECRET))));
      // Managers have both for a while, too: a primary with the secret hands over to one without.
      replaceManagers(secret(Optional.empty()).withKerberos(principal));
      work();
      replaceManagers(kerberos.withPhases(Phase.PERMISSIVE, Phase.REQUIRED));
      Application late = new Application(ClientSecurity.NONE);
      work();
      assertThat(primary.gauge("unproved")).isPositive();
      late.restart(ticket);
      work();
      assertThat(primary.gauge("unproved")).isZero();
      replaceManagers(kerberos);
      work();
      assertRefused(ClientSecurity.NONE, "lampone.client.manager.kerberos=true");
    }
  }

  /** In the permissive phase too: a wrong proof is none, and a proved name stays a proved one. */
  @Test
  void aNameThatWasProvedOnceDoesNotComeBackWithoutAProof() throws Exception {
    startManagers(secret(Optional.empty()).withPhases(Phase.PERMISSIVE, Phase.REQUIRED));
    ClientSecurity claiming = ClientSecurity.NONE.withIdentity(new Identity("shop", ""));
    begin(claiming);
    assertRefused(
        claiming.withSecret(new SharedSecret(Bytes.utf8("not-the-secret-of-it"))), "do not fit");
    begin(claiming);
    begin(knowing());
    assertRefused(claiming, "has proved itself before");
    begin(ClientSecurity.NONE);
    begin(ClientSecurity.NONE.withIdentity(new Identity("reports", "")));
  }

  private void begin(ClientSecurity security) throws Exception {
    try (TransactionManagerClient client = connect(security)) {
      assertThat(client.begin().get(60, SECONDS).startTimestamp()).isPositive();
    }
  }

  private void assertRefused(ClientSecurity security, String text) throws Exception {
    try (TransactionManagerClient client = connect(security)) {
      assertThatThrownBy(() -> client.begin().get(60, SECONDS)).hasMessageContaining(text);
    }
  }

  /** All applications end so many more transactions, and none has failed. */
  private void work() throws Exception {
    for (Application application : applications) {
      application.work();
    }
  }

  private String status() throws Exception {
    try (CommandClient commands = new CommandClient(config(ClientSecurity.NONE))) {
      return commands
          .ask(
              InetSocketAddress.createUnresolved("127.0.0.1", primary.server().port()),
              "status",
              "")
          .get(60, SECONDS)
          .text();
    }
  }

  private void startManagers(SecuritySettings security) throws Exception {
    primary = startManager(security);
    primary.server().whenPrimary().get(60, SECONDS);
    backup = startManager(security);
  }

  /** The backup first, then the primary, which hands over to it. */
  private void replaceManagers(SecuritySettings security) throws Exception {
    backup.server().close();
    backup = startManager(security);
    HandOvers.handOver(primary.server(), Optional.empty());
    backup.server().whenPrimary().get(60, SECONDS);
    primary.server().close();
    primary = backup;
    backup = startManager(security);
  }

  private Manager startManager(SecuritySettings security) throws Exception {
    MetricRegistry metrics = new MetricRegistry();
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
                .conflictTableCapacity(1 << 16)
                .decisionMemoryCapacity(1 << 16)
                .security(security)
                .build(),
            metrics);
    server.whenListed().get(60, SECONDS);
    return new Manager(server, metrics);
  }

  private SecuritySettings secret(Optional<TlsSettings> tls) throws IOException {
    return new SecuritySettings(
        Mode.SECRET,
        Optional.of(
            file(
                "principals",
                "shop client * "
                    + SHOP_SECRET
                    + "\nlampone administrator * "
                    + PEER_SECRET
                    + "\n")),
        tls,
        Optional.empty(),
        Optional.of(new PeerSettings("lampone", file("peer", PEER_SECRET))));
  }

  private Optional<TlsSettings> tls() throws Exception {
    TestCertificates certificates = new TestCertificates(directory).make("server");
    return Optional.of(
        new TlsSettings(
            certificates.certificate("server"),
            certificates.key("server"),
            Optional.empty(),
            Optional.of(certificates.certificate("server")),
            ClientCertificates.NONE));
  }

  private ClientTls trusting() {
    return new ClientTls(
        Optional.of(new TestCertificates(directory).certificate("server")),
        Optional.empty(),
        Optional.empty(),
        true);
  }

  private static ClientSecurity knowing() {
    return ClientSecurity.NONE
        .withIdentity(new Identity("shop", ""))
        .withSecret(new SharedSecret(Bytes.utf8(SHOP_SECRET)));
  }

  private Path file(String name, String content) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static TransactionManagerClientConfig config(ClientSecurity security) {
    return TransactionManagerClientConfig.builder().security(security).build();
  }

  private TransactionManagerClient connect(ClientSecurity security) throws Exception {
    return TransactionManagerClient.connect(
        config(security), zookeeper.getConnectString(), "/lampone");
  }

  /** Runs transactions all the time, but for the moment in which it is restarted. */
  private final class Application implements AutoCloseable {

    private TransactionManagerClient client;
    private TransactionLoad load;

    Application(ClientSecurity security) throws Exception {
      client = connect(security);
      load = new TransactionLoad(client);
      applications.add(this);
    }

    void work() throws Exception {
      load.await(TRANSACTIONS);
      assertThat(load.failures()).as(load.toString()).isEmpty();
      assertThat(load.refusals()).as(load.toString()).isZero();
    }

    void restart(ClientSecurity security) throws Exception {
      load.stop();
      load.close();
      client.close();
      client = connect(security);
      load = new TransactionLoad(client);
    }

    @Override
    public void close() {
      load.close();
      client.close();
    }
  }
}
