package io.lampone.tm.net.handshake;

import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.security.Authenticator;
import java.util.Optional;

/** Context of all handshakes on a server. */
interface HandshakeContext {

  /** Returns the authenticator. */
  Authenticator authenticator();

  /** Returns the limits on clients. */
  ServerLimits limits();

  /** Returns the server's {@code Capabilities}. */
  long capabilities();

  /** Returns the record of the epoch if this server may answer for it at this moment. */
  Optional<ManagerRecord> leading();

  /** Returns the slots of welcomed connections. */
  ConnectionSlots slots();

  /** Reports that a client is rejected. */
  void rejected(Handshake.Reason reason, String claimedPrincipal, AcceptedConnection arrival);
}
