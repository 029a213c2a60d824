package io.lampone.tm.net.handshake;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.security.Authenticator;
import java.util.Optional;

/** What every greeting on a server goes by. */
interface HandshakeContext {

  /** Whom to believe. */
  Authenticator authenticator();

  /** What clients may ask of the server. */
  ServerLimits limits();

  /** What this server can do beyond its version: bits of {@code Capabilities}. */
  long capabilities();

  /** The record of the epoch that this server may answer for at this moment, if it may. */
  Optional<ManagerRecord> leading();

  /** Where a client of that tenant is counted. */
  Tenant tenant(String name);

  /** Where administrators are counted when there is no room for them otherwise. */
  Tenant reserve();

  /** Somebody is turned away. */
  void rejected(Handshake.Reason reason, String claimedPrincipal, AcceptedConnection arrival);
}
