package io.lampone.coprocessor.server;

import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.ServerReport;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/**
 * Connection to the transaction manager for ticks and reports. Used by one thread; any other may
 * close it.
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
        BlockingConnection.open(
            address, security, Capabilities.PROGRESS | Capabilities.WORK, OPEN_LIMIT, clock));
  }

  /** Returns the epoch of the primary at the other end. */
  long epoch() {
    return connection.welcome().epoch();
  }

  /**
   * Returns ticks that were issued after this call began, ascending.
   *
   * @param wanted how many; fewer may come, but at least one
   * @param report sent with the request if the transaction manager takes reports
   */
  long[] fetch(int wanted, Optional<ServerReport> report) throws IOException {
    int beginBytes = new WireRequest.Begin(lastId).size();
    int bytes = connection.welcome().maxFrameBytes() - WireRequest.batchHeadBytes();
    Optional<ProgressReport> sent =
        report
            .map(ProgressReport::of)
            .filter(each -> takesReports())
            .filter(each -> WireRequest.Report.sizeOf(each) + beginBytes <= bytes);
    int left = bytes - sent.map(WireRequest.Report::sizeOf).orElse(0);
    int messages = connection.welcome().maxMessages() - (sent.isPresent() ? 1 : 0);
    int count = Math.max(1, Math.min(wanted, Math.min(messages, left / beginBytes)));
    connection.allow(FETCH_LIMIT);
    connection.writer().start(FrameKind.REQUESTS);
    long firstId = lastId + 1;
    for (int i = 0; i < count; i++) {
      new WireRequest.Begin(++lastId).writeTo(connection.writer());
    }
    sent.ifPresent(each -> new WireRequest.Report(++lastId, each).writeTo(connection.writer()));
    connection.send();
    return receive(firstId, count);
  }

  private boolean takesReports() {
    long needed = Capabilities.PROGRESS | Capabilities.WORK;
    return Capabilities.has(connection.welcome().capabilities(), needed)
        && connection.welcome().maxMessages() > 1;
  }

  private long[] receive(long firstId, int count) throws IOException {
    long[] ticks = new long[count];
    int issued = 0;
    WireReply.Failed failed = null;
    for (long left = lastId - firstId + 1; left > 0; ) {
      for (WireReply reply : WireReply.readBatch(connection.receive())) {
        if (left == 0 || reply.id() < firstId || reply.id() > lastId) {
          throw new IOException("reply to no request, id=" + reply.id());
        }
        if (reply instanceof WireReply.Begun begun) {
          ticks[issued++] = begun.begin().startTimestamp();
        } else if (reply instanceof WireReply.Failed refusal) {
          failed = refusal;
        } else if (!(reply instanceof WireReply.Progressed)) {
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
