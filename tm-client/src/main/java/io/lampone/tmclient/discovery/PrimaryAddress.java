package io.lampone.tmclient.discovery;

import io.lampone.protocol.tm.ManagerRecord;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Address of a primary.
 *
 * @param address resolved when it is connected to
 * @param epoch its term; 0 if unknown
 */
public record PrimaryAddress(InetSocketAddress address, long epoch) {

  /** An address of which nothing else is known. */
  public static PrimaryAddress of(InetSocketAddress address) {
    return new PrimaryAddress(address, 0);
  }

  /**
   * The primary that a record names, as {@code host:port}. One that has given the lease back never
   * answers again, though the record still names it; a record that contradicts itself names none.
   */
  public static Optional<PrimaryAddress> of(ManagerRecord record) {
    return record.released() || record.contradiction().isPresent()
        ? Optional.empty()
        : Addresses.parse(record.address())
            .map(address -> new PrimaryAddress(address, record.epoch()));
  }

  /** Returns true if this is another primary than {@code other}, and not one from before it. */
  public boolean succeeds(PrimaryAddress other) {
    return epoch > other.epoch || (epoch == other.epoch && !address.equals(other.address));
  }
}
