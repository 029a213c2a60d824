package io.lampone.tm.net.handshake;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.security.Principal;
import io.lampone.tm.security.Principal.Role;
import java.util.HashMap;
import java.util.Map;

/**
 * Number of connections of each principal with a proved name. Those of a principal with the role
 * region are counted per address, because all region servers share it. Event loop only.
 */
final class PrincipalConnections {

  /**
   * Account to which a connection belongs.
   *
   * @param key the name, for region servers with the address
   * @param limit maximum connections
   * @param property the property that sets the limit
   */
  record Account(String key, int limit, String property) {

    /** Returns the remedy for the refused client. */
    String problem() {
      return "too many connections of this principal: close some, or raise lampone.tm."
          + property
          + " at the transaction managers, limit="
          + limit;
    }
  }

  private final int ofPrincipal;
  private final int ofRegionServer;
  private final Runnable refusals;

  /** By {@link Account#key}; never zero. */
  private final Map<String, Integer> open = new HashMap<>();

  /**
   * @param refusals called for each refused connection
   */
  PrincipalConnections(AdmissionSettings settings, Runnable refusals) {
    this.refusals = refusals;
    this.ofPrincipal = settings.connectionsOfPrincipal();
    this.ofRegionServer = settings.connectionsOfRegionServer();
  }

  /** Returns the account of a connection of this principal from this address. */
  Account account(Principal principal, String address) {
    if (!principal.roles().contains(Role.REGION)) {
      return new Account(principal.name(), ofPrincipal, AdmissionSettings.CONNECTIONS_OF_PRINCIPAL);
    }
    // No name contains a space.
    String key = principal.name() + " " + address;
    return principal.roles().contains(Role.CLIENT) || principal.roles().contains(Role.BACKUP)
        ? new Account(key, ofPrincipal, AdmissionSettings.CONNECTIONS_OF_PRINCIPAL)
        : new Account(key, ofRegionServer, AdmissionSettings.CONNECTIONS_OF_REGION_SERVER);
  }

  /** Returns true if another connection is within the limit. */
  boolean hasRoom(Account account) {
    return open.getOrDefault(account.key(), 0) < account.limit();
  }

  /** Counts a connection refused because of the limit. */
  void refused() {
    refusals.run();
  }

  /** Counts a connection. */
  void add(Account account) {
    open.merge(account.key(), 1, Integer::sum);
  }

  /** Removes a connection that was counted. */
  void remove(Account account) {
    open.computeIfPresent(account.key(), (key, count) -> count > 1 ? count - 1 : null);
  }
}
