package io.lampone.tm.security;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A client's identity and permissions.
 *
 * @param name unique; empty for a client without a name, where none is required
 * @param roles its permissions
 * @param tenants the tenants that it may name, its own first; {@link #ANY_TENANT} for any
 */
public record Principal(String name, Set<Role> roles, List<String> tenants) {

  /** Stands for every tenant. */
  public static final String ANY_TENANT = "*";

  /** The tenant of clients that name none and have none of their own. */
  public static final String DEFAULT_TENANT = "default";

  /** Permissions of a principal. */
  public enum Role {
    /** Begin and validate transactions, ask for their status, hold snapshots. */
    CLIENT,
    /** A region server: as CLIENT. */
    REGION,
    /** A backup: as CLIENT. */
    BACKUP,
    /** Send commands, take over from a primary. */
    ADMINISTRATOR
  }

  public Principal {
    roles = Set.copyOf(roles);
    tenants = List.copyOf(tenants);
  }

  /**
   * Returns a client that was not authenticated, where that is not required.
   *
   * @param local whether it is on this machine; only then is it an administrator
   */
  public static Principal unproved(String name, boolean local) {
    Set<Role> roles =
        local ? EnumSet.allOf(Role.class) : EnumSet.complementOf(EnumSet.of(Role.ADMINISTRATOR));
    return new Principal(name, roles, List.of(ANY_TENANT));
  }

  /** Returns the principal that acts for this one by a delegation token; empty without a role. */
  public Optional<Principal> byToken() {
    Set<Role> kept = new HashSet<>(roles);
    kept.removeAll(List.of(Role.ADMINISTRATOR, Role.REGION));
    return kept.isEmpty() ? Optional.empty() : Optional.of(new Principal(name, kept, tenants));
  }

  /** Returns true if it may send requests of transactions. */
  public boolean mayRequest() {
    return roles.contains(Role.CLIENT)
        || roles.contains(Role.REGION)
        || roles.contains(Role.BACKUP);
  }

  /** Returns true if it may send administrative commands. */
  public boolean mayAdminister() {
    return roles.contains(Role.ADMINISTRATOR);
  }

  /**
   * Returns the tenant for a client that asks for {@code wanted}; empty if that is not permitted.
   *
   * @param wanted a name, or empty for its own tenant
   */
  public Optional<String> tenant(String wanted) {
    if (wanted.isEmpty()) {
      return Optional.of(
          tenants.isEmpty() || tenants.get(0).equals(ANY_TENANT) ? DEFAULT_TENANT : tenants.get(0));
    }
    return tenants.contains(wanted) || tenants.contains(ANY_TENANT)
        ? Optional.of(wanted)
        : Optional.empty();
  }
}
