package io.lampone.console;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * HTTP server of the console. It has four pages and is read-only. It refuses requests with a Host
 * other than localhost, so that a foreign page cannot read the console through its reader's browser
 * (DNS rebinding). With a token, only requests that carry it receive the figures, because other
 * users of the machine can reach the port, too.
 */
final class ConsoleServer implements AutoCloseable {

  private static final int THREADS = 4;
  private static final int MAX_WAITING = 256;
  private static final int BACKLOG = 128;
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final Pattern OWN_HOST =
      Pattern.compile("(?i)(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]{1,5})?");

  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  /** Limits of the JDK's server, unless the JVM's options set others; read once by the JDK. */
  private static final Map<String, String> LIMITS =
      Map.of(
          // Headers and content are two writes: the second would wait for an acknowledgement.
          "sun.net.httpserver.nodelay", "true",
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "10",
          "sun.net.httpserver.maxReqHeaders", "100",
          "sun.net.httpserver.maxReqHeaderSize", "16384",
          "jdk.httpserver.maxConnections", "200");

  private static final String OVERVIEW = "/api/overview";
  private static final String BEARER = "Bearer ";

  private record Page(String type, Supplier<byte[]> content) {}

  private final Map<String, Page> pages = new HashMap<>();
  private final Optional<byte[]> token;
  private final HttpServer server;
  private final ThreadPoolExecutor executor;

  /**
   * @param address its port is 0 for any
   * @param overview the last aggregate, as JSON
   * @param token required of requests for the figures; empty to serve every local user
   */
  ConsoleServer(InetSocketAddress address, Supplier<byte[]> overview, Optional<String> token)
      throws IOException {
    this.token = token.map(text -> text.getBytes(StandardCharsets.UTF_8));
    LIMITS.forEach(
        (name, value) -> {
          if (System.getProperty(name) == null) {
            System.setProperty(name, value);
          }
        });
    add("/", "text/html; charset=utf-8", "console.html");
    add("/console.css", "text/css; charset=utf-8", "console.css");
    add("/console.js", "text/javascript; charset=utf-8", "console.js");
    pages.put(OVERVIEW, new Page("application/json", overview));
    server = HttpServer.create(address, BACKLOG);
    executor =
        new ThreadPoolExecutor(
            THREADS, THREADS, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING));
    server.setExecutor(executor);
    server.createContext("/", this::answer);
  }

  void start() {
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }

  private void add(String path, String type, String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ConsoleServer.class.getResourceAsStream(resource), resource)) {
      byte[] content = in.readAllBytes();
      pages.put(path, new Page(type, () -> content));
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String host = exchange.getRequestHeaders().getFirst("Host");
      String method = exchange.getRequestMethod();
      String path = exchange.getRequestURI().getRawPath();
      Page page = pages.get(path);
      if (host == null || !OWN_HOST.matcher(host).matches()) {
        refuse(exchange, FORBIDDEN, "the console answers requests to localhost only\n");
      } else if (!method.equals("GET") && !method.equals("HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        refuse(exchange, METHOD_NOT_ALLOWED, "the console changes nothing\n");
      } else if (page == null) {
        refuse(exchange, NOT_FOUND, "no such page\n");
      } else if (path.equals(OVERVIEW) && !hasToken(exchange)) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
        refuse(exchange, UNAUTHORIZED, "open the address that 'lampone console' has printed\n");
      } else {
        send(exchange, OK, page.type, page.content.get());
      }
    }
  }

  private boolean hasToken(HttpExchange exchange) {
    String shown = exchange.getRequestHeaders().getFirst("Authorization");
    return token.isEmpty()
        || shown != null
            && shown.startsWith(BEARER)
            && MessageDigest.isEqual(
                token.get(), shown.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8));
  }

  private static void refuse(HttpExchange exchange, int code, String text) throws IOException {
    exchange.getResponseHeaders().set("Connection", "close");
    send(exchange, code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void send(HttpExchange exchange, int code, String type, byte[] content)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(code, -1);
      return;
    }
    exchange.sendResponseHeaders(code, content.length);
    exchange.getResponseBody().write(content);
  }
}
