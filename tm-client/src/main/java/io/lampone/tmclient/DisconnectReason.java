package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reason for the end of a session.
 *
 * @param kind determines the next step
 * @param problem for people to read
 * @param next the address of the successor, if the server has named it
 */
record DisconnectReason(Kind kind, String problem, Optional<InetSocketAddress> next) {

  enum Kind {
    /** The connection broke, or did not come to be: try again after a pause. */
    LOST,
    /** This server does not serve at the moment: try again after a pause. */
    TURNED_AWAY,
    /** No failure: there is another primary by now. */
    MOVED,
    /** No version in common. */
    INCOMPATIBLE,
    /** One of the two does not believe the other: only a person can help. */
    DISTRUSTED
  }

  static DisconnectReason of(Kind kind, String problem) {
    return new DisconnectReason(kind, problem, Optional.empty());
  }

  static DisconnectReason lost(String problem) {
    return of(Kind.LOST, problem);
  }
}
