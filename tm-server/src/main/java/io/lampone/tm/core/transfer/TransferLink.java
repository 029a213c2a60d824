package io.lampone.tm.core.transfer;

import io.lampone.protocol.wire.Transfer;

/**
 * A connection for a hand-over: parts arrive in order and exactly once, or the connection ends.
 * Used on the node's thread only, and calls back on it.
 */
public interface TransferLink {

  /** Sends a part; never blocks. A part that does not arrive leads to {@link Listener#closed}. */
  void send(Transfer part);

  /** Ends the connection; the listener is not called any more. */
  void close();

  /** Opens connections. */
  @FunctionalInterface
  interface Connector {

    /**
     * Connects, and later notifies {@code listener} of success or failure.
     *
     * @param address {@code host:port} of a backup
     */
    TransferLink connect(String address, Listener listener);
  }

  /** Receives the events of a connection. */
  interface Listener {

    /**
     * Parts may be sent.
     *
     * @param capabilities the {@code Capabilities} that both ends have
     */
    void opened(long capabilities);

    /** The backup has answered. */
    void received(Transfer.Reply reply);

    /** The connection could not be made or has ended; called once. */
    void closed(String problem);
  }
}
