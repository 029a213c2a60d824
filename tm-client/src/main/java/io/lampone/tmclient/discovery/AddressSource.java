package io.lampone.tmclient.discovery;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Source of the primary transaction manager's address. Queried before each connection. */
public interface AddressSource {

  /**
   * Finds the address. Completes on any thread, with empty while there is no primary; must not
   * block the caller.
   */
  CompletableFuture<Optional<PrimaryAddress>> find();

  /**
   * Completes, on any thread, once there is another primary than {@code from}; at once if there is
   * one already. Fails if the source cannot watch any longer; the caller may then call again.
   * Completing the future ends the watch.
   */
  default CompletableFuture<Void> whenMoved(Optional<PrimaryAddress> from) {
    return new CompletableFuture<>();
  }

  /** Returns a source with one address. */
  static AddressSource fixed(InetSocketAddress address) {
    return ofAny(List.of(address));
  }

  /**
   * Returns a source with several transaction managers of which the primary is unknown: it returns
   * one after the other, and backups reject the client.
   *
   * @throws IllegalArgumentException if the list is empty
   */
  static AddressSource ofAny(List<InetSocketAddress> addresses) {
    return new KnownAddresses(addresses);
  }
}
