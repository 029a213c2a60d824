package io.lampone.tmclient.discovery;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Configured addresses, in turn. */
final class KnownAddresses implements AddressSource {

  private final List<InetSocketAddress> addresses;

  /** Number of queries; any thread. */
  private final AtomicInteger asked = new AtomicInteger();

  KnownAddresses(List<InetSocketAddress> addresses) {
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("no address of a transaction manager");
    }
    this.addresses = List.copyOf(addresses);
  }

  @Override
  public CompletableFuture<Optional<PrimaryAddress>> find() {
    int turn = Math.floorMod(asked.getAndIncrement(), addresses.size());
    return CompletableFuture.completedFuture(Optional.of(PrimaryAddress.of(addresses.get(turn))));
  }

  @Override
  public String toString() {
    return "addresses=" + addresses;
  }
}
