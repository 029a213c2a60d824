package io.lampone.protocol.connect;

import java.security.PrivilegedExceptionAction;

/** The Kerberos tickets of one principal. Any thread. */
public interface KerberosCredentials {

  /**
   * Runs the action with the tickets, after renewing them if they expire soon. May wait for a KDC:
   * not for event loops.
   *
   * @throws Exception of the action, or because there is no ticket
   */
  <T> T runWith(PrivilegedExceptionAction<T> action) throws Exception;
}
