package io.lampone.tm.security;

import io.lampone.protocol.connect.KerberosLogin;
import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.file.Path;
import javax.security.auth.kerberos.KerberosPrincipal;
import javax.security.auth.kerberos.KeyTab;

/**
 * The transaction manager's own principal.
 *
 * @param principal {@code service/host@REALM}, with the host that is advertised
 * @param keytabFile holds its keys; read again by the Java platform when it changes
 */
public record KerberosSettings(String principal, Path keytabFile) {

  private static final String FORM = "[^/@]+/[^/@]+@[^/@]+";

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
