package io.lampone.tm.http;

/**
 * Where metrics and health are served.
 *
 * @param host the address to listen on; empty for the one that suits what clients must show
 * @param port the port; 0 for any, {@link #OFF} for none
 */
public record HttpSettings(String host, int port) {

  /** The port that means: do not listen. */
  public static final int OFF = -1;

  /** The port unless configured otherwise. */
  public static final int DEFAULT_PORT = 17311;

  /** What holds unless configured otherwise. */
  public static final HttpSettings DEFAULT = new HttpSettings("", DEFAULT_PORT);
}
