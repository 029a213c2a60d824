package io.lampone.tmclient.discovery;

import io.lampone.protocol.tm.ManagerRecord;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Address of a primary.
 *
 * @param address the address, resolved when connecting
 * @param epoch its epoch; 0 if unknown
 */
public record PrimaryAddress(InetSocketAddress address, long epoch) {

  /** Returns an address of unknown epoch. */
  public static PrimaryAddress of(InetSocketAddress address) {
    return new PrimaryAddress(address, 0);
  }

  /**
   * Returns the primary that a record names. Empty for one that has given back the lease and will
   * never answer again, and for a record that contradicts itself.
   */
  public static Optional<PrimaryAddress> of(ManagerRecord record) {
    return record.released() || record.contradiction().isPresent()
        ? Optional.empty()
        : Addresses.parse(record.address())
            .map(address -> new PrimaryAddress(address, record.epoch()));
  }

  /** Returns true if this primary is another one than {@code other} and not an earlier one. */
  public boolean succeeds(PrimaryAddress other) {
    return epoch > other.epoch || (epoch == other.epoch && !address.equals(other.address));
  }
}
