package io.lampone.tm.core.transfer;

import io.lampone.protocol.wire.Transfer;

/**
 * A connection over which a primary hands over: what is sent arrives in order and once, or the
 * connection ends. Used on the node's thread only, and calls back on it.
 */
public interface TransferLink {

  /** Sends a part; never blocks. What does not arrive is followed by {@link Listener#closed}. */
  void send(Transfer part);

  /** Ends the connection; nothing is heard of it any more. */
  void close();

  /** Makes connections. */
  @FunctionalInterface
  interface Connector {

    /**
     * Connects, and later notifies {@code listener} of success or failure.
     *
     * @param address {@code host:port} of a backup
     */
    TransferLink connect(String address, Listener listener);
  }

  /** Hears what becomes of a connection. */
  interface Listener {

    /**
     * Parts may be sent.
     *
     * @param capabilities the {@code Capabilities} that both ends have
     */
    void opened(long capabilities);

    /** The backup has answered. */
    void received(Transfer.Reply reply);

    /** The connection could not be made or has ended; told once. */
    void closed(String problem);
  }
}
