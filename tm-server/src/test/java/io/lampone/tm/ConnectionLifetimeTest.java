package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.GoAway.Reason;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.validation.Sharding;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections that are made by Kerberos tickets end, and no request with them. */
@Timeout(180)
final class ConnectionLifetimeTest {

  private static final String HOST = "127.0.0.1";
  private static final String SERVICE = "lampone/" + HOST;
  private static final int TICKET_SECONDS = 60;
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration LIFETIME = Duration.ofSeconds(1);

  @TempDir private Path directory;

  private TestKdc kdc;
  private Path keytab;
  private ClientSecurity alice;
  private TransactionManagerServer server;

  @BeforeEach
  void start() throws Exception {
    kdc = new TestKdc(directory.resolve("kdc"), TICKET_SECONDS);
    keytab = kdc.keytab(SERVICE);
    alice =
        ClientSecurity.NONE.withKerberos(
            new ClientKerberos("lampone", KerberosLogin.ofKeytab("alice", kdc.keytab("alice"))));
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(HOST)
                .bindPort(0)
                .handshakeTimeout(Duration.ofMinutes(1))
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .security(security(Optional.empty()))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    server.kill();
    kdc.close();
  }

  /** Many requests are under way when a connection ends; none of them fails. */
  @Test
  void aConnectionEndsWhenItHasLastedAsLongAsItMayAndNoRequestFails() throws Exception {
    int port = server.port();
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(alice).build();
    InetSocketAddress address = InetSocketAddress.createUnresolved(HOST, port);
    long end = System.nanoTime() + SECONDS.toNanos(60);
    try (BlockingConnection idle = open(port, Capabilities.GOODBYE);
        BlockingConnection older = open(port, 0);
        TransactionManagerClient client =
            TransactionManagerClient.create(config, AddressSource.fixed(address))) {
      int answered = 0;
      while ((answered <= 1000 || client.statistics().connections() < 3)
          && System.nanoTime() < end) {
        List<CompletableFuture<TimestampOracle.Begin>> begins = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          begins.add(client.begin());
        }
        for (CompletableFuture<TimestampOracle.Begin> begin : begins) {
          assertThat(begin.get(60, SECONDS).startTimestamp()).isPositive();
          answered++;
        }
      }
      assertThat(answered).isGreaterThan(1000);
      assertThat(client.statistics().connections()).isGreaterThanOrEqualTo(3);
      idle.allow(LIMIT);
      assertThat(GoAway.readFrom(idle.receive())).isEqualTo(new GoAway(Reason.STOPPING, ""));
      older.allow(LIMIT);
      assertThatThrownBy(older::receive).isInstanceOf(IOException.class);
    }
  }

  /** The connection of its primary ends, too. */
  @Test
  void aValidatorKeepsItsBucketsWhenTheConnectionOfItsPrimaryHasLastedAsLongAsItMay()
      throws Exception {
    Path principals =
        Files.createFile(
            directory.resolve("principals"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(principals, List.of("lampone administrator * -"));
    ClientSecurity administrator =
        ClientSecurity.NONE.withKerberos(
            new ClientKerberos("lampone", KerberosLogin.ofKeytab(SERVICE, keytab)));
    MetricRegistry ofPrimary = new MetricRegistry();
    MetricRegistry ofValidator = new MetricRegistry();
    TransactionManagerServer primary = null;
    TransactionManagerServer validator = null;
    try (TestingServer zookeeper = new TestingServer();
        CommandClient commands =
            new CommandClient(
                TransactionManagerClientConfig.builder()
                    .connectTimeout(Duration.ofMinutes(1))
                    .requestTimeout(Duration.ofMinutes(1))
                    .security(administrator)
                    .build())) {
      TransactionManagerConfig.Builder config =
          TransactionManagerConfig.builder()
              .bindHost(HOST)
              .bindPort(0)
              .zookeeperQuorum(zookeeper.getConnectString())
              .conflictTableCapacity(1 << 16)
              .decisionMemoryCapacity(1 << 10)
              .security(security(Optional.of(principals)));
      primary =
          TransactionManagerServer.start(
              config.sharding(new Sharding("", true, Duration.ofSeconds(10))).build(), ofPrimary);
      primary.whenPrimary().get(60, SECONDS);
      validator =
          TransactionManagerServer.start(
              config.sharding(new Sharding("v", true, Duration.ofSeconds(10))).build(),
              ofValidator);
      validator.whenListed().get(60, SECONDS);
      InetSocketAddress address = InetSocketAddress.createUnresolved(HOST, primary.port());
      CommandAnswer added = commands.ask(address, "validator-add", "validator=v").get(60, SECONDS);
      assertThat(added.succeeded()).as(added.text()).isTrue();
      Thread.sleep(Duration.ofSeconds(25).toMillis()); // it is busy for 10 s after its lifetime
      assertThat(commands.ask(address, "validators", "").get(60, SECONDS).text())
          .contains("\"bucketsOfPrimary\":1260", "\"lost\":[]");
    } finally {
      for (TransactionManagerServer each : Arrays.asList(validator, primary)) {
        if (each != null) {
          each.kill();
        }
      }
    }
  }

  private SecuritySettings security(Optional<Path> principals) {
    return new SecuritySettings(
            Mode.KERBEROS, principals, Optional.empty(), Optional.empty(), Optional.empty())
        .withKerberos(new KerberosSettings(SERVICE + "@" + TestKdc.REALM, keytab, LIFETIME));
  }

  private BlockingConnection open(int port, long capabilities) throws IOException {
    return BlockingConnection.open(
        InetSocketAddress.createUnresolved(HOST, port),
        alice,
        capabilities,
        LIMIT,
        SystemClock.INSTANCE);
  }
}
