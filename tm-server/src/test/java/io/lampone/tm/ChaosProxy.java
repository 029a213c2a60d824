package io.lampone.tm;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntSupplier;

/**
 * Stands between client and server and loses, repeats, holds back and reorders whole frames in both
 * directions, and cuts connections. The frames of the handshake pass.
 */
final class ChaosProxy implements AutoCloseable {

  private static final int HEAD_BYTES = 2 * Integer.BYTES;

  private final ServerSocket listening;
  private final IntSupplier target;
  private final long seed;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();

  /**
   * Starts.
   *
   * @param target the port of the server, asked for each connection
   */
  ChaosProxy(IntSupplier target, long seed) throws IOException {
    this.target = target;
    this.seed = seed;
    listening = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    run(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress("127.0.0.1", listening.getLocalPort());
  }

  @Override
  public void close() throws Exception {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void accept() {
    Random random = new Random(seed);
    try {
      while (true) {
        Socket client = listening.accept();
        sockets.add(client);
        try {
          Socket server = new Socket(InetAddress.getByName("127.0.0.1"), target.getAsInt());
          sockets.add(server);
          client.setTcpNoDelay(true);
          server.setTcpNoDelay(true);
          Random there = new Random(random.nextLong());
          Random back = new Random(random.nextLong());
          run(() -> pump(client, server, there));
          run(() -> pump(server, client, back));
        } catch (IOException e) {
          client.close(); // no server at the moment
        }
      }
    } catch (IOException e) {
      // Closed by the test.
    }
  }

  private static void pump(Socket from, Socket to, Random random) {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      OutputStream out = to.getOutputStream();
      out.write(frame(in));
      Optional<byte[]> held = Optional.empty();
      while (true) {
        byte[] frame = frame(in);
        switch (random.nextInt(60)) {
          case 0 -> {
            return;
          }
          case 1 -> {
            // Lost.
          }
          case 2 -> {
            out.write(frame);
            out.write(frame);
          }
          case 3 -> {
            if (held.isEmpty()) {
              held = Optional.of(frame);
              continue;
            }
            out.write(frame);
          }
          default -> out.write(frame);
        }
        if (held.isPresent()) {
          out.write(held.get());
          held = Optional.empty();
        }
      }
    } catch (IOException e) {
      // One side has gone; the other follows.
    }
  }

  private static byte[] frame(DataInputStream in) throws IOException {
    int length = in.readInt();
    byte[] frame = new byte[HEAD_BYTES + length];
    frame[0] = (byte) (length >>> 24);
    frame[1] = (byte) (length >>> 16);
    frame[2] = (byte) (length >>> 8);
    frame[3] = (byte) length;
    in.readFully(frame, Integer.BYTES, frame.length - Integer.BYTES);
    return frame;
  }

  private void run(Runnable task) {
    Thread thread = new Thread(task, "chaos-proxy");
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }
}
