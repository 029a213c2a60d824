package io.lampone.tmclient;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.connect.ClientGreeting;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tmclient.netty.NettyTransport;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to transaction managers, primary or backup, each on a separate connection, for
 * tools. Does not retry: the caller gets the failure.
 */
public final class CommandClient implements AutoCloseable {

  /** There is one command per connection. */
  private static final long COMMAND_ID = 1;

  private final TransactionManagerClientConfig config;
  private final EventLoopGroup group;
  private final Transport transport;
  private final SecureRandom random = new SecureRandom();
  private final FrameWriter writer = new FrameWriter();

  /** Unanswered commands; {@link #close} fails them, whatever the state of the event loop. */
  private final Set<CompletableFuture<CommandAnswer>> waiting = ConcurrentHashMap.newKeySet();

  /**
   * @throws IllegalArgumentException if a configured file does not have the expected content
   */
  public CommandClient(TransactionManagerClientConfig config) {
    this(config, loop -> new NettyTransport(loop, config.connectTimeout(), config.security()));
  }

  CommandClient(TransactionManagerClientConfig config, Function<EventLoop, Transport> transports) {
    this.config = config;
    this.group = NettyTransport.group();
    try {
      this.transport = transports.apply(group.next());
    } catch (RuntimeException e) {
      NettyTransport.stop(group);
      throw e;
    }
  }

  /**
   * Sends a command and waits for the answer for the configured request timeout. Fails with {@link
   * TransactionManagerException} if there is none.
   */
  public CompletableFuture<CommandAnswer> ask(
      InetSocketAddress address, String name, String argument) {
    return ask(address, name, argument, config.requestTimeout());
  }

  /** Sends a command that may take longer, with the timeout {@code patience}. */
  public CompletableFuture<CommandAnswer> ask(
      InetSocketAddress address, String name, String argument, Duration patience) {
    Command command = new Command(COMMAND_ID, name, argument);
    Exchange exchange = new Exchange(address, command, patience);
    waiting.add(exchange.answer);
    exchange.answer.whenComplete((answer, failure) -> waiting.remove(exchange.answer));
    try {
      group.next().execute(exchange::begin);
    } catch (RejectedExecutionException e) {
      failWaiting();
    }
    return exchange.answer;
  }

  @Override
  public void close() {
    NettyTransport.stop(group);
    failWaiting();
  }

  /** Fails the unanswered commands, once the event loop has stopped. */
  private void failWaiting() {
    for (CompletableFuture<CommandAnswer> answer : waiting) {
      answer.completeExceptionally(
          new TransactionManagerException(Kind.CLOSED, "client of commands has been closed"));
    }
  }

  /** A command under way. Event loop only. */
  private final class Exchange implements TmConnection.Owner {

    private final InetSocketAddress address;
    private final Command command;
    private final Duration patience;
    private final TmConnection session;
    private final CompletableFuture<CommandAnswer> answer = new CompletableFuture<>();

    /** True if there is a connection or one is being opened. */
    private boolean connecting;

    /** Known once the server has welcomed the client. */
    private Optional<Handshake.Welcome> welcome = Optional.empty();

    Exchange(InetSocketAddress address, Command command, Duration patience) {
      this.address = address;
      this.command = command;
      this.patience = patience;
      this.session =
          new TmConnection(
              new ClientGreeting(
                  config.security(),
                  address.getHostString(),
                  Capabilities.GOODBYE | Capabilities.COMMANDS,
                  random),
              group.next(),
              writer,
              this);
    }

    /** Not on the caller's thread, which may be ZooKeeper's, because a name server may hang. */
    void begin() {
      after(patience.toMillis(), () -> giveUp("no answer to the command in time"));
      transport
          .resolve(address)
          .whenCompleteAsync((found, failure) -> connect(found), group.next());
    }

    private void connect(@Nullable InetSocketAddress resolved) {
      if (answer.isDone()) {
        return;
      }
      if (resolved == null || resolved.isUnresolved()) {
        giveUp("the name of the host is unknown");
        return;
      }
      connecting = true;
      after(
          config.connectTimeout().toMillis(),
          () -> {
            if (welcome.isEmpty()) {
              giveUp("it accepts the connection but does not greet");
            }
          });
      transport.connect(resolved, session);
    }

    private void giveUp(String problem) {
      DisconnectReason ending = DisconnectReason.lost(problem);
      if (connecting) {
        session.end(ending);
      } else {
        ended(ending);
      }
    }

    @Override
    public void opened(Handshake.Welcome opened) {
      welcome = Optional.of(opened);
      if (!Capabilities.has(opened.capabilities(), Capabilities.COMMANDS)) {
        session.end(
            DisconnectReason.of(
                DisconnectReason.Kind.INCOMPATIBLE, "it is of a version that takes no commands"));
        return;
      }
      command.writeTo(writer);
      session.send(writer.finish());
    }

    @Override
    public void received(FrameReader frame) {
      Command.Result result = Command.Result.readFrom(frame);
      if (result.id() != command.id()) {
        throw new MalformedException("result of another command, id=" + result.id());
      }
      long epoch = welcome.map(Handshake.Welcome::epoch).orElse(0L);
      answer.complete(new CommandAnswer(result.succeeded(), result.text(), epoch));
      session.end(DisconnectReason.lost("done"));
    }

    /** Fails the command unless it has been answered. */
    @Override
    public void ended(DisconnectReason ending) {
      Kind kind =
          switch (ending.kind()) {
            case LOST, TURNED_AWAY, MOVED -> Kind.UNAVAILABLE;
            case INCOMPATIBLE -> Kind.INCOMPATIBLE;
            case DISTRUSTED -> Kind.REJECTED;
          };
      answer.completeExceptionally(
          new TransactionManagerException(
              kind, ending.problem() + ", address=" + address + " command=" + command.name()));
    }

    private void after(long millis, Runnable end) {
      var timer = group.next().schedule(end, millis, TimeUnit.MILLISECONDS);
      answer.whenComplete((result, failure) -> timer.cancel(false));
    }
  }
}
