package io.lampone.tm.net.handshake;

import io.lampone.protocol.wire.Handshake;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Connection as seen by its handshake. */
interface AcceptedConnection {

  /** Returns true if it is one too many. */
  boolean full();

  /** Returns true if it came without TLS where that is required. */
  boolean lacksTls();

  /** The name in the client's certificate, if it has shown one that holds. */
  Optional<String> certificateName();

  /** Returns true if it comes from this machine. */
  boolean local();

  /** Returns the address that it comes from, without the port. */
  default String address() {
    return origin(); // where there is no socket
  }

  /** Returns its origin, for people to read. */
  String origin();

  /**
   * Runs work that is too long for the event loop, and then, there, what follows from it; not if
   * the connection has ended meanwhile.
   */
  default <T> void apart(Supplier<T> work, Consumer<T> then) {
    then.accept(work.get()); // where there is no event loop
  }

  /** Sends a frame. */
  void send(Handshake frame);
}
