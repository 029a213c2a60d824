package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Authentication and TLS over real sockets. */
@Timeout(180)
final class SecureServerTest {

  private static final String SECRET = "the-secret-of-the-shop";
  private static final int MAX_OUTSTANDING = 1_000;
  private static final Identity SHOP = new Identity("shop", "");

  @TempDir private Path directory;

  private final MetricRegistry metrics = new MetricRegistry();
  private Optional<TransactionManagerServer> server = Optional.empty();

  @AfterEach
  void stop() {
    server.ifPresent(TransactionManagerServer::close);
  }

  @Test
  void whoKnowsTheSecretIsServedAndNobodyElse() throws Exception {
    start(settings(Mode.SECRET, principals("shop client * " + SECRET), Optional.empty()));
    try (FrameSocket socket = connect()) {
      socket.prove(SHOP, SECRET, socket.challenge(SHOP, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(socket.receive());
      Handshake.Welcome.readFrom(socket.receive());
      assertThat(socket.begins(1)).isTrue();
    }
    try (FrameSocket socket = connect()) {
      socket.prove(SHOP, "some-other-secret-here", socket.challenge(SHOP, Capabilities.SECRET));
      assertThat(reject(socket).text()).doesNotContain(SECRET);
      assertThat(socket.isClosedSilently()).isTrue();
    }
    try (FrameSocket socket = connect()) {
      socket.send(Handshake.Hello.current());
      assertThat(reject(socket).text()).contains("secret");
    }
    assertThat(count("handshakes.rejected.credential")).isEqualTo(2);
    assertThat(count("begins")).isEqualTo(1);
  }

  @Test
  void aRequestThatFollowsAWrongProofIsNotExecuted() throws Exception {
    start(settings(Mode.SECRET, principals("shop client * " + SECRET), Optional.empty()));
    try (FrameSocket socket = connect()) {
      socket.challenge(SHOP, Capabilities.SECRET);
      assertThatThrownBy(() -> socket.begins(1)).isInstanceOf(IOException.class);
    }
    assertThat(count("begins")).isZero();
  }

  @Test
  void aChangedFileCountsAtOnceAndShowsOutWhoIsNoLongerInIt() throws Exception {
    Path file = principals("shop client * " + SECRET);
    start(settings(Mode.SECRET, file, Optional.empty()));
    try (FrameSocket socket = connect()) {
      socket.prove(SHOP, SECRET, socket.challenge(SHOP, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(socket.receive());
      Handshake.Welcome.readFrom(socket.receive());
      Files.writeString(file, "this line is of no use\n");
      Files.writeString(file, "books client * another-secret-here\n");
      assertThat(socket.isClosedSilently()).isTrue();
    }
    Identity books = new Identity("books", "");
    try (FrameSocket socket = connect()) {
      socket.prove(books, "another-secret-here", socket.challenge(books, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(socket.receive());
      assertThat(Handshake.Welcome.readFrom(socket.receive()).epoch()).isPositive();
    }
  }

  @Test
  void aSecretThatIsTakenOutEndsTheSessionsThatItOpenedAndNoOthers() throws Exception {
    String other = "another-secret-here";
    Path file = principals("shop client * " + SECRET + "\nshop client * " + other);
    start(settings(Mode.SECRET, file, Optional.empty()));
    try (FrameSocket old = connect();
        FrameSocket young = connect()) {
      old.prove(SHOP, SECRET, old.challenge(SHOP, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(old.receive());
      Handshake.Welcome.readFrom(old.receive());
      young.prove(SHOP, other, young.challenge(SHOP, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(young.receive());
      Handshake.Welcome.readFrom(young.receive());
      Files.writeString(file, "shop client * " + other + "\n");
      assertThat(old.isClosedSilently()).isTrue();
      assertThat(young.begins(1)).isTrue();
    }
  }

  /** Connections that are open stay, and an administrator gets in. */
  @Test
  void aPrincipalWithTooManyConnectionsIsRefusedWithTheNameOfTheProperty() throws Exception {
    String operator = "the-secret-of-the-operator";
    start(
        settings(
            Mode.SECRET,
            principals("shop client * " + SECRET + "\nroot client,administrator * " + operator),
            Optional.empty()),
        AdmissionSettings.DEFAULT.withConnections(2, 4));
    ClientSecurity root = proved("root", operator);
    try (BlockingConnection first = open(proved("shop", SECRET), 0)) {
      try (BlockingConnection second = open(proved("shop", SECRET), 0);
          BlockingConnection third = open(root, Capabilities.COMMANDS);
          BlockingConnection fourth = open(root, Capabilities.COMMANDS);
          BlockingConnection reserved = open(root, Capabilities.COMMANDS)) {
        assertThatThrownBy(() -> open(proved("shop", SECRET), 0))
            .hasMessageContaining("too many connections of this principal")
            .hasMessageContaining("lampone.tm.admission.connections.of.principal")
            .hasMessageContaining("limit=2");
        assertThat(count("handshakes.crowded")).isEqualTo(1);
        assertThat(count("handshakes.rejected.full")).isEqualTo(1);
        for (BlockingConnection open : List.of(first, second)) {
          assertServed(open);
        }
        assertThat(List.of(third, fourth, reserved))
            .allMatch(connection -> connection.welcome().epoch() > 0);
      }
      TransactionManagerClientConfig config =
          TransactionManagerClientConfig.builder().security(proved("shop", SECRET)).build();
      try (TransactionManagerClient client =
          TransactionManagerClient.create(
              config,
              AddressSource.fixed(
                  new InetSocketAddress("127.0.0.1", server.orElseThrow().port())))) {
        // As soon as the server has seen that the second one has gone.
        assertThat(client.begin().get(60, SECONDS).startTimestamp()).isPositive();
      }
    }
  }

  private static ClientSecurity proved(String name, String secret) {
    return ClientSecurity.NONE
        .withIdentity(new Identity(name, ""))
        .withSecret(new SharedSecret(Bytes.utf8(secret)));
  }

  private BlockingConnection open(ClientSecurity security, long capabilities) throws IOException {
    return BlockingConnection.open(
        new InetSocketAddress("127.0.0.1", server.orElseThrow().port()),
        security,
        capabilities,
        Duration.ofSeconds(20),
        SystemClock.INSTANCE);
  }

  private static void assertServed(BlockingConnection connection) throws IOException {
    connection.allow(Duration.ofSeconds(20));
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(1).writeTo(connection.writer());
    connection.send();
    assertThat(WireReply.readBatch(connection.receive()).get(0))
        .isInstanceOf(WireReply.Begun.class);
  }

  /** A list of nobody is not the same as no list, with which every certificate would do. */
  @Test
  void whoTakesOutTheLastPrincipalLetsNobodyIn() throws Exception {
    TestCertificates certificates = certificates("server", "shop");
    Path file = principals("shop client,administrator * -");
    start(
        settings(
            Mode.CERTIFICATE,
            file,
            Optional.of(tls(certificates, "server", "shop", ClientCertificates.REQUIRED))));
    try (FrameSocket socket = connect(certificates, "server", "shop")) {
      socket.greet();
      Files.writeString(file, ""); // as while it is written anew
      Files.writeString(file, "# nobody\n");
      assertThat(socket.isClosedSilently()).isTrue();
    }
    assertThatThrownBy(
            () -> {
              try (FrameSocket socket = connect(certificates, "server", "shop")) {
                socket.greet();
              }
            })
        .isInstanceOfAny(IOException.class, MalformedException.class);
  }

  @Test
  void aCertificateOpensTlsAndNamesThePrincipal() throws Exception {
    TestCertificates certificates = certificates("server", "shop", "stranger");
    start(
        settings(
            Mode.CERTIFICATE,
            principals("shop client * -"),
            Optional.of(tls(certificates, "server", "shop", ClientCertificates.REQUIRED))));
    try (FrameSocket socket = connect(certificates, "server", "shop")) {
      socket.greet();
      for (int id = 1; id < 100; id++) {
        assertThat(socket.begins(id)).isTrue();
      }
    }
    // In TLS 1.3 a client hears of its refusal with the first bytes it reads.
    for (String name : new String[] {"stranger", ""}) {
      assertThatThrownBy(
              () -> {
                try (FrameSocket socket = connect(certificates, "server", name)) {
                  socket.greet();
                }
              })
          .as("name=%s", name)
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> connect(certificates, "stranger", "shop").greet())
        .isInstanceOf(SSLException.class);
    // The server hears of it a moment after the client has refused it.
    while (count("handshakes.tls-failed") < 3) {
      Thread.onSpinWait();
    }
    assertThat(count("handshakes.tls-failed")).isEqualTo(3);
  }

  @Test
  void tlsCarriesAProofBySecretToo() throws Exception {
    TestCertificates certificates = certificates("server");
    start(
        settings(
            Mode.SECRET,
            principals("shop client * " + SECRET),
            Optional.of(tls(certificates, "server", "", ClientCertificates.NONE))));
    try (FrameSocket socket = connect(certificates, "server", "")) {
      socket.prove(SHOP, SECRET, socket.challenge(SHOP, Capabilities.SECRET));
      Handshake.Counterproof.readFrom(socket.receive());
      Handshake.Welcome.readFrom(socket.receive());
      assertThat(socket.begins(1)).isTrue();
    }
  }

  @Test
  void eachEndHearsInItsOwnLanguageThatOnlyOneTalksTls() throws Exception {
    TestCertificates certificates = certificates("server");
    start(
        settings(
            Mode.NONE,
            null,
            Optional.of(tls(certificates, "server", "", ClientCertificates.NONE))));
    try (FrameSocket plain = connect()) {
      plain.send(Handshake.Hello.current());
      assertThat(reject(plain).text()).contains("TLS");
    }
    stop();
    start(SecuritySettings.OFF);
    assertThatThrownBy(() -> connect(certificates, "server", "").greet())
        .isInstanceOf(SSLException.class)
        .hasMessageContaining("handshake_failure");
  }

  @Test
  void garbageOnATlsPortHurtsItsSenderOnly() throws Exception {
    TestCertificates certificates = certificates("server");
    start(
        settings(
            Mode.NONE,
            null,
            Optional.of(tls(certificates, "server", "", ClientCertificates.NONE))));
    try (FrameSocket good = connect(certificates, "server", "")) {
      good.greet();
      byte[] garbage = new byte[600];
      for (int first = 0; first < 256; first++) {
        java.util.Arrays.fill(garbage, (byte) (first * 31));
        garbage[0] = (byte) first;
        try (FrameSocket bad = connect()) {
          bad.send(garbage);
          bad.endOutput();
          bad.drain();
        } catch (java.net.SocketException e) {
          assertThat(e).hasMessageNotContaining("timed out");
        }
        assertThat(good.begins(first + 1)).isTrue();
      }
    }
  }

  /** What it was held back for is forgotten when it has taken its replies, encrypted ones too. */
  @Test
  void aClientWithTlsThatReadsAgainIsServedAgain() throws Exception {
    TestCertificates certificates = certificates("server");
    start(
        settings(
            Mode.NONE,
            null,
            Optional.of(tls(certificates, "server", "", ClientCertificates.NONE))));
    try (FrameSocket socket = connect(certificates, "server", "");
        FrameSocket other = connect(certificates, "server", "")) {
      socket.greet();
      other.greet();
      AtomicBoolean enough = new AtomicBoolean();
      Thread sender = socket.flood(enough);
      for (long id = 1; count("batches.overloaded") == 0; id++) {
        assertThat(other.begins(id)).isTrue();
      }
      enough.set(true);
      // The sender may wait for room that only reading makes.
      while (WireReply.readBatch(socket.receive()).size() > 1) {
        // One of the flood.
      }
      sender.join(10_000);
      assertThat(socket.begins(Long.MAX_VALUE)).isTrue();
    }
  }

  private static Handshake.Reject reject(FrameSocket socket) throws IOException {
    FrameReader frame = socket.receive();
    Handshake.Reject reject = Handshake.Reject.readFrom(frame);
    assertThat(reject.reason()).isEqualTo(Handshake.Reason.CREDENTIAL);
    return reject;
  }

  private long count(String what) {
    return metrics.meter("lampone.tm." + what).getCount();
  }

  private TestCertificates certificates(String... names) throws Exception {
    TestCertificates certificates = new TestCertificates(directory);
    for (String name : names) {
      certificates.make(name);
    }
    return certificates;
  }

  private static TlsSettings tls(
      TestCertificates certificates, String own, String authority, ClientCertificates clients) {
    return new TlsSettings(
        certificates.certificate(own),
        certificates.key(own),
        Optional.empty(),
        authority.isEmpty() ? Optional.empty() : Optional.of(certificates.certificate(authority)),
        clients);
  }

  private static SecuritySettings settings(Mode mode, Path principals, Optional<TlsSettings> tls) {
    return new SecuritySettings(
        mode, Optional.ofNullable(principals), tls, Optional.empty(), Optional.empty());
  }

  private Path principals(String line) throws IOException {
    Path file = directory.resolve("principals");
    Files.writeString(file, line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private void start(SecuritySettings security) throws Exception {
    start(security, AdmissionSettings.DEFAULT);
  }

  private void start(SecuritySettings security, AdmissionSettings admission) throws Exception {
    TransactionManagerServer started =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .maxMessagesPerFrame(MAX_OUTSTANDING)
                .maxOutstandingPerConnection(MAX_OUTSTANDING)
                .handshakeTimeout(Duration.ofSeconds(20))
                .security(security)
                .admission(admission)
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server = Optional.of(started);
    started.whenPrimary().get(60, SECONDS);
  }

  private FrameSocket connect() throws IOException {
    return new FrameSocket(server.orElseThrow().port());
  }

  private FrameSocket connect(TestCertificates certificates, String trusted, String own)
      throws Exception {
    Socket plain = new Socket("127.0.0.1", server.orElseThrow().port());
    SSLSocket socket =
        (SSLSocket)
            certificates
                .sockets(trusted, own)
                .createSocket(plain, "127.0.0.1", plain.getPort(), true);
    return new FrameSocket(socket);
  }
}
