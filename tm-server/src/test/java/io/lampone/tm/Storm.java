package io.lampone.tm;

import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Clients that behave as badly as they can, each storm on a thread of its own. */
final class Storm implements AutoCloseable {

  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong done = new AtomicLong();
  private final Thread thread;

  private interface Work {

    void run(Storm storm) throws IOException;
  }

  private Storm(String name, Work work) {
    thread =
        new Thread(
            () -> {
              try {
                work.run(this);
              } catch (IOException e) {
                // The server has had enough of it, or the storm is over.
                over.set(true);
              }
            },
            name);
    thread.start();
  }

  /**
   * Connects again and again, keeping the newest {@code open} connections; every second one says
   * hello, the others nothing.
   */
  static Storm ofConnections(int port, int open) {
    return new Storm("storm of connections", storm -> storm.connect(port, open));
  }

  /** Sends begins as fast as the socket takes them, whatever the answers say. */
  static Storm ofBegins(int port, int perFrame) {
    return new Storm("storm of begins", storm -> storm.begin(port, perFrame));
  }

  /** Connections made, or frames sent. */
  long done() {
    return done.get();
  }

  @Override
  public void close() throws InterruptedException {
    over.set(true);
    thread.interrupt();
    thread.join();
  }

  private void connect(int port, int open) throws IOException {
    FrameWriter writer = new FrameWriter();
    Handshake.Hello.current().writeTo(writer);
    ByteBuffer hello = writer.finish();
    Deque<SocketChannel> channels = new ArrayDeque<>();
    try {
      while (!over.get()) {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        channels.add(channel);
        if (done.incrementAndGet() % 2 == 0) {
          channel.write(hello.duplicate());
        }
        if (channels.size() > open) {
          channels.remove().close();
        }
      }
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }

  private void begin(int port, int perFrame) throws IOException {
    try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
      FrameWriter writer = new FrameWriter();
      Handshake.Hello.current().writeTo(writer);
      channel.write(writer.finish());
      channel.configureBlocking(false);
      ByteBuffer replies = ByteBuffer.allocateDirect(1 << 16);
      long id = 1;
      while (!over.get()) {
        writer.start(FrameKind.REQUESTS);
        for (int i = 0; i < perFrame; i++) {
          new WireRequest.Begin(id++).writeTo(writer);
        }
        ByteBuffer frame = writer.finish();
        while (frame.hasRemaining() && !over.get()) {
          channel.write(frame);
          replies.clear();
          if (channel.read(replies) < 0) {
            return;
          }
        }
        done.incrementAndGet();
      }
    }
  }
}
