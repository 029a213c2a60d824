package io.lampone.tm.net;

import io.lampone.protocol.wire.Handshake;
import java.util.Optional;

/** What a greeting must know of the connection that it takes place on. */
interface Arrival {

  /** Whether it is one too many. */
  boolean full();

  /** Whether it came without TLS where that is demanded. */
  boolean lacksTls();

  /** The name in the client's certificate, if it has shown one that holds. */
  Optional<String> certificateName();

  /** Whether it comes from this machine. */
  boolean local();

  /** Where it comes from, for a person to read. */
  String origin();

  /** Sends a frame. */
  void send(Handshake frame);
}
