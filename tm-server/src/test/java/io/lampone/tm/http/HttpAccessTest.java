package io.lampone.tm.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.TestCertificates;
import io.lampone.tm.security.Authenticator;
import io.lampone.tm.security.Security;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.security.TlsSettings;
import io.lampone.tm.security.TlsSettings.ClientCertificates;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HttpAccessTest {

  private static final String TOKEN = "0123456789abcdef";
  private static final InetSocketAddress NEAR = new InetSocketAddress("127.0.0.1", 4711);
  private static final InetSocketAddress FAR = new InetSocketAddress("192.0.2.1", 4711);

  private static final InetSocketAddress OWN = new InetSocketAddress("10.0.0.5", 17311);

  @TempDir private Path folder;

  private static HttpHead head(String path, boolean encrypted, InetSocketAddress remote) {
    return new HttpHead(path, "localhost:1", "", encrypted, remote, OWN);
  }

  @Test
  void withoutAToken_otherMachinesSeeHealthAndReadinessOnly() throws IOException {
    HttpAccess access = MonitoringAccess.of(new HttpSettings("0.0.0.0", 0), false);
    assertThat(access.refusal(head("/health", false, FAR))).isEmpty();
    assertThat(access.refusal(head("/ready", false, FAR))).isEmpty();
    for (String path : new String[] {"/metrics", "/", "/nothing", "/health/"}) {
      assertThat(access.refusal(head(path, false, NEAR))).as(path).isEmpty();
      assertThat(access.refusal(head(path, false, FAR)))
          .as(path)
          .hasValueSatisfying(
              page -> {
                assertThat(page.status()).isEqualTo(403);
                assertThat(page.body()).contains("lampone.tm.http.token.file");
              });
    }
  }

  /** A page of a browser on this machine whose name was made to lead here. */
  @Test
  void withoutAToken_aRequestOfThisMachineNamesIt() throws IOException {
    HttpAccess access = MonitoringAccess.of(new HttpSettings("127.0.0.1", 0), false);
    for (String host :
        new String[] {"localhost", "LOCALHOST:17311", "127.0.0.1:1", "[::1]:17311"}) {
      assertThat(access.refusal(new HttpHead("/metrics", host, "", false, NEAR, OWN)))
          .as(host)
          .isEmpty();
    }
    for (String host : new String[] {"evil:17311", "localhost.evil", "", "127.0.0.1.evil:1"}) {
      assertThat(access.refusal(new HttpHead("/metrics", host, "", false, NEAR, OWN)))
          .as(host)
          .hasValueSatisfying(page -> assertThat(page.status()).isEqualTo(403));
      assertThat(access.refusal(new HttpHead("/health", host, "", false, NEAR, OWN))).isEmpty();
    }
  }

  /** Where it listens on one address, its own machine's processes come from it. */
  @Test
  void withoutAToken_aRequestFromTheAddressItWasSentToIsOfThisMachine() throws IOException {
    HttpAccess access = MonitoringAccess.of(new HttpSettings("10.0.0.5", 0), true);
    InetSocketAddress own = new InetSocketAddress("10.0.0.5", 4711);
    assertThat(access.refusal(new HttpHead("/metrics", "10.0.0.5:17311", "", false, own, OWN)))
        .isEmpty();
    assertThat(access.refusal(new HttpHead("/metrics", "evil:17311", "", false, own, OWN)))
        .isPresent();
    assertThat(access.refusal(new HttpHead("/metrics", "10.0.0.5:17311", "", true, FAR, OWN)))
        .isPresent();
  }

  @Test
  void whereItIsWrittenDownThatThePortIsOpen_allIsShown() throws IOException {
    HttpAccess access =
        MonitoringAccess.of(new HttpSettings("0.0.0.0", 0, Optional.empty(), true), false);
    assertThat(access.refusal(head("/metrics", false, FAR))).isEmpty();
  }

  @Test
  void withAToken_itIsNeeded_onThisMachineToo() throws Exception {
    HttpSettings settings =
        new HttpSettings("127.0.0.1", 0, Optional.of(written(TOKEN + "\n", "rw-------")), true);
    try (HttpEndpoint endpoint =
        HttpEndpoint.open(
            settings,
            Security.off(),
            Map.of("/metrics", () -> HttpPage.text("m"), "/ready", () -> HttpPage.text("r")))) {
      assertThat(get(endpoint, "/ready", "").statusCode()).isEqualTo(200);
      assertThat(get(endpoint, "/metrics", "Bearer " + TOKEN).body()).isEqualTo("m");
      assertThat(get(endpoint, "/metrics", "bearer " + TOKEN).body()).isEqualTo("m");
      for (String shown :
          new String[] {"", TOKEN, "Basic " + TOKEN, "Bearer", "Bearer " + TOKEN + "0"}) {
        HttpResponse<String> answer = get(endpoint, "/metrics", shown);
        assertThat(answer.statusCode()).as("%s", shown).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate")).hasValue("Bearer");
        assertThat(answer.body()).doesNotContain(TOKEN);
      }
    }
  }

  @Test
  void whereTlsIsRequired_otherMachinesReadMetricsByTlsOnly() throws IOException {
    HttpAccess access =
        MonitoringAccess.of(new HttpSettings("0.0.0.0", 0, Optional.empty(), true), true);
    assertThat(access.refusal(head("/metrics", false, FAR)))
        .hasValueSatisfying(page -> assertThat(page.body()).contains("https"));
    assertThat(access.refusal(head("/metrics", true, FAR))).isEmpty();
    assertThat(access.refusal(head("/metrics", false, NEAR))).isEmpty();
    assertThat(access.refusal(head("/health", false, FAR))).isEmpty();
  }

  @Test
  void whereTlsIsRequired_aPlainRequestOfAnotherMachineIsAnsweredWithNothing() throws Exception {
    Security security = demandingTls(new TestCertificates(folder).make("server"));
    HttpSettings settings =
        new HttpSettings("127.0.0.1", 0, Optional.of(written(TOKEN, "rw-------")), true);
    try (HttpEndpoint endpoint =
        HttpEndpoint.open(
            settings,
            security,
            Map.of("/metrics", () -> HttpPage.text("m=1"), "/ready", () -> HttpPage.text("r")))) {
      assertThat(plain(endpoint, FAR, "/metrics"))
          .startsWith("HTTP/1.1 403")
          .contains("by https", "lampone.tm.security.tls.certificate.file")
          .doesNotContain("m=1");
      assertThat(plain(endpoint, FAR, "/ready")).startsWith("HTTP/1.1 200");
      assertThat(plain(endpoint, NEAR, "/metrics")).startsWith("HTTP/1.1 200").endsWith("m=1");
    }
  }

  /** Sends a request with the token over a connection from that address; returns the answer. */
  private static String plain(HttpEndpoint endpoint, InetSocketAddress from, String path) {
    EmbeddedChannel connection = connection(endpoint, from);
    String request =
        "GET " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n";
    connection.writeInbound(Unpooled.copiedBuffer(request, UTF_8));
    StringBuilder answer = new StringBuilder();
    for (ByteBuf part = connection.readOutbound(); part != null; part = connection.readOutbound()) {
      answer.append(part.toString(UTF_8));
      part.release();
    }
    connection.close();
    return answer.toString();
  }

  /** A connection to the endpoint from that address. */
  static EmbeddedChannel connection(HttpEndpoint endpoint, InetSocketAddress from) {
    return new EmbeddedChannel(endpoint.initializer()) {
      @Override
      protected SocketAddress remoteAddress0() {
        return from;
      }
    };
  }

  /** Security of a server that requires TLS and nothing else. */
  static Security demandingTls(TestCertificates certificates) throws IOException {
    return Security.load(
        new SecuritySettings(
            Authenticator.Mode.NONE,
            Optional.empty(),
            Optional.of(
                new TlsSettings(
                    certificates.certificate("server"),
                    certificates.key("server"),
                    Optional.empty(),
                    Optional.empty(),
                    ClientCertificates.NONE)),
            Optional.empty(),
            Optional.empty()),
        SystemClock.INSTANCE);
  }

  @Test
  void withACertificate_thePortServesTlsAndPlainText() throws Exception {
    TestCertificates certificates = new TestCertificates(folder).make("server");
    Security security = demandingTls(certificates);
    HttpSettings settings =
        new HttpSettings("127.0.0.1", 0, Optional.of(written(TOKEN, "rw-------")), false);
    try (HttpEndpoint endpoint =
        HttpEndpoint.open(settings, security, Map.of("/metrics", () -> HttpPage.text("m")))) {
      assertThat(get(endpoint, "/metrics", "Bearer " + TOKEN).body()).isEqualTo("m");
      try (Socket socket =
          certificates.sockets("server", "").createSocket("127.0.0.1", endpoint.port())) {
        socket.setSoTimeout(10_000);
        for (int i = 0; i < 2; i++) {
          String request =
              "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + TOKEN + "\r\n";
          socket
              .getOutputStream()
              .write((request + (i == 0 ? "" : "Connection: close\r\n") + "\r\n").getBytes(UTF_8));
        }
        assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
            .containsSubsequence("200 OK", "\r\n\r\nm", "200 OK", "\r\n\r\nm");
      }
    }
  }

  @Test
  void aFileThatIsOfNoUseIsRefused() throws IOException {
    refused(written("short", "rw-------"), "at least 16 characters");
    refused(written("two words of a token", "rw-------"), "without spaces");
    refused(written(TOKEN, "rw-r-----"), "chmod go-rwx");
    refused(folder.resolve("missing"), "no readable file");
  }

  private static void refused(Path file, String message) {
    assertThatThrownBy(
            () -> MonitoringAccess.of(new HttpSettings("", 0, Optional.of(file), false), false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message)
        .hasMessageContaining(file.toString());
  }

  private static HttpResponse<String> get(HttpEndpoint endpoint, String path, String shown)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + endpoint.port() + path));
    if (!shown.isEmpty()) {
      request.header("Authorization", shown);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private Path written(String text, String permissions) throws IOException {
    Path file = Files.createTempFile(folder, "token", "");
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }
}
