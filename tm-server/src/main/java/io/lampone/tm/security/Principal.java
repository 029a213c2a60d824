package io.lampone.tm.security;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Somebody whom the server knows, and what they may do.
 *
 * @param name unique; empty for somebody who gave none, where nobody has to
 * @param roles what they may do
 * @param tenants under which they may be counted, their own first; {@link #ANY_TENANT} for any
 */
public record Principal(String name, Set<Role> roles, List<String> tenants) {

  /** Stands for every tenant. */
  public static final String ANY_TENANT = "*";

  /** The tenant of those who name none and have none of their own. */
  public static final String DEFAULT_TENANT = "default";

  /** What a principal may do. */
  public enum Role {
    /** Begin and validate transactions, ask for their status. */
    CLIENT,
    /** Send commands, take over from a primary. */
    ADMINISTRATOR
  }

  public Principal {
    roles = Set.copyOf(roles);
    tenants = List.copyOf(tenants);
  }

  /** Somebody about whom nothing was proved because nothing had to be: may do everything. */
  public static Principal unproved(String name) {
    return new Principal(name, Set.of(Role.values()), List.of(ANY_TENANT));
  }

  /** Whether requests of transactions are answered. */
  public boolean mayRequest() {
    return roles.contains(Role.CLIENT);
  }

  /** Whether commands are carried out. */
  public boolean mayAdminister() {
    return roles.contains(Role.ADMINISTRATOR);
  }

  /**
   * The tenant under which they are counted if they ask for {@code wanted}; empty if they may not.
   *
   * @param wanted a name, or empty for their own tenant
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
