package io.lampone.tmclient.netty;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.tmclient.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoop;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;

/** Opens connections: with epoll if available, and TLS if configured. */
public final class NettyTransport implements Transport {

  private static final long STOP_TIMEOUT_MILLIS = 5_000;

  private final EventLoop loop;
  private final Duration connectTimeout;
  private final Optional<TlsFiles> tls;
  private final int maxHandshakeBytes;

  /**
   * @throws IllegalArgumentException if a file for TLS does not have the expected content
   */
  public NettyTransport(EventLoop loop, Duration connectTimeout, ClientSecurity security) {
    this.loop = loop;
    this.connectTimeout = connectTimeout;
    this.tls = security.tls().map(TlsFiles::new);
    this.maxHandshakeBytes = security.maxHandshakeBytes();
  }

  /** Creates a group of one thread. */
  public static EventLoopGroup group() {
    DefaultThreadFactory threads = new DefaultThreadFactory("lampone-tm-client", true);
    return Epoll.isAvailable()
        ? new EpollEventLoopGroup(1, threads)
        : new NioEventLoopGroup(1, threads);
  }

  /** Stops a group and waits for it, for a bounded time. */
  public static void stop(EventLoopGroup group) {
    group
        .shutdownGracefully(0, STOP_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_TIMEOUT_MILLIS);
  }

  /** Stops a group and then runs {@code afterwards}; does not wait on a thread of the group. */
  public static void stop(EventLoopGroup group, Runnable afterwards) {
    Runnable stop =
        () -> {
          stop(group);
          afterwards.run();
        };
    if (StreamSupport.stream(group.spliterator(), false).anyMatch(EventExecutor::inEventLoop)) {
      new Thread(stop, "lampone-tm-client-stop").start();
    } else {
      stop.run();
    }
  }

  @Override
  public CompletableFuture<InetSocketAddress> resolve(InetSocketAddress address) {
    String host = address.getHostString();
    Supplier<InetSocketAddress> resolved = () -> new InetSocketAddress(host, address.getPort());
    return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)
        ? CompletableFuture.completedFuture(resolved.get())
        : CompletableFuture.supplyAsync(resolved, NettyTransport::onOwnThread);
  }

  /** Runs a look-up outside the common pool, whose threads may all be waiting for the primary. */
  public static void onOwnThread(Runnable lookUp) {
    Thread thread = new Thread(lookUp, "lampone-tm-resolver");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void connect(InetSocketAddress address, Listener listener) {
    new Bootstrap()
        .group(loop)
        .channel(channelOf(loop))
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(connectTimeout.toMillis()))
        .handler(new Initializer(address, listener))
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                listener.refused(
                    "cannot connect, address="
                        + address
                        + " cause="
                        + connected.cause().getMessage());
              }
            });
  }

  private static Class<? extends Channel> channelOf(EventLoop loop) {
    return loop instanceof NioEventLoop ? NioSocketChannel.class : EpollSocketChannel.class;
  }

  private final class Initializer extends ChannelInitializer<SocketChannel> {

    private final InetSocketAddress address;
    private final Listener listener;

    Initializer(InetSocketAddress address, Listener listener) {
      this.address = address;
      this.listener = listener;
    }

    @Override
    protected void initChannel(SocketChannel socket) {
      tls.ifPresent(
          files ->
              socket
                  .pipeline()
                  .addLast(
                      files
                          .context()
                          .newHandler(socket.alloc(), address.getHostString(), address.getPort())));
      socket.pipeline().addLast(new FrameDecoder(maxHandshakeBytes), new NettyConnection(listener));
    }
  }
}
