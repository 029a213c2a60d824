package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.connect.ClientToken;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.Phase;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tm.token.core.TokenSettings;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TokenClient;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Delegation tokens at real transaction managers, which share ZooKeeper and a cluster key. */
@Timeout(180)
final class DelegationTokensTest extends TokenServers {

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
    settings = new TokenSettings(Duration.ofSeconds(20), Duration.ofSeconds(300), 10, 10);
    TransactionManagerServer first = start();
    first.whenPrimary().get(60, SECONDS);
    ClientToken renewed = alice().obtain("yarn").get(60, SECONDS);
    ClientToken left = alice().obtain("yarn").get(60, SECONDS);
    assertThatThrownBy(() -> alice().renew(renewed).get(60, SECONDS))
        .hasMessageContaining("only its renewer");
    settings = new TokenSettings(Duration.ofSeconds(150), Duration.ofSeconds(300), 10, 10);
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
  void whatIsKeptOfAnOwnerAndOfAllIsLimited_alsoAfterATakeover() throws Exception {
    settings = new TokenSettings(Duration.ofDays(1), Duration.ofDays(7), 10, 5);
    TransactionManagerServer first = start();
    first.whenPrimary().get(60, SECONDS);
    TokenClient yarn = tokens(secret("yarn", YARN));
    ClientToken refused = alice().obtain("").get(60, SECONDS);
    alice().cancel(alice().obtain("").get(60, SECONDS)).get(60, SECONDS);
    assertTooMany(alice().cancel(refused), "ofOwner=1");
    yarn.cancel(yarn.obtain("").get(60, SECONDS)).get(60, SECONDS);
    first.kill();
    settings = new TokenSettings(Duration.ofDays(1), Duration.ofDays(7), 2, 50);
    TransactionManagerServer second = start();
    second.whenPrimary().get(60, SECONDS);
    assertServed(second, shown(refused));
    assertTooMany(yarn.cancel(yarn.obtain("").get(60, SECONDS)), "kept=2 ofOwner=1");
  }

  private static void assertTooMany(CompletableFuture<?> refused, String counted) {
    assertThatThrownBy(() -> refused.get(60, SECONDS))
        .hasMessageContaining("too many cancelled delegation tokens")
        .hasMessageContaining(counted)
        .hasMessageContaining("raise lampone.tm.security.token.kept");
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

  /** The holder of a certificate is its token's owner, not the certificate's. */
  @Test
  void overTlsATokenCountsBeforeACertificate() throws Exception {
    TestCertificates certificates = new TestCertificates(directory).make("server");
    SecuritySettings tls =
        new SecuritySettings(
            Mode.SECRET,
            Optional.of(principals),
            Optional.of(
                new TlsSettings(
                    certificates.certificate("server"),
                    certificates.key("server"),
                    Optional.empty(),
                    Optional.of(certificates.certificate("server")),
                    ClientCertificates.OPTIONAL)),
            Optional.of(clusterKey),
            Optional.empty());
    TransactionManagerServer server = start(tls);
    server.whenPrimary().get(60, SECONDS);
    ClientTls trusting =
        new ClientTls(
            Optional.of(certificates.certificate("server")),
            Optional.empty(),
            Optional.empty(),
            true);
    ClientTls showing =
        new ClientTls(
            Optional.of(certificates.certificate("server")),
            Optional.of(certificates.certificate("server")),
            Optional.of(certificates.key("server")),
            true);
    ClientToken token =
        tokens(secret("alice", ALICE).withTls(trusting)).obtain("").get(60, SECONDS);
    assertServed(server, shown(token).withTls(trusting));
    assertServed(server, shown(token).withTls(showing));
    assertThatThrownBy(() -> open(server, shown(token), 0)).isInstanceOf(IOException.class);
  }

  @Test
  void whatHappensToTokensIsAuditedAndNoPasswordIsInIt() throws Exception {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger audit = (Logger) LoggerFactory.getLogger("lampone.audit");
    audit.setLevel(Level.INFO);
    audit.addAppender(lines);
    try {
      TransactionManagerServer server = start();
      server.whenPrimary().get(60, SECONDS);
      ClientToken token = alice().obtain("yarn").get(60, SECONDS);
      assertServed(server, shown(token));
      assertThatThrownBy(() -> tokens(shown(token)).obtain("").get(60, SECONDS))
          .hasMessageContaining("not permitted");
      alice().cancel(token).get(60, SECONDS);
      assertRefused(server, shown(token), 0, "was cancelled");
      List<String> texts =
          List.copyOf(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
      assertThat(texts)
          .anyMatch(line -> line.contains("obtain-token") && line.contains("\"done\""))
          .anyMatch(line -> line.contains("obtain-token") && line.contains("not permitted"))
          .anyMatch(line -> line.contains("cancel-token") && line.contains("\"done\""))
          .anyMatch(line -> line.contains("handshake") && line.contains("owner=alice"))
          .anyMatch(line -> line.contains("cancel-token") && line.contains("proof=...\""))
          .noneMatch(line -> line.contains(DelegationToken.text(token.password())));
    } finally {
      audit.detachAppender(lines);
    }
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
}
