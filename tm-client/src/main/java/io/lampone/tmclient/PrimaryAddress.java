package io.lampone.tmclient;

import java.net.InetSocketAddress;

/**
 * Where a primary answers.
 *
 * @param address resolved when it is connected to
 * @param epoch its term; 0 if nobody has told
 */
public record PrimaryAddress(InetSocketAddress address, long epoch) {

  /** An address of which nothing else is known. */
  public static PrimaryAddress of(InetSocketAddress address) {
    return new PrimaryAddress(address, 0);
  }

  /** Whether this is another primary than {@code other}, and not one from before it. */
  boolean succeeds(PrimaryAddress other) {
    return epoch > other.epoch || (epoch == other.epoch && !address.equals(other.address));
  }
}
