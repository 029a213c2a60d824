package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Opens connections to servers, splits their input into frames, and reports events. Content,
 * reactions and retries are decided by the layers above.
 */
public interface Transport {

  /**
   * Resolves a host name; a name that cannot be resolved stays unresolved. Completes on any thread
   * without blocking the caller: resolution may be slow, and deadlines must be kept meanwhile.
   */
  CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address);

  /** Connects to a resolved address; reports any result to the listener. */
  void connect(InetSocketAddress address, Listener listener);

  /** A connection, from the attempt to open it on. {@link SerialExecutor} only. */
  interface Connection {

    /** Sends a complete frame; the caller may reuse the buffer afterwards. */
    void send(ByteBuffer frame);

    /** Closes it. The listener may still be called for earlier events. */
    void close();
  }

  /** Listener of a connection. {@link SerialExecutor} only. */
  interface Listener {

    /** The connection is being opened, and can be closed from now on. */
    void begun(Connection connection);

    /** Frames can be sent. With TLS they are delayed until the handshake has completed. */
    void established();

    /**
     * A frame has arrived; the buffer is valid until this returns. An exception leads to {@link
     * #failed}.
     */
    void received(ByteBuffer frame);

    /** The other end has closed the connection. */
    void closed();

    /** The connection could not be opened. */
    void refused(String problem);

    /** The connection has broken. */
    void failed(Throwable cause);
  }
}
