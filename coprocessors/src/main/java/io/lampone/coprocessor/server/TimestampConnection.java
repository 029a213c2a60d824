package io.lampone.coprocessor.server;

import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;

/**
 * Connection to the transaction manager for ticks only. Used by one thread; any other may close it.
 */
final class TimestampConnection implements AutoCloseable {

  /** Limit for connecting, TLS and the handshake together. */
  private static final Duration OPEN_LIMIT = Duration.ofSeconds(2);

  private static final Duration FETCH_LIMIT = Duration.ofSeconds(2);

  private final BlockingConnection connection;

  /** Id of the newest request; increases for the life of the connection. */
  private long lastId;

  private TimestampConnection(BlockingConnection connection) {
    this.connection = connection;
  }

  /** Connects and performs the handshake. */
  static TimestampConnection open(InetSocketAddress address, ClientSecurity security, Clock clock)
      throws IOException {
    return new TimestampConnection(
        BlockingConnection.open(address, security, 0, OPEN_LIMIT, clock));
  }

  /** Returns the epoch of the primary at the other end. */
  long epoch() {
    return connection.welcome().epoch();
  }

  /**
   * Returns ticks that were issued after this call began, ascending.
   *
   * @param wanted how many; fewer may come, but at least one
   */
  long[] fetch(int wanted) throws IOException {
    int room =
        (connection.welcome().maxFrameBytes() - WireRequest.batchHeadBytes())
            / new WireRequest.Begin(lastId).size();
    int count = Math.max(1, Math.min(wanted, Math.min(connection.welcome().maxMessages(), room)));
    connection.allow(FETCH_LIMIT);
    connection.writer().start(FrameKind.REQUESTS);
    long firstId = lastId + 1;
    for (int i = 0; i < count; i++) {
      new WireRequest.Begin(++lastId).writeTo(connection.writer());
    }
    connection.send();
    long[] ticks = new long[count];
    int issued = 0;
    WireReply.Failed failed = null;
    for (int left = count; left > 0; ) {
      for (WireReply reply : WireReply.readBatch(connection.receive())) {
        if (left == 0 || reply.id() < firstId || reply.id() > lastId) {
          throw new IOException("reply to no request, id=" + reply.id());
        }
        if (reply instanceof WireReply.Begun begun) {
          ticks[issued++] = begun.begin().startTimestamp();
        } else if (reply instanceof WireReply.Failed refusal) {
          failed = refusal;
        } else {
          throw new IOException("wrong type of reply, id=" + reply.id());
        }
        left--;
      }
    }
    if (issued == 0) {
      throw new IOException("no timestamp was issued, reply=" + failed);
    }
    long[] result = Arrays.copyOf(ticks, issued);
    Arrays.sort(result);
    return result;
  }

  @Override
  public void close() {
    connection.close();
  }
}
