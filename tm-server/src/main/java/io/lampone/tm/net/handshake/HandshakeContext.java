package io.lampone.tm.net.handshake;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.security.Authenticator;
import java.util.Optional;

/** Context of all handshakes on a server. */
interface HandshakeContext {

  /** Whom to believe. */
  Authenticator authenticator();

  /** Returns the limits on clients. */
  ServerLimits limits();

  /** Returns the server's capabilities beyond its version: bits of {@code Capabilities}. */
  long capabilities();

  /** The record of the epoch that this server may answer for at this moment, if it may. */
  Optional<ManagerRecord> leading();

  /** Returns the tenant under which clients of that name are counted. */
  Tenant tenant(String name);

  /** Returns the reserve for administrators without room elsewhere. */
  Tenant reserve();

  /** Returns the connections of each principal. */
  PrincipalConnections principals();

  /** Reports that a client is rejected. */
  void rejected(Handshake.Reason reason, String claimedPrincipal, AcceptedConnection arrival);
}
