package io.lampone.protocol.connect;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLSocket;

/**
 * A connection to a transaction manager over a blocking socket, after the handshake. For processes
 * that cannot include a network library, such as region servers. TLS is that of the Java platform.
 *
 * <p>Used by one thread; any thread may close it.
 */
public final class BlockingConnection implements AutoCloseable {

  /** First bytes of TLS records; as a frame they would declare an excessive length. */
  private static final int TLS_ALERT = 21;

  private static final int TLS_HANDSHAKE = 22;

  private final TimedSocket socket;
  private final InetSocketAddress address;
  private final Clock clock;
  private final FrameWriter writer = new FrameWriter();
  private final DataInputStream in;
  private final OutputStream out;

  /** Maximum length of a received frame; before the welcome, that of the handshake. */
  private int maxFrameBytes;

  private boolean greeted;

  private final Handshake.Welcome welcome;

  // Copies for each request.
  private final long capabilities;
  private final int maxSentBytes;

  private BlockingConnection(
      TimedSocket socket,
      Socket talking,
      InetSocketAddress address,
      ClientGreeting greeting,
      int maxHandshakeBytes,
      Clock clock)
      throws IOException {
    this.maxFrameBytes = maxHandshakeBytes;
    this.socket = socket;
    this.address = address;
    this.clock = clock;
    this.in = new DataInputStream(new BufferedInputStream(talking.getInputStream()));
    this.out = talking.getOutputStream();
    this.welcome = greet(greeting);
    this.capabilities = welcome.capabilities();
    this.maxSentBytes = welcome.maxFrameBytes();
    this.greeted = true;
    this.maxFrameBytes = FrameLayout.HIGHEST_MAX_FRAME_BYTES;
  }

  /**
   * Connects and performs the handshake.
   *
   * @param address its host is resolved now
   * @param capabilities capabilities of this client besides answering a challenge
   * @param limit time limit of the whole call
   * @throws HandshakeFailedException if one end does not trust or accept the other
   * @throws IOException if the server cannot be reached, or does not answer in time
   * @throws IllegalArgumentException if a file for TLS does not have the expected content
   */
  public static BlockingConnection open(
      InetSocketAddress address,
      ClientSecurity security,
      long capabilities,
      Duration limit,
      Clock clock)
      throws IOException {
    TimedSocket socket = new TimedSocket(clock);
    boolean open = false;
    try {
      socket.allow(limit);
      socket.setTcpNoDelay(true);
      socket.connect(
          new InetSocketAddress(address.getHostString(), address.getPort()), socket.leftMillis());
      Socket talking = socket;
      if (security.tls().isPresent()) {
        SSLSocket tls = BlockingTls.upon(socket, address, security.tls().get());
        tls.startHandshake();
        talking = tls;
      }
      ClientGreeting greeting =
          new ClientGreeting(security, address.getHostString(), capabilities, new SecureRandom());
      BlockingConnection connection =
          new BlockingConnection(
              socket, talking, address, greeting, security.maxHandshakeBytes(), clock);
      open = true;
      return connection;
    } catch (IOException | MalformedException e) {
      throw explained(e, address, security.tls().isPresent());
    } finally {
      if (!open) {
        close(socket);
      }
    }
  }

  /** Returns the server's welcome. */
  public Handshake.Welcome welcome() {
    return welcome;
  }

  /** Returns the capabilities in the welcome. */
  public long capabilities() {
    return capabilities;
  }

  /** Returns the maximum length of a frame for the server in bytes. */
  public int maxSentBytes() {
    return maxSentBytes;
  }

  /** Returns the writer of the next frame. */
  public FrameWriter writer() {
    return writer;
  }

  /** Limits the total time of all further reads, from now on. */
  public void allow(Duration limit) {
    socket.allow(limit);
  }

  /** Sends the frame in the writer. */
  public void send() throws IOException {
    ByteBuffer frame = writer.finish();
    out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
    out.flush();
  }

  /**
   * Polls for input without blocking: over a fast network, waking a blocked thread takes longer
   * than the answer of the other end.
   *
   * @param nanos time limit
   * @return whether input is available
   */
  public boolean comesWithin(long nanos) throws IOException {
    long begun = clock.monotonicNanos();
    while (in.available() == 0) {
      if (clock.monotonicNanos() - begun >= nanos) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /**
   * Waits for the next frame.
   *
   * @throws SocketTimeoutException if the allowed time is over
   * @throws MalformedException if the frame is damaged
   */
  public FrameReader receive() throws IOException {
    int length = in.readInt();
    if (!greeted && isTls(length >>> 24)) {
      throw new HandshakeFailedException(
          ClientGreeting.Refusal.DISTRUSTED,
          "transaction manager is not believed: it speaks TLS; turn TLS on here" + at(address));
    }
    if (length <= 0 || length > maxFrameBytes) {
      throw new IOException("length of a frame out of range, length=" + length + at(address));
    }
    ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEAD_BYTES + length);
    frame.putInt(length);
    in.readFully(frame.array(), Integer.BYTES, FrameLayout.HEAD_BYTES - Integer.BYTES + length);
    return FrameReader.open(frame.rewind());
  }

  /** Closes without the alert of TLS, which would wait for a thread that is still writing. */
  @Override
  public void close() {
    close(socket);
  }

  private Handshake.Welcome greet(ClientGreeting greeting) throws IOException {
    say(greeting.hello());
    while (true) {
      ClientGreeting.Step step = greeting.next(receive());
      if (step instanceof ClientGreeting.Step.Work work) {
        step = work.work().get();
      }
      if (step instanceof ClientGreeting.Step.Say say) {
        say(say.handshake());
      } else if (step instanceof ClientGreeting.Step.Welcomed welcomed) {
        return welcomed.welcome();
      } else if (step instanceof ClientGreeting.Step.Refused refused) {
        throw new HandshakeFailedException(refused.refusal(), refused.problem() + at(address));
      }
    }
  }

  private void say(Handshake handshake) throws IOException {
    handshake.writeTo(writer);
    send();
  }

  /**
   * Explains a failure; a connection lost during the handshake may mean that only one end uses TLS.
   */
  private static IOException explained(Exception failure, InetSocketAddress address, boolean tls) {
    if (failure instanceof HandshakeFailedException refused) {
      return refused;
    }
    if (tls) {
      Optional<String> distrust = TrustFailures.problemOf(failure);
      if (distrust.isPresent()) {
        return new HandshakeFailedException(
            ClientGreeting.Refusal.DISTRUSTED, distrust.get() + at(address), failure);
      }
    }
    String problem;
    if (failure instanceof SocketTimeoutException) {
      problem = "transaction manager does not greet in time";
    } else if (failure instanceof EOFException || failure instanceof SocketException) {
      problem =
          tls
              ? "connection to the transaction manager lost before it greeted; does it speak TLS,"
                  + " and demand a certificate of this client?"
              : "connection to the transaction manager lost before it greeted; does it demand TLS,"
                  + " or is something else listening there?";
    } else if (failure instanceof MalformedException) {
      problem = "transaction manager does not speak this protocol";
    } else {
      problem = "cannot connect to the transaction manager";
    }
    return new IOException(
        problem + at(address) + " cause=" + TrustFailures.messageOf(failure), failure);
  }

  private static boolean isTls(int firstByte) {
    return firstByte == TLS_ALERT || firstByte == TLS_HANDSHAKE;
  }

  private static String at(InetSocketAddress address) {
    return ", address=" + address;
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // Nothing can be done about a socket that fails to close, and nothing depends on it.
    }
  }
}
