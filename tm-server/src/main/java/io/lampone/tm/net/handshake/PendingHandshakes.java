package io.lampone.tm.net.handshake;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Connections in the handshake, oldest first. When there are too many, the oldest one has to go:
 * who means it is through in a round trip, and who does not should not keep others out until its
 * time is up. Event loop only.
 */
final class PendingHandshakes {

  /** The most from one address, unless it is this machine's own. */
  static final int MAX_OF_ADDRESS = 8;

  private final int limit;
  private final Set<Channel> channels = new LinkedHashSet<>();

  PendingHandshakes(int limit) {
    this.limit = limit;
  }

  /** Takes one in; says whether another one was closed for it. */
  boolean add(Channel channel) {
    channels.add(channel);
    Optional<InetAddress> address = addressOf(channel).filter(from -> !from.isLoopbackAddress());
    if (address.isPresent() && ofAddress(address).count() > MAX_OF_ADDRESS) {
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

  /** It is through, or gone. */
  void remove(Channel channel) {
    channels.remove(channel);
  }

  int size() {
    return channels.size();
  }
}
