package io.lampone.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Evaluates every query of the dashboards by a real Prometheus, against the metrics of a running
 * cluster.
 */
final class DashboardQueries implements AutoCloseable {

  private static final Path PROMETHEUS = Path.of("/usr/bin/prometheus");
  private static final Path BOARDS = Path.of("..", "..", "docker", "monitoring", "dashboards");
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final long PAUSE_MILLIS = 500;

  /** Selects validators, of which the cluster has none. */
  private static final String VALIDATORS_ONLY = "lampone_tm_validator == 1";

  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final Process prometheus;
  private final int port;

  private DashboardQueries(Process prometheus, int port) {
    this.prometheus = prometheus;
    this.port = port;
  }

  /** Returns true if Debian's Prometheus is installed, or required. */
  static boolean isPossible() {
    return Files.isExecutable(PROMETHEUS)
        || "required".equals(System.getProperty("lampone.test.prometheus"));
  }

  /** Starts Prometheus, which reads the pages of these ports each second. */
  static DashboardQueries start(Path folder, List<Integer> ports) throws IOException {
    Files.createDirectories(folder);
    String targets =
        ports.stream().map(port -> "'127.0.0.1:" + port + "'").collect(Collectors.joining(", "));
    Path config =
        Files.writeString(
            folder.resolve("prometheus.yml"),
            """
            global: {scrape_interval: 3s, scrape_timeout: 3s}
            scrape_configs:
              - job_name: lampone-tm
                static_configs: [{targets: [%s]}]
            """
                .formatted(targets));
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Process process =
        new ProcessBuilder(
                PROMETHEUS.toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + folder.resolve("data"),
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(folder.resolve("log").toFile()))
            .start();
    return new DashboardQueries(process, port);
  }

  /** Requires that each query has a result, waiting for the first samples. */
  void requireResults() throws IOException, InterruptedException {
    List<String> open = queries();
    assertThat(open).hasSizeGreaterThan(50);
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!open.isEmpty()) {
      List<String> empty = new ArrayList<>();
      for (String query : open) {
        if (!hasResult(query)) {
          empty.add(query);
        }
      }
      open = empty;
      assertThat(System.nanoTime()).as("without a result: %s", open).isLessThan(deadline);
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private List<String> queries() throws IOException {
    List<String> queries = new ArrayList<>();
    try (Stream<Path> files = Files.list(BOARDS)) {
      for (Path file : files.toList()) {
        for (JsonNode panel : json.readTree(file.toFile()).get("panels")) {
          for (JsonNode target : panel.path("targets")) {
            queries.add(target.get("expr").asText());
          }
        }
      }
    }
    return queries;
  }

  /** Returns false if the query has no result yet; throws if it is no query. */
  private boolean hasResult(String query) throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://127.0.0.1:"
                + port
                + "/api/v1/query?query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8));
    JsonNode answer;
    try {
      HttpResponse<String> response =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      answer = json.readTree(response.body());
    } catch (IOException starting) {
      assertThat(prometheus.isAlive()).as("prometheus runs").isTrue();
      return false;
    }
    assertThat(answer.path("status").asText()).as(query + ": " + answer).isEqualTo("success");
    JsonNode result = answer.at("/data/result");
    for (JsonNode series : result) {
      if (!series.at("/value/1").asText().equals("NaN")) {
        return true;
      }
    }
    return query.contains(VALIDATORS_ONLY);
  }

  @Override
  public void close() throws InterruptedException {
    prometheus.destroy();
    prometheus.waitFor();
  }
}
