package io.lampone.tm.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.tm.security.Security;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What anybody may do to the HTTP port, and nobody else shall notice. */
@Timeout(60)
final class HttpEndpointTest {

  private static final int PIPELINED = 50_000;

  /** As many pages of 4 KB as the sockets of both ends may hold, with a margin. */
  private static final int MOST_RENDERED = 10_000;

  private final AtomicInteger rendered = new AtomicInteger();
  private HttpEndpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    endpoint =
        new HttpEndpoint(
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
      byte[] request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII);
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
          "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
              + "GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(both.getBytes(US_ASCII));
      String answers = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      assertThat(answers).containsSubsequence("200 OK", "up", "404 Not Found", "no such page");
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

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getByName("127.0.0.1"), endpoint.port());
  }

  /** On a connection of its own. */
  private String health() throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + endpoint.port() + "/health");
    return HttpClient.newBuilder()
        .connectTimeout(Duration.ofSeconds(5))
        .build()
        .send(
            HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
