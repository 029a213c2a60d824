package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Connection that requests timestamps, one in a frame, and never sleeps: its caller polls for
 * replies. The measured time is thus that of the server and the kernel, without wake-ups of the
 * client thread. The same code measures the transaction manager and the echo; only the check of a
 * reply differs.
 *
 * <p>For one thread.
 */
final class PollingConnection implements AutoCloseable {

  private static final int BUFFER_BYTES = 64 << 10;
  private static final Duration HANDSHAKE_PATIENCE = Duration.ofSeconds(10);

  private final SocketChannel channel;
  private final boolean echo;
  private final Clock clock;
  private final FrameWriter writer = new FrameWriter();
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** Due times of the requests without a reply; replies arrive in the order of the requests. */
  private final Deque<Long> dueNanos = new ArrayDeque<>();

  /** Id of the last request. */
  private long lastId;

  /** Id of the request that is answered next. */
  private long nextAnswered = 1;

  private PollingConnection(SocketChannel channel, boolean echo, Clock clock) {
    this.channel = channel;
    this.echo = echo;
    this.clock = clock;
  }

  /** Connects to an echo server on this machine. */
  static PollingConnection toEcho(int port, Clock clock) throws IOException {
    return new PollingConnection(connect(port), true, clock);
  }

  /** Connects to a transaction manager of this machine and introduces itself. */
  static PollingConnection toManager(int port, Clock clock) throws IOException {
    PollingConnection connection = new PollingConnection(connect(port), false, clock);
    connection.greet();
    return connection;
  }

  /** Requests a timestamp that was due at {@code due}. */
  void send(long due) throws IOException {
    lastId++;
    dueNanos.add(due);
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Begin(lastId).writeTo(writer);
    write(writer.finish());
  }

  /** Requests without an answer. */
  int underWay() {
    return dueNanos.size();
  }

  /** Polls once for replies and records the time of each since it was due. */
  void poll(Latencies latencies) throws IOException {
    if (read() == 0) {
      return;
    }
    long now = clock.monotonicNanos();
    in.flip();
    for (int bytes = frameBytes(); bytes > 0; bytes = frameBytes()) {
      latencies.record(now - dueNanos.remove());
      verify(FrameReader.open(cut(bytes)));
    }
    in.compact();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private static SocketChannel connect(int port) throws IOException {
    SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    return channel;
  }

  private void greet() throws IOException {
    Handshake.Hello.current().writeTo(writer);
    write(writer.finish());
    long start = clock.monotonicNanos();
    while (true) {
      read();
      in.flip();
      int bytes = frameBytes();
      if (bytes > 0) {
        Handshake.Welcome.readFrom(FrameReader.open(cut(bytes)));
        in.compact();
        return;
      }
      in.compact();
      if (clock.monotonicNanos() - start > HANDSHAKE_PATIENCE.toNanos()) {
        throw new IOException("no welcome, waited=" + HANDSHAKE_PATIENCE);
      }
    }
  }

  private void write(ByteBuffer frame) throws IOException {
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
  }

  private int read() throws IOException {
    int bytes = channel.read(in);
    if (bytes < 0) {
      throw new IOException("connection closed by the server, underWay=" + underWay());
    }
    return bytes;
  }

  /** Bytes of the frame at the position, or 0 if it is not complete. */
  private int frameBytes() {
    if (in.remaining() < Integer.BYTES) {
      return 0;
    }
    int bytes = in.getInt(in.position() + FrameLayout.LENGTH_OFFSET) + FrameLayout.HEAD_BYTES;
    return in.remaining() < bytes ? 0 : bytes;
  }

  private ByteBuffer cut(int bytes) {
    ByteBuffer frame = in.slice(in.position(), bytes);
    in.position(in.position() + bytes);
    return frame;
  }

  private void verify(FrameReader reader) {
    long id =
        echo
            ? WireRequest.readBatch(reader, 1).get(0).id()
            : ((WireReply.Begun) WireReply.readBatch(reader).get(0)).id();
    if (id != nextAnswered) {
      throw new IllegalStateException("wrong answer, id=" + id + " expected=" + nextAnswered);
    }
    nextAnswered++;
  }
}
