package io.lampone.tm.security;

import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;

/**
 * The transaction manager's Kerberos principal.
 *
 * @param principal {@code service/host@REALM}, with the advertised host
 * @param keytabFile file with its keys; the Java platform reads it again when it changes
 * @param connectionLifetime maximum lifetime of a connection authenticated by a ticket
 */
public record KerberosSettings(String principal, Path keytabFile, Duration connectionLifetime) {

  /** Default lifetime of connections. */
  public static final Duration CONNECTION_LIFETIME = Duration.ofHours(24);

  private static final String FORM = "[^/@]+/[^/@]+@[^/@]+";

  /** Creates settings with the default lifetime of connections. */
  public KerberosSettings(String principal, Path keytabFile) {
    this(principal, keytabFile, CONNECTION_LIFETIME);
  }

  /** Returns true if the text has all parts of a principal. */
  public static boolean isPrincipal(String text) {
    return text.matches(FORM);
  }

  /** Returns the first component. */
  public String service() {
    return principal.substring(0, principal.indexOf('/'));
  }

  /** Returns the realm. */
  public String realm() {
    return principal.substring(principal.indexOf('@') + 1);
  }

  /**
   * Returns the login that verifies tickets for the principal.
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
