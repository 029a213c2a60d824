package io.lampone.tmclient.discovery;

import java.net.InetSocketAddress;
import java.util.Optional;

/** Parses addresses in the form of transaction managers: {@code host:port}. */
public final class Addresses {

  private static final int MAX_PORT = 65_535;

  private Addresses() {}

  /** Parses an address, unresolved; empty if it is malformed. */
  public static Optional<InetSocketAddress> parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1 || !text.substring(colon + 1).matches("[0-9]{1,5}")) {
      return Optional.empty();
    }
    int port = Integer.parseInt(text.substring(colon + 1));
    return port < 1 || port > MAX_PORT
        ? Optional.empty()
        : Optional.of(InetSocketAddress.createUnresolved(text.substring(0, colon), port));
  }
}
