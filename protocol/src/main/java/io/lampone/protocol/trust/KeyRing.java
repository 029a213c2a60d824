package io.lampone.protocol.trust;

import java.util.Optional;

/** The keys that a server holds. Safe for use by several threads. */
public interface KeyRing {

  /** The keys of a term, or empty if this server does not have them. */
  Optional<TermKeys> keys(int term);
}
