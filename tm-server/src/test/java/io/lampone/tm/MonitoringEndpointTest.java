package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.http.HttpSettings;
import io.lampone.tm.security.Security;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class MonitoringEndpointTest {

  private static final Path DOCUMENT = Path.of("..", "docs", "operations", "metrics-reference.md");
  private static final Pattern LINE =
      Pattern.compile("[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*})? -?[0-9.E]+");

  private static final Pattern NAME = Pattern.compile("lampone_[a-z_]+");

  private final HttpClient http =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
  private final MetricRegistry metrics = new MetricRegistry();
  private final MemoryRecordStore store = new MemoryRecordStore();
  private TransactionManagerServer server;
  private MonitoringEndpoint monitoringEndpoint;

  @BeforeEach
  void start() throws Exception {
    server = start(metrics);
    server.whenPrimary().get(60, SECONDS);
    monitoringEndpoint =
        new MonitoringEndpoint(
            new HttpSettings("127.0.0.1", 0), Security.off(), metrics, server.watch());
  }

  @AfterEach
  void stop() {
    monitoringEndpoint.close();
    server.close();
  }

  @Test
  void aPrimaryIsReadyAndSaysWhatItIs() throws Exception {
    HttpResponse<String> answer = get("/ready");
    while (answer.statusCode() != 200 || !answer.body().contains("\"role\":\"primary\"")) {
      answer = get("/ready"); // the next tick of the loop
    }
    assertThat(answer.body()).contains("\"status\":\"up\"").contains("\"epoch\":1");
    assertThat(get("/health").statusCode()).isEqualTo(200);
    assertThat(get("/").body()).contains("/metrics");
  }

  @Test
  void aBackupIsReadyTooAndADeadServerIsNeitherReadyNorHealthy() throws Exception {
    MetricRegistry other = new MetricRegistry();
    try (TransactionManagerServer backup = start(other);
        MonitoringEndpoint second =
            new MonitoringEndpoint(
                new HttpSettings("127.0.0.1", 0), Security.off(), other, backup.watch())) {
      assertThat(get(second, "/ready").body()).contains("\"role\":\"backup\"");
      assertThat(get(second, "/ready").statusCode()).isEqualTo(200);
    }
    server.kill();
    while (get("/health").statusCode() == 200) {
      Thread.onSpinWait(); // until the patience with its loop is over
    }
    assertThat(get("/ready").statusCode()).isEqualTo(503);
  }

  @Test
  void aDrainedBackupIsHealthyButNotReady() throws Exception {
    MetricRegistry other = new MetricRegistry();
    try (TransactionManagerServer backup = start(other);
        MonitoringEndpoint second =
            new MonitoringEndpoint(
                new HttpSettings("127.0.0.1", 0), Security.off(), other, backup.watch());
        CommandClient commands =
            new CommandClient(TransactionManagerClientConfig.builder().build())) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", backup.port());
      assertThat(commands.ask(address, "drain", "").get(60, SECONDS).succeeded()).isTrue();
      long deadline = System.nanoTime() + SECONDS.toNanos(10);
      while (get(second, "/ready").statusCode() == 200 && System.nanoTime() < deadline) {
        Thread.onSpinWait(); // the next tick of the loop
      }
      assertThat(get(second, "/ready").statusCode()).isEqualTo(503);
      assertThat(get(second, "/ready").body()).contains("\"draining\":true");
      assertThat(get(second, "/metrics").body()).contains("\nlampone_tm_ready 0\n");
      assertThat(get(second, "/health").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsAreInTheFormOfPrometheusAndCountWhatHappens() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      assertThat(socket.begins(1)).isTrue();
      // What is counted after the answer has left is there when the next one has come.
      assertThat(socket.begins(2)).isTrue();
      HttpResponse<String> page = get("/metrics");
      assertThat(page.headers().firstValue("content-type").orElseThrow()).contains("version=0.0.4");
      List<String> samples = page.body().lines().filter(line -> !line.startsWith("#")).toList();
      assertThat(samples).allSatisfy(line -> assertThat(line).matches(LINE));
      assertThat(samples)
          .contains(
              "lampone_tm_begins_total 2",
              "lampone_tm_connections 1",
              "lampone_tm_handshakes_rejected_total{reason=\"credential\"} 0",
              "lampone_tm_validations_refused_total{reason=\"below-floor\"} 0");
      assertThat(samples).anyMatch(line -> line.startsWith("lampone_tm_loop_round_nanos{quantile"));
      List<String> types = page.body().lines().filter(line -> line.startsWith("# TYPE")).toList();
      assertThat(types).doesNotHaveDuplicates();
    }
  }

  @Test
  void aFileOfTenantsThatIsSpoiltWhileTheServerRunsIsCounted(@TempDir Path folder)
      throws Exception {
    Path tenants = Files.writeString(folder.resolve("tenants"), "shop connections=1\n");
    MetricRegistry other = new MetricRegistry();
    AdmissionSettings admission =
        new AdmissionSettings(
            Duration.ofMillis(10), 10, Optional.of(tenants), Duration.ofSeconds(10));
    try (TransactionManagerServer limited =
            TransactionManagerServer.start(
                config().admission(admission).build(),
                other,
                new MemoryRecordStore(),
                SystemClock.INSTANCE);
        MonitoringEndpoint second =
            new MonitoringEndpoint(
                new HttpSettings("127.0.0.1", 0), Security.off(), other, limited.watch())) {
      assertThat(get(second, "/metrics").body()).contains("\nlampone_tm_files_failures 0\n");
      Files.writeString(tenants, "shop connections=many\n");
      while (!get(second, "/metrics").body().contains("\nlampone_tm_files_failures 1\n")) {
        Thread.onSpinWait(); // the files are looked at every second
      }
      assertThat(get(second, "/metrics").body()).contains("\nlampone_tm_files_unusable 1\n");
      Files.writeString(tenants, "shop connections=2\n");
      while (get(second, "/metrics").body().contains("\nlampone_tm_files_unusable 1\n")) {
        Thread.onSpinWait();
      }
      assertThat(get(second, "/metrics").body())
          .contains("\nlampone_tm_files_failures 1\n", "\nlampone_tm_files_unusable 0\n");
    }
  }

  @Test
  void everyMetricIsExplained() throws Exception {
    String document = Files.readString(DOCUMENT);
    List<String> missing =
        get("/metrics")
            .body()
            .lines()
            .filter(line -> line.startsWith("# TYPE"))
            .map(line -> line.split(" ")[2])
            .filter(name -> !document.contains("`" + name + "`"))
            .toList();
    assertThat(missing).isEmpty();
  }

  /** Each row of the manual, without its markup, is what the page says, too. */
  @Test
  void theHelpOfEveryMetricIsWhatTheManualSays() throws Exception {
    List<String> rows =
        Files.readString(DOCUMENT)
            .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
            .replace("`", "")
            .lines()
            .toList();
    List<String> lines = get("/metrics").body().lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("# TYPE ")) {
        String name = lines.get(i).split(" ")[2];
        String start = "# HELP " + name + " ";
        assertThat(lines.get(i - 1)).startsWith(start);
        String help = lines.get(i - 1).substring(start.length());
        assertThat(rows)
            .as(help)
            .anyMatch(row -> row.contains(name) && row.endsWith(" | " + help + " |"));
      }
    }
  }

  @Test
  void theDashboardNamesOnlyMetricsThatAreInTheManual() throws Exception {
    String document = Files.readString(DOCUMENT);
    Path folder = Path.of("..", "docker", "monitoring");
    for (String file :
        List.of(
            "alerts-test.yml",
            "dashboards/transactions.json",
            "dashboards/regions.json",
            "dashboards/manager.json",
            "dashboards/collection.json")) {
      List<String> names =
          NAME.matcher(Files.readString(folder.resolve(file)))
              .results()
              .map(MatchResult::group)
              .toList();
      assertThat(names).as(file).isNotEmpty();
      assertThat(names)
          .as(file)
          .allSatisfy(
              name ->
                  assertThat(document)
                      .contains("`" + name.replaceAll("_seconds_(bucket|count)$", "_seconds")));
    }
  }

  @Test
  void jmxShowsTheSame() throws Exception {
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("io.lampone.tm:*,name=lampone.tm.begins"), null))
        .hasSize(1);
  }

  @Test
  void whatCannotBeReadIsRefusedAndTheNextOneIsServed() throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(uri(monitoringEndpoint, "/metrics"))
            .POST(HttpRequest.BodyPublishers.ofString("x"))
            .build();
    assertThat(http.send(post, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(405);
    assertThat(get("/nothing").statusCode()).isEqualTo(404);
    byte[] garbage = new byte[20_000];
    Arrays.fill(garbage, (byte) 'x');
    try (Socket socket = new Socket("127.0.0.1", monitoringEndpoint.port().orElseThrow())) {
      socket.setSoTimeout(5_000);
      socket.getOutputStream().write(garbage);
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      assertThat(e).hasMessageNotContaining("timed out"); // closed while this was being written
    }
    assertThat(get("/health").statusCode()).isEqualTo(200);
  }

  /** However a request is cut into packets, it is answered. */
  @Test
  void aRequestThatComesInPartsIsAnswered() throws Exception {
    for (String request :
        List.of(
            "GET /health HTTP/1.1\r\nHo|st: x\r\n\r\n",
            "POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n|xx",
            "POST /health HTTP/1.1\r\nHost: x\r\n|Content-Length: 2\r\n\r\nx|x")) {
      try (Socket socket = new Socket("127.0.0.1", monitoringEndpoint.port().orElseThrow())) {
        socket.setSoTimeout(5_000);
        for (int time = 0; time < 2; time++) {
          for (String part : request.split("\\|")) {
            socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));
            Thread.sleep(100); // a packet of its own
          }
          byte[] answer = new byte[1_000];
          int length = socket.getInputStream().read(answer);
          assertThat(new String(answer, 0, length, StandardCharsets.US_ASCII))
              .as(request)
              .startsWith("HTTP/1.1 " + (request.startsWith("GET") ? 200 : 405));
        }
      }
    }
  }

  @Test
  void aPortThatIsTakenIsExplainedAndNoneIsNone() throws Exception {
    int taken = monitoringEndpoint.port().orElseThrow();
    assertThatThrownBy(
            () ->
                new MonitoringEndpoint(
                    new HttpSettings("127.0.0.1", taken),
                    Security.off(),
                    new MetricRegistry(),
                    server.watch()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("lampone.tm.http.port");
    try (MonitoringEndpoint none =
        new MonitoringEndpoint(
            new HttpSettings("127.0.0.1", HttpSettings.OFF),
            Security.off(),
            new MetricRegistry(),
            server.watch())) {
      assertThat(none.port()).isEmpty();
    }
  }

  private HttpResponse<String> get(String path) throws Exception {
    return get(monitoringEndpoint, path);
  }

  private HttpResponse<String> get(MonitoringEndpoint from, String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(uri(from, path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private static URI uri(MonitoringEndpoint monitoringEndpoint, String path) {
    return URI.create("http://127.0.0.1:" + monitoringEndpoint.port().orElseThrow() + path);
  }

  private TransactionManagerServer start(MetricRegistry registry) throws Exception {
    return TransactionManagerServer.start(config().build(), registry, store, SystemClock.INSTANCE);
  }

  private static TransactionManagerConfig.Builder config() {
    return TransactionManagerConfig.builder()
        .bindHost("127.0.0.1")
        .bindPort(0)
        .conflictTableCapacity(1 << 10)
        .decisionMemoryCapacity(1 << 10);
  }
}
