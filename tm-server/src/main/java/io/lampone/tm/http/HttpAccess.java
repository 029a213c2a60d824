package io.lampone.tm.http;

import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/**
 * Access control for HTTP requests. Health and readiness disclose nothing and are polled by load
 * balancers; the other pages require a bearer token or, if none is configured, a client on this
 * machine. Where TLS is required, remote requests for them must be encrypted.
 */
final class HttpAccess {

  private static final Set<String> PUBLIC = Set.of("/health", "/ready");

  private static final String SCHEME = "Bearer ";

  private final Optional<byte[]> token;
  private final boolean open;
  private final boolean demandsTls;

  private HttpAccess(Optional<byte[]> token, boolean open, boolean demandsTls) {
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
  static HttpAccess of(HttpSettings settings, boolean demandsTls) throws IOException {
    return new HttpAccess(
        settings.tokenFile().isPresent()
            ? Optional.of(
                SecurityFiles.token(settings.tokenFile().get()).getBytes(StandardCharsets.UTF_8))
            : Optional.empty(),
        settings.open(),
        demandsTls);
  }

  /**
   * Returns the refusal of a request; empty if it is permitted.
   *
   * @param authorization the header of this name; empty for none
   * @param encrypted whether the request arrived over TLS
   * @param remote the sender
   */
  Optional<HttpPage> refusal(
      String path, String authorization, boolean encrypted, SocketAddress remote) {
    if (PUBLIC.contains(path)) {
      return Optional.empty();
    }
    boolean near =
        remote instanceof InetSocketAddress address
            && !address.isUnresolved()
            && address.getAddress().isLoopbackAddress();
    if (demandsTls && !encrypted && !near) {
      return Optional.of(
          HttpPage.plain(403, "this page is served by https: lampone.tm.security.tls is on\n"));
    }
    if (token.isPresent()) {
      return isShown(token.get(), authorization)
          ? Optional.empty()
          : Optional.of(
              HttpPage.plain(401, "send the token of lampone.tm.http.token.file as Bearer\n"));
    }
    return open || near
        ? Optional.empty()
        : Optional.of(
            HttpPage.plain(
                403,
                "this page is for processes of the transaction manager's machine; set"
                    + " lampone.tm.http.token.file to read it from elsewhere\n"));
  }

  private static boolean isShown(byte[] wanted, String authorization) {
    return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            wanted,
            authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
  }
}
