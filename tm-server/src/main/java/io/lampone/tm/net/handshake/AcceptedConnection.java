package io.lampone.tm.net.handshake;

import io.lampone.protocol.wire.Handshake;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A connection as seen by its handshake. */
interface AcceptedConnection {

  /** Returns true if it exceeds the limit of connections. */
  boolean full();

  /** Returns true if it lacks TLS where that is required. */
  boolean lacksTls();

  /** Returns the name in the client's valid certificate, if any. */
  Optional<String> certificateName();

  /** Returns true if it comes from this machine. */
  boolean local();

  /** Returns its remote address without the port. */
  default String address() {
    return origin(); // without a socket
  }

  /** Returns its origin for people. */
  String origin();

  /**
   * Runs work that is too long for the event loop, then {@code then} on the event loop, unless the
   * connection has ended meanwhile.
   */
  default <T> void apart(Supplier<T> work, Consumer<T> then) {
    then.accept(work.get()); // without an event loop
  }

  /** Sends a frame. */
  void send(Handshake frame);
}
