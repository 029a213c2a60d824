package io.lampone.coprocessor;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A blocking connection to the transaction manager, over which nothing is asked but ticks. Plain
 * sockets: a region server's class path must not get a Netty of ours. One thread uses it; another
 * may close it.
 */
final class TickConnection implements AutoCloseable {

  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;
  private static final int READ_TIMEOUT_MILLIS = 2_000;

  private final Socket socket;
  private final DataInputStream in;
  private final FrameWriter writer = new FrameWriter();

  /** Longest frame that will be read: before the welcome, a handshake's. */
  private int maxFrameBytes = FrameLayout.MAX_HANDSHAKE_BYTES;

  private Handshake.Welcome welcome;

  /** Id of the newest request; increases for the life of the connection. */
  private long lastId;

  private TickConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.welcome = greet();
    this.maxFrameBytes = FrameLayout.HIGHEST_MAX_FRAME_BYTES;
  }

  /** Connects and shakes hands. */
  static TickConnection open(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(READ_TIMEOUT_MILLIS);
      // Resolved now, not when the address was read: it may have moved.
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()),
          CONNECT_TIMEOUT_MILLIS);
      return new TickConnection(socket);
    } catch (IOException | MalformedException e) {
      socket.close();
      throw e instanceof IOException failure ? failure : new IOException("bad handshake", e);
    }
  }

  /** The epoch of the primary at the other end. */
  long epoch() {
    return welcome.epoch();
  }

  /**
   * Ticks that were issued after this call began, ascending.
   *
   * @param wanted how many; maybe fewer come, and never none
   */
  long[] fetch(int wanted) throws IOException {
    int room =
        (welcome.maxFrameBytes() - WireRequest.batchHeadBytes())
            / new WireRequest.Begin(lastId).size();
    int count = Math.max(1, Math.min(wanted, Math.min(welcome.maxMessages(), room)));
    writer.start(FrameKind.REQUESTS);
    long firstId = lastId + 1;
    for (int i = 0; i < count; i++) {
      new WireRequest.Begin(++lastId).writeTo(writer);
    }
    send();
    long[] ticks = new long[count];
    int issued = 0;
    WireReply.Failed failed = null;
    for (int left = count; left > 0; ) {
      for (WireReply reply : WireReply.readBatch(receive())) {
        if (reply.id() < firstId || reply.id() > lastId) {
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
    try {
      socket.close();
    } catch (IOException ignored) {
      // There is nothing to be done about a socket that will not close, and nothing depends on it.
    }
  }

  /** Everything that the two ends say before the first request. */
  private Handshake.Welcome greet() throws IOException {
    Handshake.Hello.current().writeTo(writer);
    send();
    FrameReader reader = receive();
    if (reader.kind() == FrameKind.REJECT) {
      throw new IOException("rejected, answer=" + Handshake.Reject.readFrom(reader));
    }
    return Handshake.Welcome.readFrom(reader);
  }

  private void send() throws IOException {
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    socket.getOutputStream().write(bytes);
  }

  private FrameReader receive() throws IOException {
    int length = in.readInt();
    if (length <= 0 || length > maxFrameBytes) {
      throw new IOException("length of a frame out of range, length=" + length);
    }
    ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEAD_BYTES + length);
    frame.putInt(length);
    in.readFully(frame.array(), Integer.BYTES, FrameLayout.HEAD_BYTES - Integer.BYTES + length);
    return FrameReader.open(frame.rewind());
  }
}
