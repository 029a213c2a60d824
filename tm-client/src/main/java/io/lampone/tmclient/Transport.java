package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Makes connections to servers. It cuts what comes into frames and reports what happens; what is
 * said, what follows from an answer or from silence, and whether to try again, is decided above it.
 */
public interface Transport {

  /**
   * Looks up the name of a host; what cannot be found out stays unresolved. Completes on any thread
   * and does not block the caller: that may take long, and deadlines must be kept meanwhile.
   */
  CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address);

  /** Connects to a resolved address; whatever comes of it, the listener hears of it. */
  void connect(InetSocketAddress address, Listener listener);

  /** One connection, from the attempt to make it on. {@link SerialExecutor} only. */
  interface Connection {

    /** Sends a complete frame; the buffer is the caller's again when this returns. */
    void send(ByteBuffer frame);

    /** Ends it. The listener may still hear of what had come before. */
    void close();
  }

  /** Hears of one connection. {@link SerialExecutor} only. */
  interface Listener {

    /** It is being made, and can be closed from now on. */
    void begun(Connection connection);

    /** Frames can be sent. With TLS they wait until that has been negotiated. */
    void established();

    /**
     * A frame has come; its bytes hold until this returns. What this throws has {@link #failed}.
     */
    void received(ByteBuffer frame);

    /** The other end has closed it. */
    void closed();

    /** It could not be made. */
    void refused(String problem);

    /** It has broken. */
    void failed(Throwable cause);
  }
}
