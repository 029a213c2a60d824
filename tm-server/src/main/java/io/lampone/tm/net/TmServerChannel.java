package io.lampone.tm.net;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.tm.admission.Admission;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.admission.Tenants;
import io.lampone.tm.command.Commands;
import io.lampone.tm.command.RegionServerReport;
import io.lampone.tm.command.Traffic;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.metrics.ClientWorkTotals;
import io.lampone.tm.metrics.RegionServerValues;
import io.lampone.tm.net.handshake.AcceptRateLimiter;
import io.lampone.tm.net.handshake.AcceptedSocket;
import io.lampone.tm.net.handshake.HandshakeHandler;
import io.lampone.tm.net.handshake.HandshakePolicy;
import io.lampone.tm.net.handshake.TlsGate;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
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
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections on the event loop. It is bound before the node exists, because a node must
 * not advertise an address on which nothing listens; earlier connections are refused.
 */
public final class TmServerChannel {

  private static final Logger LOG = LoggerFactory.getLogger(TmServerChannel.class);

  /** Backlog of connections in the kernel; see {@link AcceptRateLimiter}. */
  private static final int BACKLOG = 4096;

  private static final int LEAST_READ_BYTES = 64;
  private static final int FIRST_READ_BYTES = 2 << 10;

  /** Maximum processors that a storm of TLS handshakes takes from the event loop. */
  private static final int CRYPTOGRAPHY_THREADS = 1;

  /** Maximum handshakes that wait for a thread; a connection has one task at a time. */
  private static final int CRYPTOGRAPHY_QUEUE = 4096;

  private static final int CRYPTOGRAPHY_IDLE_SECONDS = 10;

  /** Above the high mark, reading from the client stops until the low mark is reached. */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(256 << 10, 1 << 20);

  private final ServerLimits limits;
  private final ServerMetrics metrics;
  private final ClientReports clients;
  private final Tenants tenants;
  private final HandshakePolicy desk;
  private final Admission admission;
  private final EventLoopTurns rounds;
  private final PartialFrames partialFrames;

  /** Executes the cryptography of TLS and Kerberos handshakes; has no idle threads. */
  private final ThreadPoolExecutor cryptography;

  private final ChannelGroup connections =
      new DefaultChannelGroup("connections", ImmediateEventExecutor.INSTANCE);
  private final Channel channel;
  private final Future<?> halfFramesLook;

  // Shared by all connections, which share the event loop.
  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor requests;
  private final ReplyWriter replies;

  /** Replies written that no socket has accepted yet; event loop only. */
  private int outstanding;

  /** Set before the first connection is admitted; event loop only. */
  private Optional<ManagerNode> node = Optional.empty();

  /** Commands of this server; set with the node. */
  private Commands commands = new Commands();

  /** True if frames of clients are held back; event loop only. */
  private boolean paused;

  /**
   * Binds the address.
   *
   * @param loop an event loop of {@code transport}
   * @throws IOException if the address cannot be bound
   */
  public TmServerChannel(
      EventLoopTransport transport,
      EventLoopGroup loop,
      InetSocketAddress bind,
      Policies policies,
      MetricRegistry registry,
      Clock clock)
      throws IOException {
    this.limits = policies.limits();
    this.metrics = new ServerMetrics(registry, clock);
    this.requests = new RequestCursor(limits.maxMessages());
    this.replies = new ReplyWriter(policies.security().proofs());
    this.tenants = new Tenants(policies.quotas(), clock);
    this.desk =
        new HandshakePolicy(
            policies, tenants, clock, () -> node.flatMap(ManagerNode::leading), metrics);
    this.clients = new ClientReports(connections, desk, clock, new ClientWorkTotals(registry));
    registry.gauge(
        "lampone.region-servers",
        () ->
            () ->
                new RegionServerValues(
                    clients.regionServers().stream().map(RegionServerReport::report).toList()));
    this.cryptography = cryptographyThreads();
    this.admission =
        new Admission(
            policies.admission(),
            limits.maxOutstanding(),
            limits.conflictCapacity(),
            limits.decisionCapacity(),
            clock.monotonicNanos());
    this.rounds = new EventLoopTurns(clock, admission, metrics);
    this.partialFrames = new PartialFrames(desk);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .channel(transport.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.RCVBUF_ALLOCATOR, AcceptRateLimiter.allocator())
            .handler(
                new AcceptRateLimiter(
                    clock,
                    policies.admission().connectionsPerSecond(),
                    () -> node.flatMap(ManagerNode::leading).isPresent()))
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(
                ChannelOption.RCVBUF_ALLOCATOR,
                new AdaptiveRecvByteBufAllocator(
                    LEAST_READ_BYTES, FIRST_READ_BYTES, Connection.TURN_BYTES))
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
            .childHandler(new Initializer());
    transport.lookAfterIdle(bootstrap);
    var bound = bootstrap.bind(bind).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen, address=" + bind, bound.cause());
    }
    channel = bound.channel();
    halfFramesLook =
        channel
            .eventLoop()
            .scheduleWithFixedDelay(
                () -> partialFrames.look(clock.monotonicNanos()),
                PartialFrames.LOOK_SECONDS,
                PartialFrames.LOOK_SECONDS,
                TimeUnit.SECONDS);
  }

  /** Returns the address listened on. */
  public InetSocketAddress address() {
    return (InetSocketAddress) channel.localAddress();
  }

  /** Starts admitting requests; event loop only. */
  public void serve(ManagerNode servedNode, Commands servedCommands) {
    node = Optional.of(servedNode);
    commands = servedCommands;
  }

  /** Holds back clients' input until {@link #resume}; event loop only. */
  public void pause() {
    paused = true;
    forEach(PausableInbound.class, (gate, context) -> gate.shut());
  }

  /** Processes the input held back; event loop only. */
  public void resume() {
    paused = false;
    forEach(PausableInbound.class, PausableInbound::open);
    forEach(Connection.class, Connection::goOn);
  }

  /** Stops listening, and sends {@code goodbye} to clients that support it; event loop only. */
  public void leave(GoAway goodbye) {
    channel.close();
    forEach(Connection.class, (connection, context) -> connection.leave(context, goodbye));
    resume();
  }

  /** Stops listening and closes every connection. */
  public void close() {
    channel.close();
    connections.close();
    halfFramesLook.cancel(false);
    cryptography.shutdownNow();
  }

  /** Returns the number of open connections. */
  public int connections() {
    return connections.size();
  }

  /** Returns the number of answered requests. */
  public Traffic traffic() {
    return metrics.traffic();
  }

  /** Returns the reports on connected clients. */
  public ClientReports clients() {
    return clients;
  }

  /** Returns the tenants with their use and limits; event loop only. */
  public List<Tenant> tenants() {
    return tenants.all();
  }

  /** Returns the delay of requests at the event loop; event loop only. */
  public long delayNanos() {
    return admission.delayNanos();
  }

  /** Returns the number of connections in the handshake; event loop only. */
  public int pendingHandshakes() {
    return desk.pendingHandshakes();
  }

  /** Closes connections whose credentials would no longer be accepted; event loop only. */
  public void reviewGuests() {
    for (Channel connection : connections) {
      Connection client = connection.pipeline().get(Connection.class);
      if (client != null
          && client
              .clientSession()
              .filter(ClientSession::isProved)
              .filter(clientSession -> !clientSession.stands(desk.authenticator()))
              .isPresent()) {
        LOG.info(
            "the principals file, or the client's token, no longer lets it in, remote={}",
            connection.remoteAddress());
        connection.close();
      }
    }
  }

  /** Applies other quotas, also to connected clients; event loop only. */
  public void apply(Quotas quotas) {
    tenants.apply(quotas);
    forEach(
        Connection.class,
        (connection, context) ->
            connection.clientSession().ifPresent(clientSession -> clientSession.recount(tenants)));
  }

  HandshakePolicy desk() {
    return desk;
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

  Admission admission() {
    return admission;
  }

  EventLoopTurns rounds() {
    return rounds;
  }

  PartialFrames partialFrames() {
    return partialFrames;
  }

  /** Returns the number of replies that no socket has accepted yet. */
  int outstanding() {
    return outstanding;
  }

  /**
   * Adds to the number of outstanding replies; may be negative. When there are so many that
   * requests of others are refused, closes the slowest connection: at once, because with TLS a
   * farewell would wait behind the replies.
   */
  void addOutstanding(int replies) {
    outstanding += replies;
    if (replies > 0 && admission.isCrowded(outstanding)) {
      clients
          .slowest()
          .ifPresent(
              slowest -> {
                desk.dawdled(slowest);
                slowest.unsafe().close(slowest.unsafe().voidPromise());
              });
    }
  }

  /** Returns true if the limit of clients is reached, not counting those in the handshake. */
  private boolean full() {
    return connections.size() - desk.pendingHandshakes() >= limits.maxConnections();
  }

  private static ThreadPoolExecutor cryptographyThreads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            CRYPTOGRAPHY_THREADS,
            CRYPTOGRAPHY_THREADS,
            CRYPTOGRAPHY_IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(CRYPTOGRAPHY_QUEUE),
            new DefaultThreadFactory("lampone-tm-tls", true));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  private final class Initializer extends ChannelInitializer<SocketChannel> {

    @Override
    protected void initChannel(SocketChannel socket) {
      connections.add(socket);
      desk.arrived(socket);
      HandshakeHandler greeting =
          new HandshakeHandler(
              desk,
              new AcceptedSocket(
                  socket, writer, desk.demandsTls(), TmServerChannel.this::full, cryptography));
      ReadControl readControl = new ReadControl(socket.config());
      // Before TLS: held input is raw bytes that have not been processed.
      socket
          .pipeline()
          .addLast(
              new PausableInbound(readControl, paused),
              new TlsGate(desk, cryptography),
              new Connection(TmServerChannel.this, greeting, readControl));
    }
  }
}
