package io.lampone.tm.http;

import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;

/**
 * Access control of the transaction manager's pages. Health and readiness disclose nothing and are
 * polled by load balancers; the other pages require a bearer token or, if none is configured, a
 * client on this machine that asks {@code localhost}. Where TLS is required, remote requests for
 * them must be encrypted.
 */
final class MonitoringAccess implements HttpAccess {

  private static final Set<String> PUBLIC = Set.of("/health", "/ready");

  private final Optional<byte[]> token;
  private final boolean open;
  private final boolean demandsTls;

  private MonitoringAccess(Optional<byte[]> token, boolean open, boolean demandsTls) {
    this.token = token;
    this.open = open;
    this.demandsTls = demandsTls;
  }

  /**
   * Returns the access control of these settings.
   *
   * @param demandsTls whether clients without TLS are refused
   * @throws IOException if the token's file cannot be read
   * @throws IllegalArgumentException if it holds no token, or others may read it
   */
  static MonitoringAccess of(HttpSettings settings, boolean demandsTls) throws IOException {
    return new MonitoringAccess(
        settings.tokenFile().isPresent()
            ? Optional.of(
                SecurityFiles.token(settings.tokenFile().get()).getBytes(StandardCharsets.UTF_8))
            : Optional.empty(),
        settings.open(),
        demandsTls);
  }

  @Override
  public Optional<HttpPage> refusal(HttpHead request) {
    if (PUBLIC.contains(request.path())) {
      return Optional.empty();
    }
    if (demandsTls && !request.encrypted() && !request.isNear()) {
      return Optional.of(
          HttpPage.plain(
              403,
              "this page is served by https: lampone.tm.security.tls.certificate.file is set\n"));
    }
    if (token.isPresent()) {
      return request.carries(token.get())
          ? Optional.empty()
          : Optional.of(
              HttpPage.plain(401, "send the token of lampone.tm.http.token.file as Bearer\n"));
    }
    return open || request.isNear() && request.isForLocalhost()
        ? Optional.empty()
        : Optional.of(
            HttpPage.plain(
                403,
                "this page is for processes of the transaction manager's machine, which ask"
                    + " localhost; set lampone.tm.http.token.file to read it from elsewhere\n"));
  }
}
