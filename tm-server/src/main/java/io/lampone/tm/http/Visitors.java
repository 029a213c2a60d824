package io.lampone.tm.http;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Open connections, the one that was answered longest ago first. When there are too many, that one
 * has to go: whoever comes is answered in a moment, and whoever only stays should not keep others
 * out. Event loop only.
 */
final class Visitors {

  private final int limit;
  private final Set<Channel> channels = new LinkedHashSet<>();

  Visitors(int limit) {
    this.limit = limit;
  }

  /** Takes one in, and closes another one if there are too many. */
  void add(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(closed -> channels.remove(channel));
    if (channels.size() > limit) {
      Iterator<Channel> oldest = channels.iterator();
      Channel evicted = oldest.next();
      oldest.remove();
      evicted.close();
    }
  }

  /** One has been answered. */
  void answered(Channel channel) {
    if (channels.remove(channel)) {
      channels.add(channel);
    }
  }
}
