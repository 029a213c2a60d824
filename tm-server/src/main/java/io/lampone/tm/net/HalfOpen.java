package io.lampone.tm.net;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Connections in the handshake, oldest first. When there are too many, the oldest one has to go:
 * who means it is through in a round trip, and who does not should not keep others out until its
 * time is up. Event loop only.
 */
final class HalfOpen {

  private final int limit;
  private final Set<Channel> channels = new LinkedHashSet<>();

  HalfOpen(int limit) {
    this.limit = limit;
  }

  /** Takes one in; says whether another one was closed for it. */
  boolean add(Channel channel) {
    channels.add(channel);
    if (channels.size() <= limit) {
      return false;
    }
    Iterator<Channel> oldest = channels.iterator();
    Channel evicted = oldest.next();
    oldest.remove();
    evicted.close();
    return true;
  }

  /** It is through, or gone. */
  void remove(Channel channel) {
    channels.remove(channel);
  }

  int size() {
    return channels.size();
  }
}
