package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientGreeting.Refusal;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.connect.HandshakeFailedException;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tmclient.AddressSource;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TokenClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.ZooKeeperAddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Delegation tokens at real transaction managers, which share ZooKeeper and a cluster key. */
@Timeout(120)
final class DelegationTokensTest {

  private static final String HOST = "127.0.0.1";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String ALICE = "the-secret-of-alice";
  private static final String YARN = "the-secret-of-yarn!";
  private static final String PRINCIPALS =
      "alice client,administrator,region books,* %s\nyarn client * %s\nroot administrator * %s\n"
          .formatted(ALICE, YARN, ALICE);

  @TempDir private Path directory;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private TestingServer zookeeper;
  private Path clusterKey;
  private Path principals;
  private TokenSettings settings = TokenSettings.DEFAULT;

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

  @Test
  void aTokenIsItsOwnerAtEveryManagerButNeitherAdministratorNorRegion() throws Exception {
    TransactionManagerServer first = start();
    first.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    assertServed(first, shown(token));
    assertServed(first, shown(token).withIdentity(new Identity("", "books")));
    assertRefused(first, shown(token), Capabilities.TRANSFER, "only an administrator");
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(shown(token)).build();
    InetSocketAddress address = InetSocketAddress.createUnresolved(HOST, first.port());
    try (CommandClient commands = new CommandClient(config);
        TransactionManagerClient client =
            TransactionManagerClient.connect(config, zookeeper.getConnectString(), "/lampone")) {
      assertThat(commands.ask(address, "drain", "").get(60, SECONDS).text())
          .contains("not permitted");
      assertThat(commands.ask(address, "holds", "").get(60, SECONDS).succeeded()).isTrue();
      long before = client.begin().get(60, SECONDS).startTimestamp();
      first.kill();
      TransactionManagerServer second = start();
      second.whenPrimary().get(60, SECONDS);
      assertThat(client.begin().get(60, SECONDS).startTimestamp()).isGreaterThan(before);
      assertServed(second, shown(token));
    }
  }

  @Test
  void aTokenBegetsNoTokenAndRenewsAndCancelsNone() throws Exception {
    start().whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("alice").get(60, SECONDS);
    TokenClient task = tokens(shown(token));
    for (CompletableFuture<?> refused :
        List.of(task.obtain(""), task.renew(token), task.cancel(token))) {
      assertThatThrownBy(() -> refused.get(60, SECONDS)).hasMessageContaining("not permitted");
    }
    // Nor does a client that has not the role to use it.
    assertThatThrownBy(() -> tokens(secret("root", ALICE)).obtain("").get(60, SECONDS))
        .hasMessageContaining("has not the role client");
    assertThatThrownBy(() -> alice().obtain("token:x").get(60, SECONDS))
        .hasMessageContaining("wrong name");
  }

  @Test
  void whatIsForgedOrOfAnotherClusterIsRefusedAndAllOfItInTheSameWords() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    DelegationToken id = token.identifier();
    DelegationToken root =
        new DelegationToken(
            "root",
            id.renewer(),
            id.issuedMillis(),
            id.expiresMillis(),
            id.latestMillis(),
            id.number());
    DelegationToken eternal =
        new DelegationToken(
            id.owner(),
            id.renewer(),
            id.issuedMillis(),
            id.latestMillis(),
            id.latestMillis(),
            id.number());
    Bytes wrong = Bytes.wrap(new byte[32]);
    for (ClientToken forged :
        List.of(
            new ClientToken(root, token.password()),
            new ClientToken(eternal, token.password()),
            new ClientToken(id, wrong))) {
      assertRefused(server, shown(forged), 0, "is of another cluster or of a retired cluster key");
      assertThatThrownBy(() -> tokens(secret("yarn", YARN)).renew(forged).get(60, SECONDS))
          .hasMessageContaining("is of another cluster or of a retired cluster key");
      assertThatThrownBy(() -> alice().cancel(forged).get(60, SECONDS))
          .hasMessageContaining("is of another cluster or of a retired cluster key");
    }
    // Without the capability to prove it.
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.send(
          new Handshake.Hello(
              1, 1, Capabilities.OWNERSHIP, new Identity(id.name(), "").credential()));
      assertThat(Handshake.Reject.readFrom(socket.receive()).text()).contains("its password");
    }
    // The key of its term has gone.
    Files.delete(clusterKey);
    SecurityFiles.createClusterKey(clusterKey);
    server.kill();
    TransactionManagerServer other = start();
    other.whenPrimary().get(60, SECONDS);
    assertRefused(other, shown(token), 0, "is of another cluster or of a retired cluster key");
  }

  @Test
  void aRecordedHandshakeIsWorthNothing() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    Identity identity = new Identity(token.identifier().name(), "");
    SharedSecret password = new SharedSecret(token.password());
    Bytes nonce = Bytes.utf8("thirty-two bytes, used only once");
    Handshake.Proof recorded;
    try (FrameSocket socket = new FrameSocket(server.port())) {
      Bytes challenge = socket.challenge(identity, Capabilities.SECRET);
      recorded =
          new Handshake.Proof(nonce, password.clientMac(challenge, nonce, identity.credential()));
      socket.send(recorded);
      Handshake.Counterproof.readFrom(socket.receive());
    }
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.challenge(identity, Capabilities.SECRET);
      socket.send(recorded);
      assertThat(Handshake.Reject.readFrom(socket.receive()).text()).contains("password is wrong");
      assertThat(socket.isClosedSilently()).isTrue();
    }
  }

  @Test
  void renewedTokensLiveOnAndOthersExpireWithTheirConnections() throws Exception {
    settings = new TokenSettings(Duration.ofSeconds(5), Duration.ofSeconds(60), 10, 10);
    TransactionManagerServer first = start();
    first.whenPrimary().get(60, SECONDS);
    ClientToken renewed = alice().obtain("yarn").get(60, SECONDS);
    ClientToken left = alice().obtain("yarn").get(60, SECONDS);
    assertThatThrownBy(() -> alice().renew(renewed).get(60, SECONDS))
        .hasMessageContaining("only its renewer");
    settings = new TokenSettings(Duration.ofSeconds(40), Duration.ofSeconds(60), 10, 10);
    first.kill();
    TransactionManagerServer second = start();
    second.whenPrimary().get(60, SECONDS);
    long until = tokens(secret("yarn", YARN)).renew(renewed).get(60, SECONDS);
    assertThat(until).isGreaterThan(renewed.identifier().expiresMillis() + 10_000);
    while (SystemClock.INSTANCE.wallMillis() <= left.identifier().expiresMillis()) {
      pause();
    }
    assertRefused(second, shown(left), 0, "has expired: obtain a new one");
    assertServed(second, shown(renewed));
    // Another manager reads it from ZooKeeper.
    second.kill();
    TransactionManagerServer third = start();
    third.whenPrimary().get(60, SECONDS);
    assertServed(third, shown(renewed));
    assertThatThrownBy(() -> tokens(secret("yarn", YARN)).renew(left).get(60, SECONDS))
        .hasMessageContaining("has expired");
  }

  @Test
  void aCancelledTokenIsRefusedEverywhereAndItsConnectionsEnd() throws Exception {
    TransactionManagerServer first = start();
    first.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    ClientToken other = alice().obtain("yarn").get(60, SECONDS);
    try (BlockingConnection cancelled = open(first, shown(token), 0);
        BlockingConnection standing = open(first, shown(other), 0)) {
      begin(cancelled, 1);
      tokens(secret("yarn", YARN)).cancel(token).get(60, SECONDS);
      assertRefused(first, shown(token), 0, "was cancelled: obtain a new one");
      cancelled.allow(LIMIT);
      assertThatThrownBy(cancelled::receive).isInstanceOf(IOException.class);
      begin(standing, 1);
    }
    TransactionManagerServer second = start();
    second.whenListed().get(60, SECONDS);
    first.kill();
    second.whenPrimary().get(60, SECONDS);
    assertRefused(second, shown(token), 0, "was cancelled: obtain a new one");
    assertServed(second, shown(other));
  }

  @Test
  void rolesAndTenantsAreTheOwnersAtUse() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    try (BlockingConnection connection = open(server, shown(token), 0)) {
      Files.writeString(principals, "alice region,administrator * " + ALICE + "\n");
      connection.allow(LIMIT);
      assertThatThrownBy(connection::receive).isInstanceOf(IOException.class);
    }
    assertRefused(server, shown(token), 0, "the owner of the delegation token has not the role");
  }

  @Test
  void aClientShowsTheTokenThatItHasAtTheMoment() throws Exception {
    TransactionManagerServer server = start();
    server.whenPrimary().get(60, SECONDS);
    ClientToken old = alice().obtain("yarn").get(60, SECONDS);
    AtomicReference<Optional<ClientToken>> held = new AtomicReference<>(Optional.of(old));
    ClientSecurity security = ClientSecurity.NONE.withTokens(held::get);
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder().security(security).build();
    try (TransactionManagerClient client =
        TransactionManagerClient.create(
            config, AddressSource.fixed(InetSocketAddress.createUnresolved(HOST, server.port())))) {
      client.begin().get(60, SECONDS);
      held.set(Optional.of(alice().obtain("yarn").get(60, SECONDS)));
      tokens(secret("yarn", YARN)).cancel(old).get(60, SECONDS);
      // The connection of the old one ends; the next one is made with the new one.
      for (int i = 0; i < 40; i++) {
        client.begin().get(60, SECONDS);
        pause();
      }
    }
    held.set(Optional.empty());
    assertRefused(server, security, 0, "demands a principal and its secret");
  }

  @Test
  void inThePermissivePhaseATokenIsProvedAndANameOfOneIsNoName() throws Exception {
    TransactionManagerServer server =
        start(settings().withPhases(Phase.PERMISSIVE, Phase.REQUIRED));
    server.whenPrimary().get(60, SECONDS);
    ClientToken token = alice().obtain("yarn").get(60, SECONDS);
    assertServed(server, shown(token));
    assertRefused(
        server,
        shown(new ClientToken(token.identifier(), Bytes.wrap(new byte[32]))),
        0,
        "password is wrong");
    assertRefused(
        server,
        ClientSecurity.NONE.withIdentity(new Identity(token.identifier().name(), "")),
        0,
        "its password");
    assertThatThrownBy(
            () ->
                tokens(ClientSecurity.NONE.withIdentity(new Identity("bob", "")))
                    .obtain("")
                    .get(60, SECONDS))
        .hasMessageContaining("not permitted");
  }

  @Test
  void withoutAClusterKeyThereAreNone() throws Exception {
    SecuritySettings open =
        new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    TransactionManagerServer server = start(open);
    server.whenPrimary().get(60, SECONDS);
    assertThatThrownBy(() -> alice().obtain("yarn").get(60, SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("set lampone.tm.security.cluster.key.file");
    DelegationToken made =
        new DelegationToken(
            "alice", "", 1, Long.MAX_VALUE / 1_000_000 - 1, Long.MAX_VALUE / 1_000_000, 1);
    assertRefused(
        server, shown(new ClientToken(made, Bytes.wrap(new byte[32]))), 0, "of another cluster");
  }

  private static ClientSecurity secret(String name, String secret) {
    return ClientSecurity.NONE
        .withIdentity(new Identity(name, ""))
        .withSecret(new SharedSecret(Bytes.utf8(secret)));
  }

  private static ClientSecurity shown(ClientToken token) {
    return ClientSecurity.NONE.withTokens(() -> Optional.of(token));
  }

  private TokenClient alice() {
    return tokens(secret("alice", ALICE));
  }

  private TokenClient tokens(ClientSecurity security) {
    ZooKeeperAddressSource source =
        ZooKeeperAddressSource.connect(zookeeper.getConnectString(), "/lampone");
    TokenClient client =
        new TokenClient(
            TransactionManagerClientConfig.builder().security(security).build(), source);
    opened.add(0, source);
    opened.add(0, client);
    return client;
  }

  private SecuritySettings settings() {
    return new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.empty(),
            Optional.of(clusterKey),
            Optional.empty())
        .withTokens(settings);
  }

  private TransactionManagerServer start() throws Exception {
    return start(settings());
  }

  private TransactionManagerServer start(SecuritySettings security) throws Exception {
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(HOST)
                .bindPort(0)
                .zookeeperQuorum(zookeeper.getConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .security(security)
                .build(),
            new MetricRegistry());
    opened.add(server::kill);
    return server;
  }

  private static BlockingConnection open(
      TransactionManagerServer server, ClientSecurity security, long capabilities)
      throws IOException {
    return BlockingConnection.open(
        InetSocketAddress.createUnresolved(HOST, server.port()),
        security,
        capabilities,
        LIMIT,
        SystemClock.INSTANCE);
  }

  private static void assertServed(TransactionManagerServer server, ClientSecurity security)
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

  private static void pause() throws InterruptedException {
    assertThat(new CountDownLatch(1).await(100, MILLISECONDS)).isFalse();
  }

  private static void begin(BlockingConnection connection, long id) throws IOException {
    connection.allow(LIMIT);
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(id).writeTo(connection.writer());
    connection.send();
    assertThat(WireReply.readBatch(connection.receive()).get(0))
        .isInstanceOf(WireReply.Begun.class);
  }

  private static void assertRefused(
      TransactionManagerServer server, ClientSecurity security, long capabilities, String text) {
    assertThatExceptionOfType(HandshakeFailedException.class)
        .isThrownBy(() -> open(server, security, capabilities))
        .withMessageContaining(text)
        .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(400))
        .extracting(HandshakeFailedException::refusal)
        .isEqualTo(Refusal.DISTRUSTED);
  }
}
