package io.lampone.console;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.manager.ManagersReport;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ConsoleServerTest {

  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int REQUESTS = 1_000;

  private static final InetSocketAddress LOCAL =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private static final String SECRET = "the-secret-of-the-root: ü";

  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger checks = new AtomicInteger();
  private final Logins logins = new Logins(this::isAdministrator, SystemClock.INSTANCE);
  private OverviewPoller poller;
  private ConsoleServer server;

  @BeforeEach
  void start() throws IOException {
    poller =
        new OverviewPoller(
            () -> {
              asked.incrementAndGet();
              return new ManagersReport(Optional.empty(), List.of());
            },
            root -> {},
            SystemClock.INSTANCE);
    server = new ConsoleServer(LOCAL, poller::json, Optional.empty(), logins);
  }

  @AfterEach
  void stop() {
    server.close();
    logins.close();
    poller.close();
  }

  private boolean isAdministrator(Identity identity, SharedSecret secret) throws IOException {
    if (identity.principal().equals("without primary")) {
      throw new IOException("no primary");
    }
    checks.incrementAndGet();
    Bytes nonce = Bytes.utf8("nonce");
    return identity.principal().equals("root")
        && secret
            .clientMac(nonce, nonce, nonce)
            .equals(new SharedSecret(Bytes.utf8(SECRET)).clientMac(nonce, nonce, nonce));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/console.css", "/console.js", "/api/overview"})
  void everyPage_isServedWithAStrictPolicy(String path) throws IOException {
    assertThat(get(path, "localhost"))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("content-security-policy: default-src 'none'; script-src 'self'")
        .doesNotContain("unsafe")
        .containsIgnoringCase("x-content-type-options: nosniff");
  }

  @Test
  void pages_loadNothingFromElsewhere_andWriteNoHtml() throws IOException {
    for (String name : List.of("console.html", "console.css", "console.js")) {
      try (var in = ConsoleServer.class.getResourceAsStream(name)) {
        assertThat(new String(in.readAllBytes(), UTF_8).replace("http://www.w3.org/2000/svg", ""))
            .isNotEmpty()
            .doesNotContain("://")
            .doesNotContain("innerHTML")
            .doesNotContain("insertAdjacentHTML")
            .doesNotContain("document.write");
      }
    }
  }

  @Test
  void overview_hasTheFieldsOfTheInterface() throws IOException {
    poller.poll();
    for (String field :
        List.of(
            "transactionsPerSecond",
            "abortsByCause",
            "oldestTransactionSeconds",
            "safePointLagSeconds",
            "primary",
            "hotRows")) {
      assertThat(get("/api/overview", "localhost:1")).contains("\"" + field + "\":");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""})
  void foreignHost_isRefused(String host) throws IOException {
    assertThat(get("/api/overview", host)).startsWith("HTTP/1.1 403 ").doesNotContain("primary");
  }

  /** The page itself discloses nothing, and must explain the token. */
  @Test
  void withAToken_theFiguresAreForRequestsThatShowIt() throws IOException {
    server.close();
    server = new ConsoleServer(LOCAL, poller::json, Optional.of("abc"), logins);
    String line = "GET /api/overview HTTP/1.1\r\nHost: localhost\r\n";
    for (String shown : List.of("", "Authorization: Bearer abd\r\n", "Authorization: abc\r\n")) {
      assertThat(exchange(line + shown + "\r\n"))
          .startsWith("HTTP/1.1 401 ")
          .doesNotContain("primary");
    }
    assertThat(exchange(line + "Authorization: Bearer abc\r\n\r\n"))
        .startsWith("HTTP/1.1 200 ")
        .contains("\"primary\"");
    assertThat(get("/", "localhost")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void anAdministratorsNameAndSecret_doInsteadOfTheToken_andAreCheckedOnce() throws Exception {
    server.close();
    server = new ConsoleServer(LOCAL, poller::json, Optional.of("abc"), logins);
    for (int i = 0; i < 10; i++) {
      assertThat(answerTo("root:" + SECRET)).startsWith("HTTP/1.1 200 ").contains("\"primary\"");
    }
    assertThat(checks).hasValue(1);
    for (String wrong :
        List.of(
            "root:" + SECRET + "x",
            "shop:" + SECRET,
            "root:short",
            "root",
            ":",
            "a\nb:" + SECRET)) {
      assertThat(answerTo(wrong))
          .as(wrong)
          .startsWith("HTTP/1.1 401 ")
          .doesNotContain("primary")
          .doesNotContain(SECRET);
    }
    assertThat(answerTo("without primary:" + SECRET))
        .startsWith("HTTP/1.1 503 ")
        .contains("no transaction manager can check the name");
    assertThat(exchange(line("Basic !!"))).startsWith("HTTP/1.1 401 ");
  }

  /** Returns the answer once the credentials have been checked. */
  private String answerTo(String credentials) throws Exception {
    String shown = Base64.getEncoder().encodeToString(credentials.getBytes(UTF_8));
    String answer = exchange(line("Basic " + shown));
    while (answer.contains("being checked")) {
      TimeUnit.MILLISECONDS.sleep(20);
      answer = exchange(line("Basic " + shown));
    }
    return answer;
  }

  private static String line(String authorization) {
    return "GET /api/overview HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
        + authorization
        + "\r\n\r\n";
  }

  @Test
  void aTokenIsMade_ifThereAreCredentials() {
    assertThat(ConsoleCommand.token(ClientSecurity.NONE)).isEmpty();
    ClientSecurity secured =
        ClientSecurity.NONE.withSecret(new SharedSecret(Bytes.utf8("0123456789abcdef".repeat(4))));
    assertThat(ConsoleCommand.token(secured).orElseThrow())
        .hasSize(32)
        .isNotEqualTo(ConsoleCommand.token(secured).orElseThrow());
  }

  @Test
  void anAddressThatOthersReach_needsATokenOrTheWord() {
    StringWriter errors = new StringWriter();
    int code =
        new CommandLine(new ConsoleCommand())
            .setErr(new PrintWriter(errors))
            .execute("--listen", "0.0.0.0", "--zookeeper", "localhost:1");
    assertThat(code).isEqualTo(2);
    assertThat(errors.toString()).contains("--token-file", "--open");
  }

  @Test
  void aTokenThatOthersMayReadOrThatIsShort_isRefused(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "0123456789abcdef");
    for (String permissions : List.of("rw-r--r--", "rw-------")) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
      StringWriter errors = new StringWriter();
      int code =
          new CommandLine(new ConsoleCommand())
              .setErr(new PrintWriter(errors))
              .execute("--token-file", file.toString(), "--zookeeper", "localhost:1");
      assertThat(code).isEqualTo(1);
      assertThat(errors.toString()).contains("cannot use the token").doesNotContain("0123456789");
      Files.writeString(file, "0123");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"})
  void writes_areRefused(String method) throws IOException {
    assertThat(exchange(method + " /api/overview HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        .startsWith("HTTP/1.1 405 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//console.js",
        "/console.html",
        "/ConsoleServer.class",
        "/api/overview/"
      })
  void otherPaths_areNotFound(String path) throws IOException {
    assertThat(get(path, "localhost")).startsWith("HTTP/1.1 404 ").doesNotContain("root:");
  }

  @Test
  void hugeHeader_isNotAnswered_andTheServerGoesOn() throws IOException {
    String huge = "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(1 << 20) + "\r\n\r\n";
    String answer;
    try {
      answer = exchange(huge);
    } catch (SocketException expected) {
      answer = "";
    }
    assertThat(answer).doesNotContain("200 OK");
    assertThat(get("/", "localhost")).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aThousandRequests_askTheManagersNotOnce() throws IOException {
    for (int i = 0; i < REQUESTS; i++) {
      assertThat(get("/api/overview", "localhost")).startsWith("HTTP/1.1 200 ");
    }
    assertThat(asked).hasValue(0);
  }

  @Test
  void failureOfTheManagers_isPartOfTheOverview() throws IOException {
    try (OverviewPoller failing =
        new OverviewPoller(
            () -> {
              throw new IOException("no \"quorum\"");
            },
            root -> {},
            SystemClock.INSTANCE)) {
      failing.poll();
      assertThat(failing.json()).contains("\"problem\":\"no \\\"quorum\\\"\"");
    }
  }

  private String get(String path, String host) throws IOException {
    return exchange("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  private String exchange(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket
          .getOutputStream()
          .write(
              request
                  .replaceFirst("\r\n\r\n$", "\r\nConnection: close\r\n\r\n")
                  .getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
