package io.lampone.tm;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

/** A client that says whatever a test wants it to say. */
final class FrameSocket implements AutoCloseable {

  private static final int READ_TIMEOUT_MILLIS = 60_000;

  /** Fatal: handshake failure (RFC 8446, section 6). */
  private static final byte[] TLS_ALERT = {0x15, 3, 3, 0, 2, 2, 40};

  private final Socket socket;
  private final FrameWriter writer = new FrameWriter();

  FrameSocket(int port) throws IOException {
    this(new Socket(InetAddress.getByName("127.0.0.1"), port));
  }

  FrameSocket(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(READ_TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
  }

  /** Only to write frames down. */
  static FrameSocket unconnected() throws IOException {
    return new FrameSocket(new Socket());
  }

  /** How long {@link #receive} waits for something. */
  void timeout(int millis) throws SocketException {
    socket.setSoTimeout(millis);
  }

  /** Its own port. */
  int port() {
    return socket.getLocalPort();
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

  /** Puts the length and the checksum into the head that fit the rest; returns the frame. */
  static byte[] seal(byte[] frame) {
    ByteBuffer buffer = ByteBuffer.wrap(frame);
    buffer.putInt(FrameLayout.LENGTH_OFFSET, frame.length - FrameLayout.HEAD_BYTES);
    CRC32C crc = new CRC32C();
    crc.update(frame, FrameLayout.KIND_OFFSET, frame.length - FrameLayout.KIND_OFFSET);
    buffer.putInt(FrameLayout.CRC_OFFSET, (int) crc.getValue());
    return frame;
  }

  void send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  void send(Handshake handshake) throws IOException {
    handshake.writeTo(writer);
    send(frame());
  }

  /** Sends a hello and takes the challenge. */
  Bytes challenge(Identity identity, long capabilities) throws IOException {
    send(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | capabilities, identity.credential()));
    return Handshake.Challenge.readFrom(receive()).nonce();
  }

  /** Proves to know the secret; the server's answer is still to be received. */
  void prove(Identity identity, String secret, Bytes serverNonce) throws IOException {
    send(proof(identity, secret, serverNonce));
  }

  static Handshake.Proof proof(Identity identity, String secret, Bytes serverNonce) {
    Bytes nonce = Bytes.utf8("thirty-two bytes, used only once");
    SharedSecret key = new SharedSecret(Bytes.utf8(secret));
    return new Handshake.Proof(nonce, key.clientMac(serverNonce, nonce, identity.credential()));
  }

  /** Begins a transaction and says whether it was answered. */
  boolean begins(long id) throws IOException {
    return begin(id) instanceof WireReply.Begun;
  }

  /** Begins a transaction. */
  WireReply begin(long id) throws IOException {
    return ask(new WireRequest.Begin(id));
  }

  /** Sends a request and takes the answer. */
  WireReply ask(WireRequest request) throws IOException {
    writer.start(FrameKind.REQUESTS);
    request.writeTo(writer);
    send(frame());
    return WireReply.readBatch(receive()).get(0);
  }

  /**
   * Sends begins on a thread of its own, a hundred in a frame and whether or not anybody reads the
   * answers, until it is enough; then one alone. Nobody else may send meanwhile.
   */
  Thread flood(AtomicBoolean enough) {
    Thread sender =
        new Thread(
            () -> {
              try {
                for (long id = 1; !enough.get(); id += 100) {
                  writer.start(FrameKind.REQUESTS);
                  for (int i = 0; i < 100; i++) {
                    new WireRequest.Begin(id + i).writeTo(writer);
                  }
                  send(frame());
                }
                writer.start(FrameKind.REQUESTS);
                new WireRequest.Begin(Long.MAX_VALUE - 1).writeTo(writer);
                send(frame());
              } catch (IOException e) {
                // Then the last reply does not come, and the test misses it.
              }
            });
    sender.start();
    return sender;
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

  /**
   * Whether the server closes the connection without another word, but for the alert that it owes
   * to bytes that look like a TLS client's.
   */
  boolean isClosedSilently() throws IOException {
    try {
      byte[] last = socket.getInputStream().readNBytes(TLS_ALERT.length + 1);
      return last.length == 0 || Arrays.equals(last, TLS_ALERT);
    } catch (SocketException e) {
      return true;
    }
  }

  /** Reads whatever comes, to the end. */
  void drain() throws IOException {
    socket.getInputStream().readAllBytes();
  }

  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
