package io.lampone.tm.net.handshake;

import io.lampone.tm.admission.Tenant;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.security.Principal;
import java.util.Optional;

/**
 * Connections that may still be welcomed: within the limits of the server, the tenant and the
 * principal, or from the reserve for administrators. Event loop only.
 */
final class ConnectionSlots {

  static final String TOO_MANY =
      "too many connections: try again later, or raise lampone.tm.max.connections";

  /** Result of {@link #take}. */
  sealed interface Slot {

    /**
     * A slot that is taken.
     *
     * @param tenant accounts for the connection already
     * @param reserved whether it comes from the reserve
     * @param onLeave ends the account of the principal
     */
    record Taken(Tenant tenant, boolean reserved, Runnable onLeave) implements Slot {}

    /** No slot, with the remedy for people. */
    record Refused(String problem) implements Slot {}
  }

  private final Tenants tenants;
  private final PrincipalConnections principals;

  ConnectionSlots(Tenants tenants, PrincipalConnections principals) {
    this.tenants = tenants;
    this.principals = principals;
  }

  /**
   * Takes a slot within the limits; for an administrator beyond them, for diagnosis and remedy.
   *
   * @param provedFrom the remote address if the name is proved: an unproved one may be any client's
   *     and must not limit others
   * @param full whether the limit of the server is exceeded
   * @param forOperators whether the client may use the reserve if it is an administrator
   */
  Slot take(
      Principal principal,
      String tenant,
      Optional<String> provedFrom,
      boolean full,
      boolean forOperators) {
    Tenant counted = tenants.find(tenant);
    Optional<PrincipalConnections.Account> account =
        provedFrom.map(address -> principals.account(principal, address));
    boolean few = account.filter(limited -> !principals.hasRoom(limited)).isEmpty();
    if (few && !full && counted.connect()) {
      account.ifPresent(principals::add);
      return new Slot.Taken(counted, false, () -> account.ifPresent(principals::remove));
    }
    if (forOperators && principal.mayAdminister() && tenants.reserve().connect()) {
      return new Slot.Taken(tenants.reserve(), true, () -> {});
    }
    if (!few) {
      principals.refused();
      return new Slot.Refused(account.orElseThrow().problem());
    }
    return new Slot.Refused(
        full
            ? TOO_MANY
            : "too many connections of this tenant: try again later, or raise its quota, tenant="
                + tenant);
  }
}
