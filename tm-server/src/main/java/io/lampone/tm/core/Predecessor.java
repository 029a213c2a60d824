package io.lampone.tm.core;

import io.lampone.protocol.wire.Transfer;

/**
 * The connection of a primary that wants this node to succeed it. Compared by identity; used on the
 * node's thread only.
 */
@FunctionalInterface
public interface Predecessor {

  /** Answers; goes nowhere if the connection has ended. */
  void reply(Transfer.Reply reply);
}
