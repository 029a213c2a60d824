package io.lampone.benchmarks.load;

import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireRequest;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/**
 * Connection that was opened while its server was the primary and is used afterwards: the worst
 * case of a client that reaches a deposed primary.
 */
final class OldConnection implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final BlockingConnection connection;

  /**
   * Connects and is welcomed.
   *
   * @throws IOException if not
   */
  OldConnection(InetSocketAddress address) throws IOException {
    connection =
        BlockingConnection.open(
            address, ClientSecurity.NONE, Capabilities.OWNERSHIP, TIMEOUT, SystemClock.INSTANCE);
  }

  /** Requests a timestamp. */
  void ask(long id) throws IOException {
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(id).writeTo(connection.writer());
    connection.send();
  }

  /**
   * Returns true if replies arrive within this time; false as soon as the connection has ended.
   *
   * @throws IOException on any other failure
   */
  boolean isAnswered(Duration bound) throws IOException {
    connection.allow(bound);
    try {
      while (connection.receive().kind() != FrameKind.REPLIES) {
        // Notices before it ends.
      }
      return true;
    } catch (EOFException | SocketTimeoutException | SocketException e) {
      return false;
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
