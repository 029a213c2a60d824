package io.lampone.tm.core.transfer;

import io.lampone.protocol.wire.Transfer;

/**
 * The connection of a primary that wants this node to succeed it. Compared by identity; used on the
 * node's thread only.
 */
@FunctionalInterface
public interface TransferSource {

  /** Answers; goes nowhere if the connection has ended. */
  void reply(Transfer.Reply reply);
}
