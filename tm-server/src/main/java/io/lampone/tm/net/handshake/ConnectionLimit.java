package io.lampone.tm.net.handshake;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Limits the number of unfinished handshakes, in total and per remote address. Above a limit, the
 * oldest connection is closed: a client that makes progress has finished by then, and one that
 * stalls does not keep others out. Event loop only.
 */
public final class ConnectionLimit {

  private final int limit;
  private final int limitOfAddress;

  /** Oldest first. */
  private final Set<Channel> channels = new LinkedHashSet<>();

  public ConnectionLimit(int limit, int limitOfAddress) {
    this.limit = limit;
    this.limitOfAddress = limitOfAddress;
  }

  /** Adds a connection; returns true if another one was closed for it. */
  public boolean add(Channel channel) {
    channels.add(channel);
    Optional<InetAddress> address = addressOf(channel).filter(from -> !from.isLoopbackAddress());
    if (address.isPresent() && ofAddress(address).count() > limitOfAddress) {
      evict(ofAddress(address).findFirst().orElseThrow());
      return true;
    }
    if (channels.size() > limit) {
      evict(channels.iterator().next());
      return true;
    }
    return false;
  }

  private Stream<Channel> ofAddress(Optional<InetAddress> address) {
    return channels.stream().filter(other -> addressOf(other).equals(address));
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
    if (channels.remove(channel)) {
      channels.add(channel);
    }
  }

  int size() {
    return channels.size();
  }
}
