package io.lampone.protocol.connect;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Explains, from exceptions of the Java platform, why a client has no Kerberos ticket. */
final class KerberosFailures {

  /** Parts of messages and the remedy; the platform has no types for them. */
  private static final List<Map.Entry<String, String>> ADVICE =
      List.of(
          Map.entry(
              "Server not found in Kerberos database",
              "the KDC does not know the transaction manager; create its principal, SERVICE/HOST"
                  + " with the host that it advertises, or correct "
                  + SecurityProperties.KERBEROS_SERVICE),
          Map.entry(
              "Client not found in Kerberos database",
              "the KDC does not know this client; create its principal, or correct "
                  + SecurityProperties.KERBEROS_PRINCIPAL),
          Map.entry("Clock skew", "put the clocks right"),
          Map.entry(
              "Unable to obtain password",
              "the keytab has no key of the principal (klist -k), or the ticket cache no valid"
                  + " ticket (log in by kinit)"),
          Map.entry("Checksum failed", "the keytab has an old key of the principal; make it anew"),
          Map.entry("KDC for realm", "name the realm's KDC in krb5.conf"),
          Map.entry("Cannot locate default realm", "name the default realm in krb5.conf"));

  private static final String LOG_IN =
      "log in by kinit, or set "
          + SecurityProperties.KERBEROS_PRINCIPAL
          + " and "
          + SecurityProperties.KERBEROS_KEYTAB_FILE;

  private KerberosFailures() {}

  /** Returns the end of a handshake whose client has no ticket. */
  static ClientGreeting.Step.Refused refused(Throwable failure) {
    List<Throwable> causes = TrustFailures.causesOf(failure);
    String cause = TrustFailures.messageOf(causes.get(causes.size() - 1));
    // An unreachable KDC is a temporary failure; an answer of the KDC is not.
    boolean passing =
        causes.stream().anyMatch(each -> each.getClass().getName().startsWith("java.net."));
    String advice =
        passing
            ? "the KDC cannot be reached"
            : ADVICE.stream()
                .filter(entry -> causes.stream().anyMatch(each -> says(each, entry.getKey())))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(LOG_IN);
    return new ClientGreeting.Step.Refused(
        passing ? ClientGreeting.Refusal.TURNED_AWAY : ClientGreeting.Refusal.DISTRUSTED,
        "no Kerberos ticket for the transaction manager: " + advice + ", cause=" + cause);
  }

  private static boolean says(Throwable failure, String text) {
    return TrustFailures.messageOf(failure).contains(text) && !(failure instanceof IOException);
  }
}
