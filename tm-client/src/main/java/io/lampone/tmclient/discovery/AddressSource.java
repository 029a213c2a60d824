package io.lampone.tmclient.discovery;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Source of the primary transaction manager's address. Queried anew before each connection. */
public interface AddressSource {

  /**
   * Looks the address up. Completes on any thread, with nothing while there is no primary; must not
   * block the caller.
   */
  CompletableFuture<Optional<PrimaryAddress>> find();

  /**
   * Completes, on any thread, when there is another primary than {@code from}; at once if there is
   * one already. Fails if the source cannot tell any longer; whoever asks may then ask again.
   * Completing the future ends the watch.
   */
  default CompletableFuture<Void> whenMoved(Optional<PrimaryAddress> from) {
    return new CompletableFuture<>();
  }

  /** A source that knows one address. */
  static AddressSource fixed(InetSocketAddress address) {
    return ofAny(List.of(address));
  }

  /**
   * A source that knows several transaction managers and not which of them is the primary: it names
   * one after the other, and the backups turn the client away.
   *
   * @throws IllegalArgumentException if the list is empty
   */
  static AddressSource ofAny(List<InetSocketAddress> addresses) {
    return new KnownAddresses(addresses);
  }
}
