package io.lampone.tm.net;

import io.lampone.protocol.wire.Capabilities;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.security.Principal;

/**
 * A client that has been welcomed.
 *
 * @param principal who it is
 * @param tenant where its share is counted
 * @param capabilities what both ends can do
 * @param epoch the epoch that it was told; 0 if this is no primary and only commands are taken
 */
record Guest(Principal principal, Tenant tenant, long capabilities, long epoch) {

  /** Whether both ends can do all of {@code wanted}. */
  boolean can(long wanted) {
    return Capabilities.has(capabilities, wanted);
  }

  /** Whether its requests may be executed. */
  boolean mayRequest() {
    return epoch > 0 && principal.mayRequest();
  }

  /** Whether its commands may be carried out. */
  boolean mayAdminister() {
    return principal.mayAdminister();
  }
}
