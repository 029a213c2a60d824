package io.lampone.tm.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tm.TestCertificates;
import io.lampone.tm.security.Security;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.SignatureSpi;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What anybody may do to the HTTP port, and nobody else shall notice. */
@Timeout(180)
final class HttpEndpointTest {

  private static final int PIPELINED = 50_000;

  private static final int HANDSHAKES = 20;
  private static final int OF_ADDRESS = 16;

  /** As many pages of 4 KB as the sockets of both ends may hold, with a margin. */
  private static final int MOST_RENDERED = 10_000;

  private final AtomicInteger rendered = new AtomicInteger();
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    endpoint =
        HttpEndpoint.open(
            new HttpSettings("127.0.0.1", 0),
            Security.off(),
            Map.of(
                "/health",
                () -> HttpPage.text("up"),
                "/metrics",
                () -> {
                  rendered.incrementAndGet();
                  return HttpPage.text("x".repeat(4 << 10));
                }));
  }

  @AfterEach
  void stop() {
    endpoint.close();
  }

  @Test
  void whoAsksWithoutReadingIsNotReadFromAndLosesTheConnection() throws Exception {
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      byte[] request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII);
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < PIPELINED; i++) {
                    out.write(request);
                  }
                } catch (IOException e) {
                  // The server has lost patience.
                }
              });
      sender.start();
      sender.join(3_000);
      int last = -1;
      while (rendered.get() != last) {
        last = rendered.get();
        assertThat(health()).isEqualTo("up");
        sender.join(500);
      }
      assertThat(rendered).hasValueLessThan(MOST_RENDERED);
      assertThat(rendered).hasPositiveValue();
      socket.setSoTimeout(20_000);
      InputStream in = socket.getInputStream();
      // What was written is there to be read; then comes the end, by a reset or not.
      Thread.sleep(11_000);
      try {
        in.readAllBytes();
      } catch (IOException e) {
        assertThat(e).hasMessageNotContaining("timed out");
      }
      sender.join(5_000);
      assertThat(sender.isAlive()).isFalse();
      assertThat(rendered).hasValueLessThan(MOST_RENDERED);
    }
  }

  @Test
  void requestsThatComeTogetherAreAnsweredOneAfterTheOther() throws Exception {
    try (Socket socket = connect()) {
      socket.setSoTimeout(10_000);
      String both =
          "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
              + "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(both.getBytes(US_ASCII));
      String answers = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answers).containsSubsequence("200 OK", "up", "404 Not Found", "no such page");
    }
  }

  @Test
  void aWrongEscapeIsARequestThatIsRefused_notAPageThatFails() throws Exception {
    try (Socket socket = connect()) {
      socket.setSoTimeout(10_000);
      String wrong = "GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(wrong.getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answer).containsSubsequence("400 Bad Request", "the path has a wrong escape");
    }
  }

  @Test
  void connectionsThatDripKeepNobodyOut() throws Exception {
    List<Socket> drips = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        Socket socket = connect();
        drips.add(socket);
        socket.getOutputStream().write('G');
      }
      for (int i = 0; i < 3; i++) {
        assertThat(health()).isEqualTo("up");
      }
    } finally {
      for (Socket socket : drips) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestThatNeverEndsCostsTheConnection() throws Exception {
    try (Socket socket = connect()) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write("GET /health HTTP/1.1\r\nHost: ".getBytes(US_ASCII));
      Thread dripping =
          new Thread(
              () -> {
                try {
                  while (true) {
                    socket.getOutputStream().write('x');
                    Thread.sleep(1_000);
                  }
                } catch (IOException | InterruptedException e) {
                  // The server has lost patience, or the test is over.
                }
              });
      dripping.setDaemon(true);
      dripping.start();
      try {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      } catch (IOException e) {
        assertThat(e).hasMessageNotContaining("timed out");
      }
    }
  }

  @Test
  void anotherMachineHasSixteenConnectionsAndItsOldestOneGivesWay() {
    InetSocketAddress far = new InetSocketAddress("192.0.2.1", 4711);
    List<EmbeddedChannel> connections = new ArrayList<>();
    for (int i = 0; i <= OF_ADDRESS; i++) {
      connections.add(HttpAccessTest.connection(endpoint, far));
    }
    assertThat(connections.get(0).isOpen()).isFalse();
    assertThat(connections.subList(1, 1 + OF_ADDRESS)).allMatch(EmbeddedChannel::isOpen);
    connections.forEach(EmbeddedChannel::close);
  }

  /** One waits for its signature, the others behind it. */
  @Test
  void handshakesThatTakeLongKeepNoPageWaiting(@TempDir Path folder) throws Exception {
    TestCertificates certificates = new TestCertificates(folder).make("server");
    ExecutorService clients = Executors.newFixedThreadPool(HANDSHAKES);
    try (HttpEndpoint tls =
            HttpEndpoint.open(
                new HttpSettings("127.0.0.1", 0),
                HttpAccessTest.demandingTls(certificates),
                Map.of("/health", () -> HttpPage.text("up")));
        SlowSignatures signatures = SlowSignatures.install()) {
      List<Future<Boolean>> handshakes = new ArrayList<>();
      for (int i = 0; i < HANDSHAKES; i++) {
        handshakes.add(
            clients.submit(
                () -> {
                  try (SSLSocket socket =
                      (SSLSocket)
                          certificates
                              .sockets("server", "")
                              .createSocket("127.0.0.1", tls.port())) {
                    socket.startHandshake();
                    return true;
                  }
                }));
      }
      assertThat(signatures.begun.await(60, SECONDS)).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(health(tls)).isEqualTo("up");
      }
      assertThat(handshakes).noneMatch(Future::isDone);
      signatures.goOn.countDown();
      for (Future<Boolean> handshake : handshakes) {
        assertThat(handshake.get(20, SECONDS)).isTrue();
      }
    } finally {
      clients.shutdownNow();
    }
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getByName("127.0.0.1"), endpoint.port());
  }

  /** On a connection of its own. */
  private String health() throws Exception {
    return health(endpoint);
  }

  private static String health(HttpEndpoint endpoint) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + "/health");
    return HttpClient.newBuilder()
        .connectTimeout(Duration.ofSeconds(5))
        .build()
        .send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Makes each signature of this process wait, and leaves it to the provider behind it then. */
  private static final class SlowSignatures extends Provider implements AutoCloseable {

    private static final long serialVersionUID = 1L;
    private static final String ALGORITHM = "SHA256withECDSA";

    private final transient CountDownLatch begun = new CountDownLatch(1);
    private final transient CountDownLatch goOn = new CountDownLatch(1);

    private SlowSignatures() {
      super("slow", "1", "waits");
    }

    static SlowSignatures install() {
      SlowSignatures provider = new SlowSignatures();
      provider.putService(
          new Service(provider, "Signature", ALGORITHM, "SlowSignature", null, null) {
            @Override
            public Object newInstance(Object parameter) {
              return new SlowSignature(provider);
            }
          });
      java.security.Security.insertProviderAt(provider, 1);
      return provider;
    }

    @Override
    public void close() {
      goOn.countDown();
      java.security.Security.removeProvider(getName());
    }
  }

  private static final class SlowSignature extends SignatureSpi {

    private final SlowSignatures provider;

    SlowSignature(SlowSignatures provider) {
      this.provider = provider;
    }

    @Override
    protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
      provider.begun.countDown();
      try {
        provider.goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new InvalidKeyException("the next provider can");
    }

    @Override
    protected void engineInitVerify(PublicKey key) throws InvalidKeyException {
      throw new InvalidKeyException("the next provider can");
    }

    @Override
    protected void engineUpdate(byte b) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void engineUpdate(byte[] bytes, int offset, int length) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected byte[] engineSign() {
      throw new UnsupportedOperationException();
    }

    @Override
    protected boolean engineVerify(byte[] signature) {
      throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    protected void engineSetParameter(String name, Object value) {
      throw new UnsupportedOperationException();
    }

    @Override
    @Deprecated
    protected Object engineGetParameter(String name) {
      throw new UnsupportedOperationException();
    }
  }
}
