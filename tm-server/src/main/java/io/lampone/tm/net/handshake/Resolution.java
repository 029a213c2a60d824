package io.lampone.tm.net.handshake;

import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;

/** Resolves host names without blocking an event loop. */
public final class Resolution {

  private Resolution() {}

  /** Returns the address of {@code host}; fails if host or port is invalid. */
  public static CompletableFuture<InetSocketAddress> resolve(String host, String port) {
    CompletableFuture<InetSocketAddress> found = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
                if (address.isUnresolved()) {
                  throw new UnknownHostException(host);
                }
                found.complete(address);
              } catch (UnknownHostException | IllegalArgumentException e) {
                found.completeExceptionally(e);
              }
            },
            "lampone-tm-resolver");
    thread.setDaemon(true);
    thread.start();
    return found;
  }
}
