package io.lampone.tm.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Part of a request that decides on access.
 *
 * @param path decoded, without the query
 * @param host the header of this name; empty for none
 * @param authorization the header of this name; empty for none
 * @param encrypted whether the request arrived over TLS
 * @param remote the sender
 * @param local the address that the request was sent to
 */
public record HttpHead(
    String path,
    String host,
    String authorization,
    boolean encrypted,
    SocketAddress remote,
    SocketAddress local) {

  private static final String SCHEME = "Bearer ";
  private static final Pattern LOCALHOST =
      Pattern.compile("(?i)(localhost|127\\.0\\.0\\.1|\\[::1])(:[0-9]{1,5})?");

  /**
   * Returns true if the sender is a process of this machine: from its own address only this machine
   * connects, because packets of others with it are dropped.
   */
  public boolean isNear() {
    return address(remote)
        .filter(from -> from.isLoopbackAddress() || address(local).equals(Optional.of(from)))
        .isPresent();
  }

  private static Optional<InetAddress> address(SocketAddress of) {
    return of instanceof InetSocketAddress address && !address.isUnresolved()
        ? Optional.of(address.getAddress())
        : Optional.empty();
  }

  /**
   * Returns true if the request names this machine as its own processes do, or by the address that
   * it was sent to. A browser on this machine names the server of the page that sends the request.
   */
  public boolean isForLocalhost() {
    return LOCALHOST.matcher(host).matches() || address(local).filter(this::isNamed).isPresent();
  }

  private boolean isNamed(InetAddress own) {
    String text = own.getHostAddress();
    String named = own instanceof Inet6Address ? "[" + text + "]" : text;
    return host.equals(named) || host.startsWith(named + ":");
  }

  /** Returns true if the request carries this bearer token; takes the same time for any other. */
  public boolean carries(byte[] token) {
    return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            token,
            authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
  }
}
