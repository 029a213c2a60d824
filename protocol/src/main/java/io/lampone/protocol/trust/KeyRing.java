package io.lampone.protocol.trust;

import java.util.Optional;

/** The keys that a server holds. Thread-safe. */
public interface KeyRing {

  /** Returns the keys of a term, or empty if this server does not have them. */
  Optional<TermKeys> keys(int term);
}
