package io.lampone.tm.net.handshake;

import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.security.Principal;
import io.lampone.tm.security.Principal.Role;
import java.util.HashMap;
import java.util.Map;

/**
 * Connections of each principal that has proved its name. Those of a principal with the role region
 * are counted for each address, because all region servers share it. Event loop only.
 */
final class PrincipalConnections {

  /**
   * Count to which a connection belongs.
   *
   * @param key the name, for region servers with the address
   * @param limit the most connections
   * @param property sets the limit
   */
  record Account(String key, int limit, String property) {

    /** Tells the refused client what to do. */
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
   * @param refusals called for each connection that is refused
   */
  PrincipalConnections(AdmissionSettings settings, Runnable refusals) {
    this.refusals = refusals;
    this.ofPrincipal = settings.connectionsOfPrincipal();
    this.ofRegionServer = settings.connectionsOfRegionServer();
  }

  /** The account of a connection of this principal from this address. */
  Account account(Principal principal, String address) {
    if (!principal.roles().contains(Role.REGION)) {
      return new Account(principal.name(), ofPrincipal, AdmissionSettings.CONNECTIONS_OF_PRINCIPAL);
    }
    // No name has a space.
    String key = principal.name() + " " + address;
    return principal.roles().contains(Role.CLIENT) || principal.roles().contains(Role.BACKUP)
        ? new Account(key, ofPrincipal, AdmissionSettings.CONNECTIONS_OF_PRINCIPAL)
        : new Account(key, ofRegionServer, AdmissionSettings.CONNECTIONS_OF_REGION_SERVER);
  }

  /** Returns true if there is room for one more connection. */
  boolean hasRoom(Account account) {
    return open.getOrDefault(account.key(), 0) < account.limit();
  }

  /** A connection has found no room. */
  void refused() {
    refusals.run();
  }

  /** Counts one more connection. */
  void add(Account account) {
    open.merge(account.key(), 1, Integer::sum);
  }

  /** A connection that was counted has ended. */
  void remove(Account account) {
    open.computeIfPresent(account.key(), (key, count) -> count > 1 ? count - 1 : null);
  }
}
