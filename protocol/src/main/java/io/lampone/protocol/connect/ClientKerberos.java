package io.lampone.protocol.connect;

/**
 * Kerberos authentication of a client at a transaction manager.
 *
 * @param service the first component of the transaction manager's principal, {@code
 *     service/host@REALM}; the host is the one that it advertises
 * @param credentials the client's tickets
 */
public record ClientKerberos(String service, KerberosCredentials credentials) {

  /** The default service. */
  public static final String DEFAULT_SERVICE = "lampone";

  /** Returns this with other tickets. */
  public ClientKerberos withCredentials(KerberosCredentials newCredentials) {
    return new ClientKerberos(service, newCredentials);
  }
}
