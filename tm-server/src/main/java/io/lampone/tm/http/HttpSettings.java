package io.lampone.tm.http;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Endpoint of metrics and health.
 *
 * @param host the address to listen on; empty for that of the server
 * @param port the port; 0 for any, {@link #OFF} for none
 * @param tokenFile holds the bearer token for pages other than health and readiness; empty: those
 *     are for clients on this machine
 * @param open whether without a token they are for all clients
 */
public record HttpSettings(String host, int port, Optional<Path> tokenFile, boolean open) {

  /** The port of an endpoint that does not listen. */
  public static final int OFF = -1;

  /** Default port. */
  public static final int DEFAULT_PORT = 17311;

  /** Creates settings without a token that are not open. */
  public HttpSettings(String host, int port) {
    this(host, port, Optional.empty(), false);
  }

  /** Default settings. */
  public static final HttpSettings DEFAULT = new HttpSettings("", DEFAULT_PORT);
}
