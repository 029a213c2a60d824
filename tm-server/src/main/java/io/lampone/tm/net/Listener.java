package io.lampone.tm.net;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.tm.ManagerRecord;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Goodbye;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.command.Commands;
import io.lampone.tm.command.Traffic;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.security.Authenticator;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Accepts connections on the one event loop. It is bound before the node exists, for a node must
 * not advertise an address where nobody listens; connections that come earlier are refused.
 */
public final class Listener {

  private static final int BACKLOG = 1024;

  /** Above the high mark nothing more is read from the client until it is below the low one. */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 1 << 20);

  /** What this server can do beyond its version: a bit stands here once its code does. */
  private static final long CAPABILITIES =
      Capabilities.SECRET | Capabilities.GOODBYE | Capabilities.COMMANDS | Capabilities.TRANSFER;

  private final ServerLimits limits;
  private final Authenticator authenticator;
  private final Reception reception = new FrontDesk();
  private final ServerMetrics metrics;
  private final ChannelGroup connections =
      new DefaultChannelGroup("connections", ImmediateEventExecutor.INSTANCE);
  private final Channel channel;

  // Shared by all connections, for they share the event loop.
  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor requests;
  private final ReplyWriter replies = new ReplyWriter();

  /** Replies written that no socket has taken yet; event loop only. */
  private int outstanding;

  /** Set before the first connection is let in; event loop only. */
  private Optional<ManagerNode> node = Optional.empty();

  /** What may be told to this server; set with the node. */
  private Commands commands = new Commands();

  /** Whether what clients send is kept for the moment; event loop only. */
  private boolean paused;

  /**
   * Binds.
   *
   * @param loop of {@code transport}
   * @throws IOException if the address cannot be bound
   */
  public Listener(
      Transport transport,
      EventLoopGroup loop,
      InetSocketAddress bind,
      ServerLimits limits,
      Authenticator authenticator,
      MetricRegistry registry)
      throws IOException {
    this.limits = limits;
    this.authenticator = authenticator;
    this.metrics = new ServerMetrics(registry);
    this.requests = new RequestCursor(limits.maxMessages());
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .channel(transport.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(new Initializer());
    var bound = bootstrap.bind(bind).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen, address=" + bind, bound.cause());
    }
    channel = bound.channel();
  }

  /** Where this listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Lets requests in; event loop only. */
  public void serve(ManagerNode servedNode, Commands servedCommands) {
    node = Optional.of(servedNode);
    commands = servedCommands;
  }

  /** Keeps what clients send until {@link #resume}; event loop only. */
  public void pause() {
    paused = true;
    forEach(Gate.class, Gate::shut);
  }

  /** Goes on with what clients have sent meanwhile; event loop only. */
  public void resume() {
    paused = false;
    forEach(Gate.class, Gate::open);
  }

  /** Stops listening, and tells every client that can hear it where to go; event loop only. */
  public void leave(Goodbye goodbye) {
    channel.close();
    forEach(Connection.class, (connection, context) -> connection.leave(context, goodbye));
    resume();
  }

  /** Stops listening and closes every connection. */
  public void close() {
    channel.close();
    connections.close();
  }

  /** Number of open connections. */
  public int connections() {
    return connections.size();
  }

  /** What has been answered. */
  public Traffic traffic() {
    return metrics.traffic();
  }

  /** What greetings go by. */
  private final class FrontDesk implements Reception {

    @Override
    public Authenticator authenticator() {
      return authenticator;
    }

    @Override
    public ServerLimits limits() {
      return limits;
    }

    @Override
    public long capabilities() {
      return CAPABILITIES;
    }

    @Override
    public Optional<ManagerRecord> leading() {
      return node.flatMap(ManagerNode::leading);
    }

    @Override
    public void rejected(Handshake.Reason reason, String claimedPrincipal, Arrival arrival) {
      metrics.rejected(reason);
    }
  }

  private <T extends ChannelHandler> void forEach(
      Class<T> type, BiConsumer<T, ChannelHandlerContext> action) {
    for (Channel connection : connections) {
      ChannelHandlerContext context = connection.pipeline().context(type);
      if (context != null) {
        action.accept(type.cast(context.handler()), context);
      }
    }
  }

  Commands commands() {
    return commands;
  }

  Optional<ManagerNode> node() {
    return node;
  }

  ServerLimits limits() {
    return limits;
  }

  ServerMetrics metrics() {
    return metrics;
  }

  FrameWriter writer() {
    return writer;
  }

  RequestCursor requests() {
    return requests;
  }

  ReplyWriter replies() {
    return replies;
  }

  /** Whether so many more replies may wait to be taken. */
  boolean admits(int replies) {
    return outstanding + replies <= limits.maxOutstanding();
  }

  void addOutstanding(int replies) {
    outstanding += replies;
  }

  private final class Initializer extends ChannelInitializer<SocketChannel> {

    @Override
    protected void initChannel(SocketChannel socket) {
      boolean full = connections.size() >= limits.maxConnections();
      connections.add(socket);
      Greeting greeting = new Greeting(reception, new SocketArrival(socket, writer, full));
      socket.pipeline().addLast(new Gate(paused), new Connection(Listener.this, greeting));
    }
  }
}
