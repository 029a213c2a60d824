package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Brings calls to the primary and their answers back, over one connection after another. Event loop
 * only.
 *
 * <p>A call is in exactly one place: among those to send, under way on the connection, or paused
 * because the server asked for it. Whatever ends a connection puts what was under way back among
 * those to send.
 *
 * <p>Requests are combined by the number of frames under way, not by a timer: the first one leaves
 * at once, and those that come while the allowed number of frames is under way leave together with
 * the next answer. So the batch grows with the load and costs nobody any waiting when there is
 * none.
 */
final class Dispatcher implements ServerConnection.Owner {

  /** A call that was lost with this many connections travels alone: it may be what ended them. */
  private static final int SENDINGS_BEFORE_ALONE = 2;

  /** A call that was lost with this many connections is given up. */
  private static final int MAX_SENDINGS = 10;

  private final TransactionManagerClientConfig config;
  private final AddressSource source;
  private final EventLoop loop;
  private final Clock clock;
  private final Backoff backoff;
  private final FrameWriter writer = new FrameWriter();

  /** Told when a call is about to be completed or failed, so that its place is free by then. */
  private final Runnable done;

  private final Deque<Call> toSend = new ArrayDeque<>();
  private final Set<Call> paused = new HashSet<>();

  /** The connection on which the server has agreed to talk. */
  private Optional<ServerConnection> connection = Optional.empty();

  /** The connection that is being made. */
  private Optional<ServerConnection> candidate = Optional.empty();

  /** The present attempt to connect; whatever belongs to an earlier one is out of date. */
  private long attempt;

  /** Whether an attempt or the pause before it is under way. */
  private boolean connecting;

  private boolean closed;

  /** The id of the next request: never used again, on whatever connection. */
  private long nextId = 1;

  private String lastProblem = "none";

  Dispatcher(
      TransactionManagerClientConfig config,
      AddressSource source,
      EventLoop loop,
      Clock clock,
      Random random,
      Runnable done) {
    this.config = config;
    this.source = source;
    this.loop = loop;
    this.clock = clock;
    this.backoff = new Backoff(config.backoffCap(), random);
    this.done = done;
  }

  /** Takes a call over. It is sent by the next {@link #pump}. */
  void add(Call call) {
    if (closed) {
      fail(call, Kind.CLOSED, "client of the transaction manager is closed");
    } else {
      toSend.add(call);
    }
  }

  /** Sends what may be sent now; connects if there is nothing to send it on. */
  void pump() {
    if (closed || toSend.isEmpty()) {
      return;
    }
    if (connection.isEmpty()) {
      if (!connecting) {
        connect();
      }
      return;
    }
    ServerConnection open = connection.get();
    while (!toSend.isEmpty() && open.batchesInFlight() < config.maxBatchesInFlight()) {
      List<Call> batch = nextBatch(open);
      if (!batch.isEmpty()) {
        long firstId = nextId;
        nextId += batch.size();
        open.send(batch, firstId, clock.monotonicNanos());
      }
    }
  }

  /** Gives up calls whose time is up, and a connection on which nothing comes back. */
  void sweep() {
    long now = clock.monotonicNanos();
    Iterator<Call> calls = toSend.iterator();
    List<Call> expired = new ArrayList<>();
    while (calls.hasNext()) {
      Call call = calls.next();
      if (call.isExpired(now)) {
        calls.remove();
        expired.add(call);
      }
    }
    connection.ifPresent(open -> expired.addAll(open.removeExpired(now)));
    expired.forEach(this::failExpired);
    long stalledSince = now - config.stallTimeout().toNanos();
    connection
        .filter(open -> open.hasWaitedSince(stalledSince))
        .ifPresent(open -> open.end("server does not answer"));
    pump();
  }

  /** Fails everything and ends the connection. */
  void close() {
    closed = true;
    attempt++;
    candidate.ifPresent(made -> made.end("closed"));
    List<Call> calls = new ArrayList<>(toSend);
    toSend.clear();
    calls.addAll(paused);
    paused.clear();
    connection.ifPresent(open -> calls.addAll(open.removeAll()));
    connection.ifPresent(open -> open.end("closed"));
    for (Call call : calls) {
      fail(call, Kind.CLOSED, "client of the transaction manager has been closed");
    }
  }

  @Override
  public void opened(ServerConnection opened) {
    connecting = false;
    candidate = Optional.empty();
    connection = Optional.of(opened);
    pump();
  }

  @Override
  public void rejected(ServerConnection rejected, Handshake.Reject reject) {
    candidate = Optional.empty();
    switch (reject.reason()) {
      case VERSION -> {
        connecting = false;
        failAll(
            Kind.INCOMPATIBLE,
            "no version of the protocol in common; upgrade the older side, clientVersions="
                + range(FrameLayout.LOWEST_VERSION, FrameLayout.VERSION)
                + " serverVersions="
                + range(reject.lowestVersion(), reject.highestVersion()));
      }
      case CREDENTIAL -> {
        connecting = false;
        failAll(Kind.REJECTED, "transaction manager refuses this client, text=" + reject.text());
      }
      case NOT_PRIMARY, FULL -> retryLater("refused by the server: " + reject.text());
    }
  }

  @Override
  public void answered(Call call, WireReply reply) {
    backoff.reset();
    if (!(reply instanceof WireReply.Failed failed)) {
      if (!call.isAnsweredBy(reply)) {
        toSend.add(call);
        throw new MalformedException("reply does not answer its request, id=" + reply.id());
      }
      done.run();
      call.complete(reply);
      return;
    }
    switch (failed.failure()) {
      case OVERLOADED -> pause(call, failed.retryAfterMillis());
      case BAD_TIMESTAMP ->
          fail(call, Kind.REJECTED, "start timestamp that was never issued; see the caller");
    }
  }

  @Override
  public void answeredBatch(ServerConnection answering) {
    pump();
  }

  @Override
  public void lost(ServerConnection lost, String problem) {
    for (Call call : lost.removeAll()) {
      if (call.sendings() >= MAX_SENDINGS) {
        fail(
            call,
            Kind.UNAVAILABLE,
            "connection lost each time that the request was sent, sendings="
                + call.sendings()
                + " lastProblem="
                + problem);
      } else {
        toSend.addFirst(call);
      }
    }
    connection = Optional.empty();
    candidate = Optional.empty();
    retryLater(problem);
  }

  private List<Call> nextBatch(ServerConnection open) {
    List<Call> batch = new ArrayList<>();
    int bytes = WireRequest.batchHeadBytes();
    while (!toSend.isEmpty() && batch.size() < open.maxMessages()) {
      Call call = toSend.peek();
      boolean alone = call.sendings() >= SENDINGS_BEFORE_ALONE;
      int size = call.size();
      if (size > open.maxFrameBytes() - WireRequest.batchHeadBytes()) {
        toSend.remove();
        fail(
            call,
            Kind.REJECTED,
            "request too long: the transaction writes too much, bytes="
                + size
                + " limit="
                + open.maxFrameBytes());
        continue;
      }
      if (!batch.isEmpty() && (alone || bytes + size > open.maxFrameBytes())) {
        break;
      }
      batch.add(toSend.remove());
      bytes += size;
      if (alone) {
        break;
      }
    }
    return batch;
  }

  private void connect() {
    connecting = true;
    long mine = ++attempt;
    loop.schedule(
        () -> {
          if (attempt == mine && connecting) {
            giveUpConnecting("finding the primary and connecting took too long");
          }
        },
        config.connectTimeout().toMillis(),
        TimeUnit.MILLISECONDS);
    source
        .find()
        .whenCompleteAsync(
            (found, failure) -> {
              if (attempt != mine || closed) {
                return;
              }
              if (failure != null) {
                retryLater("looking for the primary failed: " + failure.getMessage());
              } else if (found.isEmpty()) {
                retryLater("there is no primary at the moment");
              } else {
                connectTo(found.get(), mine);
              }
            },
            loop);
  }

  private void giveUpConnecting(String problem) {
    if (candidate.isPresent()) {
      candidate.get().end(problem);
    } else {
      retryLater(problem);
    }
  }

  private void connectTo(InetSocketAddress address, long mine) {
    ServerConnection made = new ServerConnection(new AttemptOwner(mine), writer);
    candidate = Optional.of(made);
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(
            ChannelOption.CONNECT_TIMEOUT_MILLIS,
            Math.toIntExact(config.connectTimeout().toMillis()))
        .handler(new Initializer(made))
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                made.end("cannot connect, address=" + address);
              }
            });
  }

  private void retryLater(String problem) {
    lastProblem = problem;
    connecting = true;
    long mine = ++attempt;
    loop.schedule(
        () -> {
          if (attempt == mine && !closed) {
            connecting = false;
            pump();
          }
        },
        backoff.nextDelayNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void pause(Call call, int millis) {
    paused.add(call);
    loop.schedule(
        () -> {
          if (!paused.remove(call)) {
            return;
          }
          if (call.isExpired(clock.monotonicNanos())) {
            failExpired(call);
          } else {
            toSend.add(call);
            pump();
          }
        },
        Math.max(1, millis),
        TimeUnit.MILLISECONDS);
  }

  private void failExpired(Call call) {
    fail(
        call,
        Kind.UNAVAILABLE,
        "no transaction manager answered in time; check that one runs and that it and this client"
            + " use the same ZooKeeper and parent znode, waited="
            + config.requestTimeout()
            + " source="
            + source
            + " lastProblem="
            + lastProblem);
  }

  private void failAll(Kind kind, String message) {
    lastProblem = message;
    List<Call> calls = new ArrayList<>(toSend);
    toSend.clear();
    calls.forEach(call -> fail(call, kind, message));
  }

  private void fail(Call call, Kind kind, String message) {
    done.run();
    call.fail(new TransactionManagerException(kind, message));
  }

  private static String range(int lowest, int highest) {
    return lowest + ".." + highest;
  }

  /** Drops what comes from a connection whose attempt is out of date. */
  private final class AttemptOwner implements ServerConnection.Owner {

    private final long mine;

    AttemptOwner(long mine) {
      this.mine = mine;
    }

    @Override
    public void opened(ServerConnection opened) {
      if (attempt == mine) {
        Dispatcher.this.opened(opened);
      } else {
        opened.end("too late");
      }
    }

    @Override
    public void rejected(ServerConnection rejected, Handshake.Reject reject) {
      if (attempt == mine) {
        Dispatcher.this.rejected(rejected, reject);
      }
    }

    @Override
    public void answered(Call call, WireReply reply) {
      Dispatcher.this.answered(call, reply);
    }

    @Override
    public void answeredBatch(ServerConnection answering) {
      Dispatcher.this.answeredBatch(answering);
    }

    @Override
    public void lost(ServerConnection lost, String problem) {
      if (attempt == mine) {
        Dispatcher.this.lost(lost, problem);
      }
    }
  }

  private static final class Initializer extends ChannelInitializer<SocketChannel> {

    private final ServerConnection handler;

    Initializer(ServerConnection handler) {
      this.handler = handler;
    }

    @Override
    protected void initChannel(SocketChannel socket) {
      LengthFieldBasedFrameDecoder cutter =
          new LengthFieldBasedFrameDecoder(
              FrameLayout.HIGHEST_MAX_FRAME_BYTES,
              FrameLayout.LENGTH_OFFSET,
              Integer.BYTES,
              FrameLayout.HEAD_BYTES - Integer.BYTES,
              0);
      socket.pipeline().addLast(cutter, handler);
    }
  }
}
