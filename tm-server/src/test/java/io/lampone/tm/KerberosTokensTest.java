package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientKerberos;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.KerberosSettings;
import io.lampone.tm.security.SecuritySettings;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.Provider;
import java.security.Security;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslServer;
import javax.security.sasl.SaslServerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is sent in the place of tokens costs its sender the connection and no other one. */
@Timeout(180)
final class KerberosTokensTest {

  private static final String SERVICE = "lampone/" + TokenServers.HOST;
  private static final Duration LONGER_THAN_A_TEST_WAITS = Duration.ofSeconds(30);
  private static final Handshake.Hello HELLO =
      new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | Capabilities.SASL, Bytes.EMPTY);
  private static final Bytes NOISE = Bytes.wrap(new byte[FrameLayout.MAX_SASL_TOKEN_BYTES]);

  @TempDir private static Path directory;

  private static TestKdc kdc;
  private static ClientSecurity alice;
  private static TransactionManagerServer server;

  @BeforeAll
  static void start() throws Exception {
    kdc = new TestKdc(directory.resolve("kdc"), 600);
    KerberosSettings kerberos =
        new KerberosSettings(SERVICE + "@" + TestKdc.REALM, kdc.keytab(SERVICE));
    alice =
        ClientSecurity.NONE.withKerberos(
            new ClientKerberos("lampone", KerberosLogin.ofKeytab("alice", kdc.keytab("alice"))));
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost(TokenServers.HOST)
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .handshakeTimeout(LONGER_THAN_A_TEST_WAITS)
                .security(
                    new SecuritySettings(
                            Mode.KERBEROS,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty())
                        .withKerberos(kerberos))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterAll
  static void stop() throws Exception {
    server.kill();
    kdc.close();
  }

  @Test
  void tokensOutOfTurnTooLongAndMadeUpEndTheirConnection() throws Exception {
    try (BlockingConnection honest = TokenServers.open(server, alice, 0)) {
      for (int step : new int[] {0, 2, 3, FrameLayout.LAST_SASL_STEP}) {
        try (FrameSocket socket = asked()) {
          socket.send(new Handshake.Sasl(step, NOISE));
          assertThat(socket.isClosedSilently()).isTrue();
        }
      }
      try (FrameSocket socket = asked()) {
        socket.send(new Handshake.Sasl(1, NOISE));
        assertThat(Handshake.Reject.readFrom(socket.receive()).text()).contains("not accepted");
        assertThat(socket.isClosedSilently()).isTrue();
      }
      try (FrameSocket socket = asked()) {
        // The second one before the first one has been answered.
        socket.send(new Handshake.Sasl(1, NOISE));
        socket.send(new Handshake.Sasl(2, NOISE));
        try {
          // Where the first one has been answered before the second one came.
          assertThat(socket.receive().kind()).isEqualTo(FrameKind.REJECT);
        } catch (EOFException | SocketException e) {
          assertThat(socket.isClosedSilently()).isTrue();
        }
      }
      try (FrameSocket socket = new FrameSocket(server.port())) {
        socket.send(new Handshake.Sasl(1, NOISE)); // too long before it is asked for
        assertThat(socket.isClosedSilently()).isTrue();
      }
      TokenServers.begin(honest, 1);
    }
  }

  @Test
  void aTokenBeyondTheLimitEndsItsConnectionBeforeItHasCome() throws Exception {
    try (FrameSocket socket = asked()) {
      byte[] head = new byte[FrameLayout.HEAD_BYTES];
      ByteBuffer.wrap(head).putInt(FrameLayout.LENGTH_OFFSET, FrameLayout.MAX_SASL_FRAME_BYTES);
      socket.send(head);
      assertThat(socket.isClosedSilently()).isTrue();
    }
  }

  /** Where GSSAPI itself would never have enough. */
  @Test
  void aClientThatKeepsSendingTokensIsCutOffAtTheThird() throws Exception {
    AtomicInteger taken = new AtomicInteger();
    try (BlockingConnection honest = TokenServers.open(server, alice, 0);
        GssapiProvider gssapi = GssapiProvider.install(taken::incrementAndGet);
        FrameSocket socket = asked()) {
      for (int step = 1; step < FrameLayout.LAST_SASL_STEP; step += 2) {
        socket.send(new Handshake.Sasl(step, NOISE));
        assertThat(Handshake.Sasl.readFrom(socket.receive()).step()).isEqualTo(step + 1);
      }
      socket.send(new Handshake.Sasl(FrameLayout.LAST_SASL_STEP, NOISE));
      assertThat(socket.isClosedSilently()).isTrue();
      assertThat(taken).hasValue(3);
      TokenServers.begin(honest, 1);
    }
  }

  @Test
  void whileATokenIsVerifiedOthersAreServed() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch served = new CountDownLatch(1);
    Runnable slow =
        () -> {
          begun.countDown();
          try {
            served.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (BlockingConnection honest = TokenServers.open(server, alice, 0);
        GssapiProvider gssapi = GssapiProvider.install(slow);
        FrameSocket socket = asked()) {
      socket.send(new Handshake.Sasl(1, NOISE));
      assertThat(begun.await(60, SECONDS)).isTrue();
      TokenServers.begin(honest, 1);
      served.countDown();
      assertThat(Handshake.Sasl.readFrom(socket.receive()).step()).isEqualTo(2);
    } finally {
      served.countDown();
    }
  }

  private static FrameSocket asked() throws IOException {
    FrameSocket socket = new FrameSocket(server.port());
    socket.send(HELLO);
    assertThat(Handshake.Sasl.readFrom(socket.receive())).isEqualTo(Handshake.Sasl.REQUEST);
    return socket;
  }

  /** GSSAPI that answers each token with another one and never ends. */
  private static final class GssapiProvider extends Provider implements AutoCloseable {

    private static final long serialVersionUID = 1L;

    private GssapiProvider() {
      super("endless", "1", "never ends");
    }

    /**
     * @param onToken called for each token
     */
    static GssapiProvider install(Runnable onToken) {
      GssapiProvider provider = new GssapiProvider();
      provider.putService(
          new Service(provider, "SaslServerFactory", "GSSAPI", "Endless", null, null) {
            @Override
            public Object newInstance(Object parameter) {
              return new EndlessFactory(onToken);
            }
          });
      Security.insertProviderAt(provider, 1);
      return provider;
    }

    @Override
    public void close() {
      Security.removeProvider(getName());
    }
  }

  private record EndlessFactory(Runnable onToken) implements SaslServerFactory {

    @Override
    public SaslServer createSaslServer(
        String mechanism,
        String protocol,
        String serverName,
        Map<String, ?> properties,
        CallbackHandler handler) {
      return new EndlessServer(onToken);
    }

    @Override
    public String[] getMechanismNames(Map<String, ?> properties) {
      return new String[] {"GSSAPI"};
    }
  }

  private record EndlessServer(Runnable onToken) implements SaslServer {

    @Override
    public byte[] evaluateResponse(byte[] response) {
      onToken.run();
      return response;
    }

    @Override
    public boolean isComplete() {
      return false;
    }

    @Override
    public String getMechanismName() {
      return "GSSAPI";
    }

    @Override
    public String getAuthorizationID() {
      throw new IllegalStateException();
    }

    @Override
    public byte[] unwrap(byte[] incoming, int offset, int length) {
      throw new IllegalStateException();
    }

    @Override
    public byte[] wrap(byte[] outgoing, int offset, int length) {
      throw new IllegalStateException();
    }

    @Override
    public Object getNegotiatedProperty(String name) {
      throw new IllegalStateException();
    }

    @Override
    public void dispose() {}
  }
}
