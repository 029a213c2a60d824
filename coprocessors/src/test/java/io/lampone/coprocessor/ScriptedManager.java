package io.lampone.coprocessor;

import io.lampone.protocol.tm.TimestampOracle;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Issues the ticks of a test to region servers that ask for them, as a manager would. */
final class ScriptedManager implements AutoCloseable {

  private static final int MAX_MESSAGES = 1_000;

  private final ServerSocket listener;
  private final Ticks ticks;
  private final AtomicLong issued = new AtomicLong();

  /** Whether requests are answered; else they wait. */
  private volatile boolean silent;

  private volatile long epoch = 1;

  ScriptedManager(Ticks ticks) throws IOException {
    this.ticks = ticks;
    this.listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    daemon(this::accept);
  }

  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  void silent(boolean newSilent) {
    silent = newSilent;
  }

  void epoch(long newEpoch) {
    epoch = newEpoch;
  }

  /** How many ticks have been issued. */
  long issued() {
    return issued.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        daemon(() -> serve(socket));
      }
    } catch (IOException e) {
      // Closed.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      FrameWriter writer = new FrameWriter();
      Handshake.Hello.readFrom(receive(in));
      new Handshake.Welcome(FrameLayout.VERSION, 0, epoch, 1 << 20, MAX_MESSAGES).writeTo(writer);
      send(socket, writer);
      while (true) {
        List<WireRequest> requests = WireRequest.readBatch(receive(in), MAX_MESSAGES);
        while (silent) {
          Thread.sleep(5);
        }
        writer.start(FrameKind.REPLIES);
        for (WireRequest request : requests) {
          issued.incrementAndGet();
          long tick = ticks.next();
          new WireReply.Begun(
                  request.id(),
                  new TimestampOracle.Begin(tick, Ticks.BASE, Proofs.OPEN.grant(tick, 0)))
              .writeTo(writer);
        }
        send(socket, writer);
      }
    } catch (IOException | InterruptedException e) {
      // The region server has gone, or asks again on another connection.
    }
  }

  private static FrameReader receive(DataInputStream in) throws IOException {
    int length = in.readInt();
    ByteBuffer frame = ByteBuffer.allocate(FrameLayout.HEAD_BYTES + length);
    frame.putInt(length);
    in.readFully(frame.array(), Integer.BYTES, Integer.BYTES + length);
    return FrameReader.open(frame.rewind());
  }

  private static void send(Socket socket, FrameWriter writer) throws IOException {
    ByteBuffer frame = writer.finish();
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    socket.getOutputStream().write(bytes);
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "scripted-manager");
    thread.setDaemon(true);
    thread.start();
  }
}
