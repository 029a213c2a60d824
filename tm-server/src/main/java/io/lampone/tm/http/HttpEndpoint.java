package io.lampone.tm.http;

import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.net.LogBudget;
import io.lampone.tm.net.handshake.ConnectionLimit;
import io.lampone.tm.security.Security;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves a few read-only pages over HTTP on a dedicated thread, so that requests for metrics and
 * transactions do not delay each other. With TLS the port accepts both TLS and plain connections,
 * distinguished by their first byte.
 */
public final class HttpEndpoint implements AutoCloseable {

  private static final int MAX_CONNECTIONS = 64;
  private static final int MAX_CONNECTIONS_OF_ADDRESS = 16;
  private static final int BACKLOG = 64;
  private static final int MAX_LINE_BYTES = 2 << 10;
  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_CHUNK_BYTES = 1 << 10;

  /** Maximum body of a request, which no page needs. */
  private static final int MAX_BODY_BYTES = 1 << 10;

  /** Maximum read, which with the previous request bounds the memory of a connection. */
  private static final int READ_BYTES = 4 << 10;

  private static final int STOP_MILLIS = 1_000;

  private final EventLoopGroup thread =
      new NioEventLoopGroup(1, new DefaultThreadFactory("lampone-http", true));

  /** Executes the signatures of handshakes. One task per connection at a time. */
  private final ExecutorService cryptography =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("lampone-http-tls", true));

  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Initializer initializer;
  private final Channel channel;

  /**
   * Starts listening for a transaction manager's pages.
   *
   * @param security source of the certificate; without one the port is plain
   * @param pages the pages by path; called on the thread of this endpoint
   * @throws IOException if the address cannot be bound, or the token's file cannot be read
   * @throws IllegalArgumentException if the token's file is unusable
   */
  public static HttpEndpoint open(
      HttpSettings settings, Security security, Map<String, Supplier<HttpPage>> pages)
      throws IOException {
    HttpAccess access = MonitoringAccess.of(settings, security.demandsTls());
    InetSocketAddress address = new InetSocketAddress(settings.host(), settings.port());
    try {
      return new HttpEndpoint(address, access, security, pages);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen for HTTP: choose another lampone.tm.http.port, or -1 for none, address="
              + address,
          e.getCause());
    }
  }

  /**
   * Starts listening.
   *
   * @param security source of the certificate; without one the port is plain
   * @param pages the pages by path; called on the thread of this endpoint
   * @throws IOException if the address cannot be bound
   */
  public HttpEndpoint(
      InetSocketAddress address,
      HttpAccess access,
      Security security,
      Map<String, Supplier<HttpPage>> pages)
      throws IOException {
    initializer = new Initializer(Map.copyOf(pages), access, security);
    var bound =
        new ServerBootstrap()
            .group(thread)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(
                ChannelOption.RCVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1))
            .childHandler(initializer)
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      thread.shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS);
      throw new IOException("cannot listen on " + address, bound.cause());
    }
    channel = bound.channel();
  }

  /** Returns the port on which it listens. */
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** Returns the initializer of connections. */
  ChannelInitializer<Channel> initializer() {
    return initializer;
  }

  @Override
  public void close() {
    channel.close();
    connections.close();
    cryptography.shutdownNow();
    thread
        .shutdownGracefully(0, STOP_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(STOP_MILLIS);
  }

  /** Accepts connections with and without TLS. */
  private final class TlsOrPlainHandler extends OptionalSslHandler {

    TlsOrPlainHandler(SslContext context) {
      super(context);
    }

    @Override
    protected SslHandler newSslHandler(ChannelHandlerContext context, SslContext sslContext) {
      return sslContext.newHandler(context.alloc(), cryptography);
    }
  }

  private final class Initializer extends ChannelInitializer<Channel> {

    private final Map<String, Supplier<HttpPage>> pages;
    private final HttpAccess access;
    private final Security security;
    private final LogBudget refusals = new LogBudget(SystemClock.INSTANCE);
    private final LogBudget failures = new LogBudget(SystemClock.INSTANCE);
    private final ConnectionLimit limit =
        new ConnectionLimit(
            MAX_CONNECTIONS, MAX_CONNECTIONS_OF_ADDRESS, Duration.ZERO, SystemClock.INSTANCE);

    Initializer(Map<String, Supplier<HttpPage>> pages, HttpAccess access, Security security) {
      this.pages = pages;
      this.access = access;
      this.security = security;
    }

    @Override
    protected void initChannel(Channel socket) {
      connections.add(socket);
      limit.add(socket);
      socket.closeFuture().addListener(closed -> limit.remove(socket));
      Patience patience = new Patience(socket);
      socket.pipeline().addLast(patience);
      security
          .tls()
          .ifPresent(tls -> socket.pipeline().addLast(new TlsOrPlainHandler(tls.context())));
      socket
          .pipeline()
          .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_CHUNK_BYTES))
          .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
          .addLast(new FlowControlHandler())
          .addLast(new HttpConnection(pages, access, patience, limit, refusals, failures));
    }
  }
}
