package io.lampone.benchmarks.load;

import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.Requests;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Connection that was opened while its server was the primary and is used afterwards: the worst
 * case of a client that reaches a deposed primary.
 */
final class OldConnection implements AutoCloseable {

  private static final int TIMEOUT_MILLIS = 5_000;

  private final Socket socket;
  private final DataInputStream in;
  private final FrameWriter writer = new FrameWriter();

  /**
   * Connects and is welcomed.
   *
   * @throws IOException if not
   */
  OldConnection(InetSocketAddress address) throws IOException {
    socket = new Socket();
    socket.connect(address, TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(socket.getInputStream());
    Handshake.Hello.current().writeTo(writer);
    send();
    Handshake.Welcome.readFrom(read());
  }

  /** Requests a timestamp. */
  void ask(long id) throws IOException {
    writer.start(FrameKind.REQUESTS);
    Requests.begin(writer, id, Priority.DEFAULT);
    send();
  }

  /**
   * Returns true if replies arrive within this time; false as soon as the connection has ended.
   *
   * @throws IOException on any other failure
   */
  boolean isAnswered(Duration bound) throws IOException {
    socket.setSoTimeout(Math.toIntExact(bound.toMillis()));
    try {
      while (true) {
        if (read().kind() == FrameKind.REPLIES) {
          return true;
        }
      }
    } catch (EOFException | SocketTimeoutException | SocketException e) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void send() throws IOException {
    ByteBuffer frame = writer.finish();
    socket.getOutputStream().write(frame.array(), 0, frame.limit());
  }

  private FrameReader read() throws IOException {
    int length = in.readInt();
    if (length < 0 || length > FrameLayout.HIGHEST_MAX_FRAME_BYTES) {
      throw new IOException("wrong length of a frame, length=" + length);
    }
    ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEAD_BYTES + length).putInt(length);
    in.readFully(frame.array(), Integer.BYTES, Integer.BYTES + length);
    return FrameReader.open(frame.rewind());
  }
}
