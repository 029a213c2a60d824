package io.lampone.tmclient;

import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLServerSocket;

/** A server of which each word is dictated by a test, one connection after another. */
final class ScriptedServer implements AutoCloseable {

  static final int MAX_FRAME_BYTES = 4 << 10;
  static final int MAX_MESSAGES = 50;

  private final ServerSocket listening;
  private final BlockingQueue<Talk> talks = new LinkedBlockingQueue<>();
  private final Thread accepting;

  ScriptedServer() throws IOException {
    this(ServerSocketFactory.getDefault());
  }

  /** A server whose sockets come from here: those of TLS, say. */
  ScriptedServer(ServerSocketFactory sockets) throws IOException {
    listening = sockets.createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    if (listening instanceof SSLServerSocket tls) {
      tls.setNeedClientAuth(true);
    }
    accepting = new Thread(this::accept, "scripted-server");
    accepting.setDaemon(true);
    accepting.start();
  }

  AddressSource address() {
    return AddressSource.fixed(socketAddress());
  }

  InetSocketAddress socketAddress() {
    return new InetSocketAddress("127.0.0.1", listening.getLocalPort());
  }

  /** The next connection, greeted. */
  Talk next() throws Exception {
    Talk talk = nextUngreeted();
    Handshake.Hello.readFrom(talk.read());
    talk.say(new Handshake.Welcome(1, 0, 1, MAX_FRAME_BYTES, MAX_MESSAGES));
    return talk;
  }

  Talk nextUngreeted() throws Exception {
    Talk talk = talks.poll(60, TimeUnit.SECONDS);
    if (talk == null) {
      throw new AssertionError("nobody has connected");
    }
    return talk;
  }

  @Override
  public void close() throws Exception {
    listening.close();
    accepting.join();
    for (Talk talk : talks) {
      talk.hangUp();
    }
  }

  private void accept() {
    try {
      while (true) {
        talks.add(new Talk(listening.accept()));
      }
    } catch (IOException e) {
      // Closed by the test.
    }
  }

  /** One connection. */
  static final class Talk {

    private final Socket socket;
    private final FrameWriter writer = new FrameWriter();

    /** The last frame read. */
    private ByteBuffer last = ByteBuffer.allocate(0);

    private Talk(Socket socket) throws IOException {
      this.socket = socket;
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(60_000);
    }

    FrameReader read() throws IOException {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      int length = in.readInt();
      ByteBuffer frame = ByteBuffer.allocate(2 * Integer.BYTES + length);
      frame.putInt(length);
      in.readFully(frame.array(), Integer.BYTES, Integer.BYTES + length);
      last = frame;
      return FrameReader.open(frame.rewind());
    }

    /** The priority bits of the first request of the last frame read. */
    int firstPriority() {
      int firstRequest = FrameLayout.BODY_OFFSET + Integer.BYTES;
      return (last.get(firstRequest) & 0xff) >> 6;
    }

    /** Waits until something can be read; gives false if {@code over} says so first. */
    boolean awaitInput(BooleanSupplier over) throws IOException, InterruptedException {
      while (socket.getInputStream().available() == 0) {
        if (over.getAsBoolean()) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
      return true;
    }

    List<WireRequest> requests() throws IOException {
      return WireRequest.readBatch(read(), MAX_MESSAGES);
    }

    /** A frame that must hold one request. */
    WireRequest request() throws IOException {
      List<WireRequest> requests = requests();
      if (requests.size() != 1) {
        throw new AssertionError("requests=" + requests);
      }
      return requests.get(0);
    }

    void say(Handshake handshake) throws IOException {
      handshake.writeTo(writer);
      write();
    }

    void reply(WireReply... replies) throws IOException {
      writer.start(FrameKind.REPLIES);
      for (WireReply reply : replies) {
        reply.writeTo(writer);
      }
      write();
    }

    /** Takes leave. */
    void say(GoAway goodbye) throws IOException {
      goodbye.writeTo(writer);
      write();
    }

    /** Answers a command. */
    void say(Command.Result result) throws IOException {
      result.writeTo(writer);
      write();
    }

    void babble(byte... bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    void hangUp() throws IOException {
      socket.close();
    }

    /** Says something to a client that may have closed the connection by now. */
    void sayInVain(Handshake handshake) throws IOException {
      try {
        say(handshake);
      } catch (SocketException e) {
        // It has.
      }
    }

    /** Waits until the client has closed the connection. */
    void awaitEnd() throws IOException {
      try {
        while (socket.getInputStream().read() >= 0) {
          // What it still says does not matter.
        }
      } catch (SocketException e) {
        // Closed before it had read everything: that resets the connection.
      }
    }

    private void write() throws IOException {
      ByteBuffer frame = writer.finish();
      socket.getOutputStream().write(frame.array(), 0, frame.limit());
    }
  }
}
