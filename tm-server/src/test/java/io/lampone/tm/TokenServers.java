package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientGreeting.Refusal;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.connect.HandshakeFailedException;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tmclient.TokenClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.ZooKeeperAddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Transaction managers that share ZooKeeper and a cluster key, and clients with tokens. */
abstract class TokenServers {

  static final String HOST = "127.0.0.1";
  static final Duration LIMIT = Duration.ofSeconds(20);
  static final String ALICE = "the-secret-of-alice";
  static final String YARN = "the-secret-of-yarn!";
  private static final String PRINCIPALS =
      "alice client,administrator,region books,* %s\nyarn client * %s\nroot administrator * %s\n"
          .formatted(ALICE, YARN, ALICE);

  @TempDir Path directory;

  private final List<AutoCloseable> opened = new ArrayList<>();
  TestingServer zookeeper;
  Path clusterKey;
  Path principals;
  TokenSettings settings = TokenSettings.DEFAULT;

  @BeforeEach
  void prepare() throws Exception {
    zookeeper = new TestingServer();
    clusterKey = directory.resolve("cluster.key");
    SecurityFiles.createClusterKey(clusterKey);
    principals = directory.resolve("principals");
    Files.writeString(principals, PRINCIPALS);
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
  }

  @AfterEach
  void stop() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    zookeeper.close();
  }

  static ClientSecurity secret(String name, String secret) {
    return ClientSecurity.NONE
        .withIdentity(new Identity(name, ""))
        .withSecret(new SharedSecret(Bytes.utf8(secret)));
  }

  static ClientSecurity shown(ClientToken token) {
    return ClientSecurity.NONE.withTokens(() -> Optional.of(token));
  }

  /** Closes it after the test. */
  <T extends AutoCloseable> T opened(T part) {
    opened.add(0, part);
    return part;
  }

  TokenClient alice() {
    return tokens(secret("alice", ALICE));
  }

  TokenClient tokens(ClientSecurity security) {
    ZooKeeperAddressSource source =
        ZooKeeperAddressSource.connect(zookeeper.getConnectString(), "/lampone");
    TokenClient client =
        new TokenClient(
            TransactionManagerClientConfig.builder().security(security).build(), source);
    opened.add(0, source);
    opened.add(0, client);
    return client;
  }

  SecuritySettings settings() {
    return new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.empty(),
            Optional.of(clusterKey),
            Optional.empty())
        .withTokens(settings);
  }

  TransactionManagerServer start() throws Exception {
    return start(settings());
  }

  TransactionManagerServer start(SecuritySettings security) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(HOST)
                .bindPort(0)
                .zookeeperQuorum(zookeeper.getConnectString())
                .leaseDuration(Duration.ofSeconds(4))
                .leaseRenewInterval(Duration.ofMillis(500))
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .security(security)
                .build(),
            new MetricRegistry());
    opened.add(server::kill);
    return server;
  }

  static BlockingConnection open(
      TransactionManagerServer server, ClientSecurity security, long capabilities)
      throws IOException {
    return BlockingConnection.open(
        InetSocketAddress.createUnresolved(HOST, server.port()),
        security,
        capabilities,
        LIMIT,
        SystemClock.INSTANCE);
  }

  static void assertServed(TransactionManagerServer server, ClientSecurity security)
      throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      try (BlockingConnection connection = open(server, security, 0)) {
        begin(connection, 1);
        return;
      } catch (HandshakeFailedException e) {
        // A manager that has just started has not read ZooKeeper yet, and says so.
        if (e.refusal() != Refusal.TURNED_AWAY || System.nanoTime() > end) {
          throw e;
        }
        pause();
      }
    }
  }

  static void pause() throws InterruptedException {
    assertThat(new CountDownLatch(1).await(100, MILLISECONDS)).isFalse();
  }

  static void begin(BlockingConnection connection, long id) throws IOException {
    connection.allow(LIMIT);
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(id).writeTo(connection.writer());
    connection.send();
    assertThat(WireReply.readBatch(connection.receive()).get(0))
        .isInstanceOf(WireReply.Begun.class);
  }

  static void assertRefused(
      TransactionManagerServer server, ClientSecurity security, long capabilities, String text) {
    assertThatExceptionOfType(HandshakeFailedException.class)
        .isThrownBy(() -> open(server, security, capabilities))
        .withMessageContaining(text)
        .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(400))
        .extracting(HandshakeFailedException::refusal)
        .isEqualTo(Refusal.DISTRUSTED);
  }
}
