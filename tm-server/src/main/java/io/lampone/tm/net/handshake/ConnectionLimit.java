package io.lampone.tm.net.handshake;

import io.lampone.protocol.time.Clock;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Limits the number of unfinished handshakes, in total and per remote address. Above a limit, the
 * oldest connection is closed: a client that makes progress has finished by then, and one that
 * stalls does not keep others out. While the oldest one of an address is young, the new one is
 * closed instead: many clients that arrive at once would else end each other's handshakes for ever.
 * Event loop only.
 */
public final class ConnectionLimit {

  private final int limit;
  private final int limitOfAddress;
  private final Duration grace;
  private final Clock clock;

  /** Oldest first, with the times of their last progress. */
  private final Map<Channel, Long> channels = new LinkedHashMap<>();

  /**
   * @param grace time in which a connection is not closed for another one of its address
   */
  public ConnectionLimit(int limit, int limitOfAddress, Duration grace, Clock clock) {
    this.limit = limit;
    this.limitOfAddress = limitOfAddress;
    this.grace = grace;
    this.clock = clock;
  }

  /** Adds a connection; returns true if one was closed. */
  public boolean add(Channel channel) {
    long now = clock.monotonicNanos();
    channels.put(channel, now);
    Optional<InetAddress> address = addressOf(channel).filter(from -> !from.isLoopbackAddress());
    if (address.isPresent() && ofAddress(address).count() > limitOfAddress) {
      Channel oldest = ofAddress(address).findFirst().orElseThrow();
      evict(now - channels.getOrDefault(oldest, now) < grace.toNanos() ? channel : oldest);
      return true;
    }
    if (channels.size() > limit) {
      evict(channels.keySet().iterator().next());
      return true;
    }
    return false;
  }

  private Stream<Channel> ofAddress(Optional<InetAddress> address) {
    return channels.keySet().stream().filter(other -> addressOf(other).equals(address));
  }

  private void evict(Channel channel) {
    channels.remove(channel);
    channel.close();
  }

  private static Optional<InetAddress> addressOf(Channel channel) {
    return channel.remoteAddress() instanceof InetSocketAddress from
        ? Optional.ofNullable(from.getAddress())
        : Optional.empty();
  }

  /** Removes a connection that has finished or closed; no effect if already removed. */
  public void remove(Channel channel) {
    channels.remove(channel);
  }

  /** Makes the connection the newest if present, because it has made progress. */
  public void renew(Channel channel) {
    if (channels.remove(channel) != null) {
      channels.put(channel, clock.monotonicNanos());
    }
  }

  int size() {
    return channels.size();
  }
}
