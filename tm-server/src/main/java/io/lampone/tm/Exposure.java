package io.lampone.tm;

import io.lampone.tm.security.SecuritySettings;
import io.lampone.tm.zookeeper.AclSettings;
import io.lampone.tm.zookeeper.RecordAcl;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Network exposure to unauthenticated clients. If no authentication is required, the server listens
 * on loopback, unless the configuration declares it open.
 *
 * @param open whether the configuration declares the server open
 * @param acl the access to the znodes
 */
public record Exposure(boolean open, AclSettings acl) {

  /** No exposure. */
  public static final Exposure DEFAULT = new Exposure(false, AclSettings.DEFAULT);

  static final String HOW_TO_OPEN =
      "to open it, let clients prove themselves (lampone.tm.security.authentication,"
          + " docs/operations/security.md), or write down lampone.tm.security.open=true, which"
          + " admits every client that reaches the port";

  private static final Logger LOG = LoggerFactory.getLogger(Exposure.class);

  private static final String EVERYWHERE = "0.0.0.0";
  private static final String LOOPBACK = "127.0.0.1";

  /** Returns true if remote clients are admitted without a proof. */
  boolean admitsStrangers(SecuritySettings security) {
    return open && !security.demandsProof();
  }

  /**
   * Returns the address to listen on.
   *
   * @param configured the configured address; empty to choose one
   * @throws IllegalArgumentException if it would admit remote clients without a proof, and the
   *     configuration does not declare that
   */
  String host(String configured, SecuritySettings security) {
    boolean proved = security.demandsProof();
    if (configured.isBlank()) {
      return proved || open ? EVERYWHERE : LOOPBACK;
    }
    if (!proved && !open && !isLoopback(configured)) {
      throw new IllegalArgumentException(
          "every client that reaches this address would be believed, host="
              + configured
              + ": "
              + HOW_TO_OPEN);
    }
    return configured;
  }

  /** Returns true if the server listens on loopback only. */
  boolean isLoopbackOnly(String configured, SecuritySettings security) {
    return isLoopback(host(configured, security));
  }

  /**
   * Returns the ACL for the znodes.
   *
   * @throws IOException if the file with the password cannot be read
   * @throws IllegalArgumentException if its content is invalid, or if every client could change the
   *     znodes of a server reachable from other machines and the configuration does not declare
   *     that
   */
  RecordAcl acl(String configuredHost, SecuritySettings security) throws IOException {
    return RecordAcl.of(acl, isLoopbackOnly(configuredHost, security));
  }

  /** Logs a warning about an open server; to be repeated. */
  static void warn() {
    LOG.warn(
        "lampone.tm.security.open=true: any client that reaches the port may begin, decide and"
            + " hold; commands of administrators are taken from this machine only");
  }

  /**
   * Returns the address announced to clients, {@code host:port}.
   *
   * @param advertised the configured host; empty for none
   * @param host the host of the listener
   * @param bound the bound address
   */
  static String advertised(String advertised, String host, InetSocketAddress bound)
      throws IOException {
    if (!advertised.isBlank()) {
      return advertised + ":" + bound.getPort();
    }
    String found =
        bound.getAddress().isAnyLocalAddress()
            ? InetAddress.getLocalHost().getCanonicalHostName()
            : host;
    return found + ":" + bound.getPort();
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("unknown address to listen on, host=" + host, e);
    }
  }
}
