package io.lampone.tm.net;

/** State of a connection. */
enum ConnectionState {
  /** In the handshake. */
  NEW,
  /** Executes requests. */
  OPEN,
  /** Ignores all input; about to be closed. */
  DEAD
}
