package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Reason for the end of a connection.
 *
 * @param kind determines the next step
 * @param problem description for people
 * @param next the address of the successor, if the server has named it
 */
record DisconnectReason(Kind kind, String problem, Optional<InetSocketAddress> next) {

  enum Kind {
    /** The connection broke or could not be opened: retry after a pause. */
    LOST,
    /** The server does not serve at the moment: retry after a pause. */
    TURNED_AWAY,
    /** Not a failure: there is another primary. */
    MOVED,
    /** No version in common. */
    INCOMPATIBLE,
    /** One end does not trust the other: needs an administrator. */
    DISTRUSTED
  }

  static DisconnectReason of(Kind kind, String problem) {
    return new DisconnectReason(kind, problem, Optional.empty());
  }

  static DisconnectReason lost(String problem) {
    return of(Kind.LOST, problem);
  }
}
