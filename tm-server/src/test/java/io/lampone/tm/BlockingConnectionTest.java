package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientGreeting.Refusal;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.ClientTls;
import io.lampone.protocol.connect.HandshakeFailedException;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a region server talks, to real transaction managers, and to others in their place. */
@Timeout(180)
final class BlockingConnectionTest {

  private static final String SECRET = "the-secret-of-the-shop";
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final String REGIONS = "regions client * ";

  @TempDir private static Path directory;

  private static TestCertificates certificates;

  private Optional<TransactionManagerServer> server = Optional.empty();

  @BeforeAll
  static void makeCertificates() throws Exception {
    certificates = new TestCertificates(directory);
    for (String name : new String[] {"server", "regions", "stranger"}) {
      certificates.make(name);
    }
    certificates.make("elsewhere", "-ext", "san=dns:elsewhere.example");
    certificates.make("authority", "-ext", "bc:c");
    certificates.makeSigned("ended", "authority", "-3d");
    certificates.makeSigned("early", "authority", "+1d");
  }

  @AfterEach
  void stop() {
    server.ifPresent(TransactionManagerServer::close);
  }

  @Test
  void aPlainServerServes() throws Exception {
    start(Mode.NONE, "", Optional.empty());
    assertServed(ClientSecurity.NONE);
    assertServed(ClientSecurity.NONE.withIdentity(new Identity("anybody", "")));
  }

  @Test
  void aSecretIsProvedByBothEnds() throws Exception {
    start(Mode.SECRET, REGIONS + SECRET, Optional.empty());
    assertServed(knowing(SECRET));
  }

  @Test
  void tlsCarriesItAllAndACertificateOfTheClientsOwnIsShown() throws Exception {
    start(Mode.CERTIFICATE, REGIONS + "-", tls("server", ClientCertificates.REQUIRED));
    assertServed(ClientSecurity.NONE.withTls(trusting("server", "regions")));
    stop();
    start(Mode.SECRET, REGIONS + SECRET, tls("server", ClientCertificates.NONE));
    assertServed(knowing(SECRET).withTls(trusting("server", "")));
  }

  /** Who has a secret believes nobody who does not prove it, whatever else would do. */
  @Test
  void aClientWithCertificateAndSecretProvesTheSecretAndIsProvedIt() throws Exception {
    start(
        Mode.SECRET,
        REGIONS.replace("client", "client,administrator") + SECRET,
        tls("server", ClientCertificates.OPTIONAL));
    ClientTls certified = trusting("server", "regions");
    assertServed(knowing(SECRET).withTls(certified));
    try (BlockingConnection peer =
        open(knowing(SECRET).withTls(certified), Capabilities.TRANSFER)) {
      assertThat(Capabilities.has(peer.welcome().capabilities(), Capabilities.TRANSFER)).isTrue();
    }
    assertServed(ClientSecurity.NONE.withTls(certified));
    assertRefused(
        knowing("not-the-secret-of-it").withTls(certified), Refusal.DISTRUSTED, "do not fit");
  }

  @Test
  void aWrongSecretAndNoneAreRefusedAndTheSecretIsNotTold() throws Exception {
    start(Mode.SECRET, REGIONS + SECRET, Optional.empty());
    String wrong = "not-the-secret-of-it";
    HandshakeFailedException refusal =
        assertRefused(knowing(wrong), Refusal.DISTRUSTED, "principal and secret do not fit");
    assertThat(refusal.toString()).doesNotContain(wrong).doesNotContain(SECRET);
    assertRefused(ClientSecurity.NONE, Refusal.DISTRUSTED, "demands a principal and its secret");
  }

  @Test
  void aServerThatDoesNotProveTheSecretIsNotBelieved() throws Exception {
    start(Mode.NONE, "", Optional.empty());
    assertRefused(knowing(SECRET), Refusal.DISTRUSTED, "has not proved that it knows");
    stop();
    // One that lets everybody in by a proof that it cannot check, and cannot answer.
    try (Stranger impostor = new Stranger(BlockingConnectionTest::pretend)) {
      assertThatThrownBy(() -> open(impostor.port(), knowing(SECRET), 0, LONG))
          .isInstanceOf(HandshakeFailedException.class)
          .hasMessageContaining("does not know the shared secret");
    }
  }

  @Test
  void aServerWhoseCertificateIsNotTrustedIsNotBelieved() throws Exception {
    start(Mode.NONE, "", tls("server", ClientCertificates.NONE));
    assertRefused(
        ClientSecurity.NONE.withTls(trusting("stranger", "")),
        Refusal.DISTRUSTED,
        "not signed by an authority");
    stop();
    start(Mode.NONE, "", tls("elsewhere", ClientCertificates.NONE));
    assertRefused(
        ClientSecurity.NONE.withTls(trusting("elsewhere", "")),
        Refusal.DISTRUSTED,
        "made out to another host");
    assertServed(
        ClientSecurity.NONE.withTls(
            new ClientTls(
                Optional.of(certificates.certificate("elsewhere")),
                Optional.empty(),
                Optional.empty(),
                false)));
  }

  @Test
  void aServerWhoseCertificateHasEndedOrIsNotValidYetIsToldFromAStranger() throws Exception {
    ClientSecurity trusting = ClientSecurity.NONE.withTls(trusting("authority", ""));
    start(Mode.NONE, "", tls("ended", ClientCertificates.NONE));
    assertThat(assertRefused(trusting, Refusal.DISTRUSTED, "its certificate has ended, NotAfter: "))
        .hasMessageContaining("the clocks of both ends")
        .hasMessageNotContaining("authority");
    stop();
    start(Mode.NONE, "", tls("early", ClientCertificates.NONE));
    assertRefused(trusting, Refusal.DISTRUSTED, "its certificate is not valid yet, NotBefore: ");
  }

  @Test
  void aClientWhoseCertificateHasEndedIsAskedWhetherItHasAndTheServersLogSaysSo() throws Exception {
    start(Mode.CERTIFICATE, REGIONS + "-", tls("server", "authority", ClientCertificates.REQUIRED));
    Logger log = (Logger) LoggerFactory.getLogger("io.lampone.tm.net.handshake.HandshakePolicy");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.setLevel(Level.WARN);
    log.setAdditive(false);
    log.addAppender(lines);
    try {
      assertThatThrownBy(() -> open(ClientSecurity.NONE.withTls(trusting("server", "ended")), 0))
          .isInstanceOf(IOException.class)
          .message()
          .containsAnyOf("has this client's ended?", "lost before it greeted");
      stop(); // the server logs it after the client has heard
    } finally {
      log.detachAppender(lines);
      log.setAdditive(true);
      log.setLevel(null);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .startsWith("TLS handshake failed, remote=")
        .contains("the client's certificate has ended, NotAfter: ", "the clocks of both ends");
  }

  @Test
  void aClientWhoseCertificateIsNotTrustedOrMissingHearsSo() throws Exception {
    start(Mode.CERTIFICATE, REGIONS + "-", tls("server", ClientCertificates.REQUIRED));
    for (String own : new String[] {"stranger", ""}) {
      assertThatThrownBy(() -> open(ClientSecurity.NONE.withTls(trusting("server", own)), 0))
          .isInstanceOf(IOException.class)
          .message()
          .containsAnyOf("demand a client certificate", "demand a certificate of this client");
    }
  }

  @Test
  void eachEndHearsThatOnlyOneTalksTls() throws Exception {
    start(Mode.NONE, "", tls("server", ClientCertificates.NONE));
    assertRefused(ClientSecurity.NONE, Refusal.DISTRUSTED, "switch TLS on");
    stop();
    start(Mode.NONE, "", Optional.empty());
    assertRefused(
        ClientSecurity.NONE.withTls(trusting("server", "")), Refusal.DISTRUSTED, "speak TLS");
  }

  @Test
  void aServerThatIsSilentOrSaysItByteByByteCostsNoMoreThanTheLimit() throws Exception {
    // What begins a frame of the handshake, and a record of TLS.
    byte[][] beginnings = {{0, 0, 3, 0}, {0x16, 3, 3, 0x40, 0}};
    for (byte[] beginning : beginnings) {
      boolean tls = beginning[0] != 0;
      ClientSecurity security =
          tls ? ClientSecurity.NONE.withTls(trusting("server", "")) : ClientSecurity.NONE;
      assertGivenUp(security, socket -> socket.getInputStream().readAllBytes());
      assertGivenUp(security, socket -> trickle(socket, beginning));
    }
  }

  private static void assertGivenUp(ClientSecurity security, Stranger.Talk talk) throws Exception {
    try (Stranger stranger = new Stranger(talk)) {
      assertThatThrownBy(() -> open(stranger.port(), security, 0, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("does not greet in time");
    }
  }

  @Test
  void aServerThatHangsUpOrIsNotThereIsToldFromOneThatIsNotBelieved() throws Exception {
    int port;
    try (Stranger stranger = new Stranger(Socket::close)) {
      port = stranger.port();
      assertThatThrownBy(() -> open(port, ClientSecurity.NONE, 0, LONG))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(HandshakeFailedException.class)
          .hasMessageContaining("does it demand TLS");
    }
    assertThatThrownBy(() -> open(port, ClientSecurity.NONE, 0, LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("address=");
  }

  @Test
  void aKeyThatEverybodyMayReadAndOneOfAnotherCertificateAreNamed() throws Exception {
    start(Mode.NONE, "", tls("server", ClientCertificates.NONE));
    Path copy = Files.copy(certificates.key("regions"), directory.resolve("open.key"));
    Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-r--r--"));
    Path certificate = certificates.certificate("regions");
    assertUnusable(certificate, copy, "chmod go-rwx");
    assertUnusable(certificate, certificates.key("stranger"), "was not made for the key");
    assertUnusable(certificate, certificates.certificate("regions"), "regions.crt");
  }

  private void assertUnusable(Path certificate, Path key, String text) {
    ClientTls tls =
        new ClientTls(
            Optional.of(certificates.certificate("server")),
            Optional.of(certificate),
            Optional.of(key),
            true);
    assertThatThrownBy(() -> open(ClientSecurity.NONE.withTls(tls), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  private void assertServed(ClientSecurity security) throws IOException {
    try (BlockingConnection connection = open(security, 0)) {
      assertThat(connection.welcome().epoch()).isPositive();
      for (long id = 1; id <= 3; id++) {
        connection.allow(LONG);
        connection.writer().start(FrameKind.REQUESTS);
        new WireRequest.Begin(id).writeTo(connection.writer());
        connection.send();
        assertThat(WireReply.readBatch(connection.receive()).get(0))
            .isInstanceOf(WireReply.Begun.class);
      }
    }
  }

  private HandshakeFailedException assertRefused(
      ClientSecurity security, Refusal refusal, String text) {
    HandshakeFailedException[] thrown = new HandshakeFailedException[1];
    assertThatExceptionOfType(HandshakeFailedException.class)
        .isThrownBy(() -> open(security, 0))
        .withMessageContaining(text)
        .withMessageContaining("address=")
        .satisfies(failure -> thrown[0] = failure)
        .extracting(HandshakeFailedException::refusal)
        .isEqualTo(refusal);
    return thrown[0];
  }

  private BlockingConnection open(ClientSecurity security, long capabilities) throws IOException {
    return open(server.orElseThrow().port(), security, capabilities, LONG);
  }

  private static BlockingConnection open(
      int port, ClientSecurity security, long capabilities, Duration limit) throws IOException {
    return BlockingConnection.open(
        InetSocketAddress.createUnresolved("127.0.0.1", port),
        security,
        capabilities,
        limit,
        SystemClock.INSTANCE);
  }

  private static ClientSecurity knowing(String secret) {
    return ClientSecurity.NONE
        .withIdentity(new Identity("regions", ""))
        .withSecret(new SharedSecret(Bytes.utf8(secret)));
  }

  private static ClientTls trusting(String authority, String own) {
    return new ClientTls(
        Optional.of(certificates.certificate(authority)),
        own.isEmpty() ? Optional.empty() : Optional.of(certificates.certificate(own)),
        own.isEmpty() ? Optional.empty() : Optional.of(certificates.key(own)),
        true);
  }

  private static Optional<TlsSettings> tls(String own, ClientCertificates clients) {
    return tls(own, "regions", clients);
  }

  private static Optional<TlsSettings> tls(
      String own, String authority, ClientCertificates clients) {
    return Optional.of(
        new TlsSettings(
            certificates.certificate(own),
            certificates.key(own),
            Optional.empty(),
            Optional.of(certificates.certificate(authority)),
            clients));
  }

  private void start(Mode mode, String principals, Optional<TlsSettings> tls) throws Exception {
    Path file = directory.resolve("principals");
    Files.writeString(file, principals + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    server =
        Optional.of(
            TransactionManagerServer.start(
                TransactionManagerConfig.builder()
                    .bindHost("127.0.0.1")
                    .bindPort(0)
                    .handshakeTimeout(Duration.ofMinutes(1))
                    .conflictTableCapacity(1 << 10)
                    .decisionMemoryCapacity(1 << 10)
                    .security(
                        new SecuritySettings(
                            mode,
                            mode == Mode.NONE ? Optional.empty() : Optional.of(file),
                            tls,
                            Optional.empty(),
                            Optional.empty()))
                    .build(),
                new MetricRegistry(),
                new MemoryRecordStore(),
                SystemClock.INSTANCE));
    server.get().whenPrimary().get(60, SECONDS);
  }

  /** A server that does not know the secret, and welcomes everybody. */
  private static void pretend(Socket socket) throws IOException {
    try (FrameSocket frames = new FrameSocket(socket)) {
      frames.receive();
      frames.send(new Handshake.Challenge(Bytes.wrap(new byte[32])));
      frames.receive();
      frames.send(new Handshake.Counterproof(Bytes.wrap(new byte[32])));
      frames.send(new Handshake.Welcome(1, 0, 1, 1 << 20, 100));
      frames.drain();
    }
  }

  /** Enough bytes for many times the limit, and none of them late enough to be given up for. */
  private static void trickle(Socket socket, byte[] beginning) throws Exception {
    socket.getOutputStream().write(beginning);
    while (!new CountDownLatch(1).await(SHORT.toMillis() / 10, MILLISECONDS)) {
      socket.getOutputStream().write(0);
    }
  }

  /** Listens in the place of a transaction manager. */
  private static final class Stranger implements AutoCloseable {

    private final ServerSocket listener;
    private final Thread thread;

    /** What it does with the one connection that it accepts. */
    private interface Talk {

      void with(Socket socket) throws Exception;
    }

    Stranger(Talk talk) throws IOException {
      listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      thread =
          new Thread(
              () -> {
                try (Socket socket = listener.accept()) {
                  talk.with(socket);
                } catch (Exception e) {
                  // The client has gone, which is how most of these end.
                }
              });
      thread.start();
    }

    int port() {
      return listener.getLocalPort();
    }

    @Override
    public void close() throws Exception {
      listener.close();
      thread.join();
    }
  }
}
