package io.lampone.tmclient;

import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An address that was configured. */
record FixedAddress(InetSocketAddress address) implements AddressSource {

  @Override
  public CompletableFuture<Optional<InetSocketAddress>> find() {
    return CompletableFuture.completedFuture(Optional.of(address));
  }
}
