package io.lampone.tm;

import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A client that says whatever a test wants it to say. */
final class FrameSocket implements AutoCloseable {

  private static final int READ_TIMEOUT_MILLIS = 5_000;

  private final Socket socket;
  private final FrameWriter writer = new FrameWriter();

  FrameSocket(int port) throws IOException {
    socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
  }

  FrameWriter writer() {
    return writer;
  }

  /** The frame in the writer, as bytes. */
  byte[] frame() {
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  void greet() throws IOException {
    Handshake.Hello.current().writeTo(writer);
    send(frame());
    Handshake.Welcome.readFrom(receive());
  }

  FrameReader receive() throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    int length = in.readInt();
    ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES * 2 + length);
    frame.putInt(length);
    in.readFully(frame.array(), Integer.BYTES, Integer.BYTES + length);
    return FrameReader.open(frame.rewind());
  }

  /** Whether the server closes the connection without another word. */
  boolean isClosedSilently() throws IOException {
    try {
      receive();
      return false;
    } catch (EOFException | SocketException e) {
      return true;
    }
  }

  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
