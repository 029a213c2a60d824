package io.lampone.tm.net;

import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How the event loop talks to sockets. */
public enum Transport {
  /** System calls of Linux, made directly; reads and writes need no object at all. */
  EPOLL,
  /** What every JVM has. */
  NIO;

  private static final Logger LOG = LoggerFactory.getLogger(Transport.class);

  /** Epoll if this machine has it and its library can be loaded, else NIO. */
  public static Transport best() {
    if (Epoll.isAvailable()) {
      LOG.info("transport chosen, transport={}", EPOLL);
      return EPOLL;
    }
    LOG.info(
        "transport chosen, transport={} epollUnavailableBecause={}",
        NIO,
        String.valueOf(Epoll.unavailabilityCause()));
    return NIO;
  }

  /**
   * Starts the one event loop.
   *
   * @param busyPoll whether it never sleeps: takes a core for itself, answers some microseconds
   *     earlier
   */
  public EventLoopGroup start(String threadName, boolean busyPoll) {
    ThreadFactory threads = new DefaultThreadFactory(threadName, true);
    SelectStrategyFactory waiting =
        busyPoll ? Transport::neverWait : DefaultSelectStrategyFactory.INSTANCE;
    return this == EPOLL
        ? new EpollEventLoopGroup(1, threads, waiting)
        : new NioEventLoopGroup(1, threads, SelectorProvider.provider(), waiting);
  }

  Class<? extends ServerChannel> serverChannel() {
    return this == EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /**
   * Looks for events without waiting for one. Not {@link SelectStrategy#BUSY_WAIT}: while that
   * spins for an event nothing scheduled runs, and the lease is renewed by something scheduled.
   */
  private static SelectStrategy neverWait() {
    return (selectNow, hasTasks) -> selectNow.get();
  }
}
