package io.lampone.tm.core.transfer;

import io.lampone.protocol.wire.Transfer;

/**
 * The connection of a primary that hands over to this node. Compared by identity; used on the
 * node's thread only.
 */
@FunctionalInterface
public interface TransferSource {

  /** Sends an answer; without effect if the connection has ended. */
  void reply(Transfer.Reply reply);
}
