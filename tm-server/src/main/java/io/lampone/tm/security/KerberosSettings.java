package io.lampone.tm.security;

import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;

/**
 * The transaction manager's own principal.
 *
 * @param principal {@code service/host@REALM}, with the host that is advertised
 * @param keytabFile holds its keys; read again by the Java platform when it changes
 * @param connectionLifetime how long a connection lasts at most that is made by a ticket
 */
public record KerberosSettings(String principal, Path keytabFile, Duration connectionLifetime) {

  /** Lifetime of connections unless configured otherwise. */
  public static final Duration CONNECTION_LIFETIME = Duration.ofHours(24);

  private static final String FORM = "[^/@]+/[^/@]+@[^/@]+";

  /** With the default lifetime of connections. */
  public KerberosSettings(String principal, Path keytabFile) {
    this(principal, keytabFile, CONNECTION_LIFETIME);
  }

  /** Returns true if it has all parts. */
  public static boolean isPrincipal(String text) {
    return text.matches(FORM);
  }

  /** The first component. */
  public String service() {
    return principal.substring(0, principal.indexOf('/'));
  }

  /** The last component. */
  public String realm() {
    return principal.substring(principal.indexOf('@') + 1);
  }

  /**
   * Verifies tickets for the principal.
   *
   * @throws IOException if the keytab cannot be read
   * @throws IllegalArgumentException if it has no key of the principal, or others may read it
   */
  KerberosLogin server() throws IOException {
    SecurityFiles.requirePrivate(keytabFile);
    KerberosPrincipal owner = new KerberosPrincipal(principal);
    if (KeyTab.getInstance(owner, keytabFile.toFile()).getKeys(owner).length == 0) {
      throw new IllegalArgumentException(
          "the keytab has no key of the principal; compare by klist -k, principal="
              + principal
              + " keytabFile="
              + keytabFile);
    }
    return KerberosLogin.ofServer(principal, keytabFile);
  }
}
