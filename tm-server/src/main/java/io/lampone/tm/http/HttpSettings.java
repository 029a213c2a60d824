package io.lampone.tm.http;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Endpoint of metrics and health.
 *
 * @param host the address to listen on; empty for the one that suits what clients must show
 * @param port the port; 0 for any, {@link #OFF} for none
 * @param tokenFile holds the bearer token that pages other than health and readiness take; empty:
 *     they are for processes of this machine
 * @param open whether without a token they are for all that reach the port
 */
public record HttpSettings(String host, int port, Optional<Path> tokenFile, boolean open) {

  /** The port that means: do not listen. */
  public static final int OFF = -1;

  /** The port unless configured otherwise. */
  public static final int DEFAULT_PORT = 17311;

  /** Without a token, and not open. */
  public HttpSettings(String host, int port) {
    this(host, port, Optional.empty(), false);
  }

  /** Settings unless configured otherwise. */
  public static final HttpSettings DEFAULT = new HttpSettings("", DEFAULT_PORT);
}
