package io.lampone.tm;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Stands before a server and makes what it says arrive later, as much of it as ever. */
final class DelayProxy implements AutoCloseable {

  private final ServerSocket listening;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile Duration delay = Duration.ZERO;

  DelayProxy(int target) throws IOException {
    this("127.0.0.1", 0, target);
  }

  /** Listens there, and not on a port of its own choice. */
  DelayProxy(String host, int port, int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(port, 50, InetAddress.getByName(host));
    run(this::accept);
  }

  String connectString() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** What is said from now on arrives so much later. */
  void delay(Duration later) {
    delay = later;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** Bytes on their way; empty ones are the end. */
  private static final class Packet implements Delayed {

    private final byte[] bytes;
    private final long dueNanos;

    Packet(byte[] bytes, long dueNanos) {
      this.bytes = bytes;
      this.dueNanos = dueNanos;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(dueNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(dueNanos, ((Packet) other).dueNanos);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getByName("127.0.0.1"), target);
        sockets.add(client);
        sockets.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        run(() -> client.getInputStream().transferTo(server.getOutputStream()));
        DelayQueue<Packet> packets = new DelayQueue<>();
        run(() -> read(server, packets));
        run(() -> write(packets, client));
      }
    } catch (IOException e) {
      // Closed by the test.
    }
  }

  private void read(Socket server, DelayQueue<Packet> packets) throws IOException {
    InputStream in = server.getInputStream();
    byte[] buffer = new byte[8192];
    long last = System.nanoTime();
    int count;
    while ((count = in.read(buffer)) >= 0) {
      // Never out of order, though the delay may have become shorter.
      last = Math.max(last + 1, System.nanoTime() + delay.toNanos());
      packets.add(new Packet(Arrays.copyOf(buffer, count), last));
    }
    packets.add(new Packet(new byte[0], last + 1));
  }

  private static void write(DelayQueue<Packet> packets, Socket client) throws IOException {
    try (client) {
      OutputStream out = client.getOutputStream();
      while (true) {
        byte[] bytes = packets.take().bytes;
        if (bytes.length == 0) {
          return;
        }
        out.write(bytes);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }

  private static void run(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // One side has gone; the other follows.
              }
            },
            "delay-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
