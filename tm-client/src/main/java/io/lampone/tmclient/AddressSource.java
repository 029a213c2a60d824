package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tells where the primary transaction manager answers. Asked anew before each connection. */
public interface AddressSource {

  /**
   * Looks the address up, resolved. Completes on any thread, with nothing while there is no
   * primary; must not block the caller.
   */
  CompletableFuture<Optional<InetSocketAddress>> find();

  /** A source that always gives the same address. */
  static AddressSource fixed(InetSocketAddress address) {
    return new FixedAddress(address);
  }
}
