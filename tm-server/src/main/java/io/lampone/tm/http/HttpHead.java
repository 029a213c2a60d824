package io.lampone.tm.http;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Part of a request that decides on access.
 *
 * @param path decoded, without the query
 * @param host the header of this name; empty for none
 * @param authorization the header of this name; empty for none
 * @param encrypted whether the request arrived over TLS
 * @param remote the sender
 */
public record HttpHead(
    String path, String host, String authorization, boolean encrypted, SocketAddress remote) {

  private static final String SCHEME = "Bearer ";

  /** Returns true if the sender is a process of this machine. */
  public boolean isNear() {
    return remote instanceof InetSocketAddress address
        && !address.isUnresolved()
        && address.getAddress().isLoopbackAddress();
  }

  /** Returns true if the request carries this bearer token; takes the same time for any other. */
  public boolean carries(byte[] token) {
    return authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            token,
            authorization.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8));
  }
}
