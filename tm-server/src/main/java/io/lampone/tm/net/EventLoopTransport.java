package io.lampone.tm.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.ThreadFactory;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Socket transport of the event loop. */
public enum EventLoopTransport {
  /** Direct system calls of Linux; reads and writes do not allocate. */
  EPOLL,
  /** The transport of the JDK, available everywhere. */
  NIO;

  private static final Logger LOG = LoggerFactory.getLogger(EventLoopTransport.class);

  /** With these values, a vanished client is detected after two minutes. */
  static final int KEEP_IDLE_SECONDS = 60;

  private static final int KEEP_INTERVAL_SECONDS = 10;
  private static final int KEEP_COUNT = 6;

  /** Returns epoll if this machine has it and its library can be loaded, else NIO. */
  public static EventLoopTransport best() {
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
   * Starts the event loop.
   *
   * @param busyPoll whether it never blocks: occupies a core, answers some microseconds earlier
   */
  public EventLoopGroup start(String threadName, boolean busyPoll) {
    ThreadFactory threads = new DefaultThreadFactory(threadName, true);
    SelectStrategyFactory waiting =
        busyPoll ? EventLoopTransport::neverWait : DefaultSelectStrategyFactory.INSTANCE;
    return this == EPOLL
        ? new EpollEventLoopGroup(1, threads, waiting)
        : new NioEventLoopGroup(1, threads, SelectorProvider.provider(), waiting);
  }

  /**
   * Enables TCP keepalive. A vanished host sends nothing more, so its connections would otherwise
   * remain open until this process ends. The probes also keep idle connections known to firewalls.
   */
  void lookAfterIdle(ServerBootstrap bootstrap) {
    bootstrap.childOption(ChannelOption.SO_KEEPALIVE, true);
    if (this == EPOLL) {
      bootstrap
          .childOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_IDLE_SECONDS)
          .childOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_INTERVAL_SECONDS)
          .childOption(EpollChannelOption.TCP_KEEPCNT, KEEP_COUNT);
    } else {
      bootstrap
          .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), KEEP_IDLE_SECONDS)
          .childOption(
              NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), KEEP_INTERVAL_SECONDS)
          .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), KEEP_COUNT);
    }
  }

  Class<? extends ServerChannel> serverChannel() {
    return this == EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  Class<? extends SocketChannel> socketChannel() {
    return this == EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /**
   * Polls for events without blocking. Not {@link SelectStrategy#BUSY_WAIT}: while that spins, no
   * scheduled task runs, and a scheduled task renews the lease.
   */
  private static SelectStrategy neverWait() {
    return (selectNow, hasTasks) -> selectNow.get();
  }
}
