package io.lampone.console;

import io.lampone.tm.http.HttpEndpoint;
import io.lampone.tm.http.HttpHead;
import io.lampone.tm.http.HttpPage;
import io.lampone.tm.security.Security;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * HTTP server of the console. It has four pages and is read-only. It refuses requests with a Host
 * other than localhost, so that a foreign page cannot read the console through its reader's browser
 * (DNS rebinding). With a token, only requests that carry it receive the figures, or the name and
 * secret of an administrator, because other users of the machine can reach the port, too. A secret
 * is accepted from this machine only: the port is not encrypted.
 */
final class ConsoleServer implements AutoCloseable {

  private static final String OVERVIEW = "/api/overview";

  private final Optional<byte[]> token;
  private final Logins logins;
  private final HttpEndpoint endpoint;

  /**
   * Starts listening.
   *
   * @param address its port is 0 for any
   * @param overview the last aggregate, as JSON
   * @param token required of requests for the figures; empty to serve every local user
   * @param logins judges names and secrets shown in place of the token
   */
  ConsoleServer(
      InetSocketAddress address, Supplier<String> overview, Optional<String> token, Logins logins)
      throws IOException {
    this.logins = logins;
    this.token = token.map(text -> text.getBytes(StandardCharsets.UTF_8));
    endpoint =
        new HttpEndpoint(
            address,
            this::refusal,
            Security.off(),
            Map.of(
                "/",
                page("text/html", "console.html"),
                "/console.css",
                page("text/css", "console.css"),
                "/console.js",
                page("text/javascript", "console.js"),
                OVERVIEW,
                () -> HttpPage.json(true, overview.get())));
  }

  int port() {
    return endpoint.port();
  }

  @Override
  public void close() {
    endpoint.close();
  }

  private static Supplier<HttpPage> page(String type, String resource) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ConsoleServer.class.getResourceAsStream(resource), resource)) {
      String content = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      HttpPage page = new HttpPage(200, type + "; charset=utf-8", content);
      return () -> page;
    }
  }

  private Optional<HttpPage> refusal(HttpHead request) {
    if (!request.isForLocalhost()) {
      return Optional.of(HttpPage.plain(403, "the console answers requests to localhost only\n"));
    }
    return request.path().equals(OVERVIEW) && token.isPresent() && !request.carries(token.get())
        ? withoutToken(request)
        : Optional.empty();
  }

  private Optional<HttpPage> withoutToken(HttpHead request) {
    String shown = request.authorization();
    if (shown.isEmpty() || !request.isNear()) {
      return Optional.of(
          HttpPage.plain(
              401,
              "open the address that 'lampone console' has printed, or log in from its machine\n"));
    }
    return switch (logins.verdict(shown)) {
      case PERMITTED -> Optional.empty();
      case REFUSED ->
          Optional.of(
              HttpPage.plain(
                  401, "wrong token, name or secret, or without the role administrator\n"));
      case PENDING -> Optional.of(HttpPage.plain(503, "being checked: ask again\n"));
      case BUSY -> Optional.of(HttpPage.plain(503, "too many names to check: ask again\n"));
      case UNKNOWN ->
          Optional.of(
              HttpPage.plain(503, "no transaction manager can check the name: ask again\n"));
    };
  }
}
