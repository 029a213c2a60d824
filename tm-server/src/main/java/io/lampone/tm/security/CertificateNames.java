package io.lampone.tm.security;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** Determines the principal of a client certificate. */
public final class CertificateNames {

  /** The type DNS name of alternative names (RFC 5280, section 4.2.1.6). */
  private static final int DNS_NAME = 2;

  private static final String NAME = "[A-Za-z0-9._@=-]{1,64}";

  private CertificateNames() {}

  /**
   * Returns the common name of the subject or, if there is none, the first DNS name among the
   * alternative names. Empty if neither is a legal name of a principal.
   */
  public static Optional<String> principal(X509Certificate certificate) {
    return commonName(certificate)
        .or(() -> alternativeName(certificate))
        .filter(name -> name.matches(NAME));
  }

  private static Optional<String> commonName(X509Certificate certificate) {
    try {
      // In reverse order: the most specific part is the last one.
      List<Rdn> parts = new LdapName(certificate.getSubjectX500Principal().getName()).getRdns();
      for (int i = parts.size() - 1; i >= 0; i--) {
        if (parts.get(i).getType().toLowerCase(Locale.ROOT).equals("cn")) {
          return Optional.of(parts.get(i).getValue().toString());
        }
      }
      return Optional.empty();
    } catch (InvalidNameException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> alternativeName(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null
          ? Optional.empty()
          : names.stream()
              .filter(name -> name.get(0).equals(DNS_NAME))
              .map(name -> String.valueOf(name.get(1)))
              .findFirst();
    } catch (CertificateParsingException e) {
      return Optional.empty();
    }
  }
}
