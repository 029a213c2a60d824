package io.lampone.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Proxy between clients and a server on this host. While it is cut no data passes in either
 * direction, and neither end is notified: connections stay open, and new ones are accepted.
 */
final class CutProxy implements AutoCloseable {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final ServerSocket listening;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean cut;

  CutProxy(int target) throws IOException {
    this.target = target;
    this.listening = new ServerSocket(0, 50, LOOPBACK);
    run(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  void cut() {
    cut = true;
  }

  /** Restores the connection. Data sent meanwhile is lost, so open connections are closed. */
  void heal() throws IOException {
    cut = false;
    closeAll();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    closeAll();
  }

  private void closeAll() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
      sockets.remove(socket);
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listening.accept();
      Socket server = new Socket(LOOPBACK, target);
      sockets.add(client);
      sockets.add(server);
      run(() -> pass(client, server));
      run(() -> pass(server, client));
    }
  }

  private void pass(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      from.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[8192];
      int count;
      while ((count = in.read(buffer)) >= 0) {
        if (!cut) {
          out.write(buffer, 0, count);
        }
      }
    }
  }

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
                // One end has gone, or the test is over.
              }
            },
            "cut-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
