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
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Sends commands to transaction managers, primary or backup, each on a connection of its own: for
 * tools. Nothing is repeated: who asks is told what went wrong.
 */
public final class CommandClient implements AutoCloseable {

  /** One command a connection. */
  private static final long COMMAND_ID = 1;

  private final TransactionManagerClientConfig config;
  private final EventLoopGroup group;
  private final Transport transport;
  private final SecureRandom random = new SecureRandom();
  private final FrameWriter writer = new FrameWriter();

  /**
   * @throws IllegalArgumentException if a file of the configuration does not hold what it should
   */
  public CommandClient(TransactionManagerClientConfig config) {
    this.config = config;
    this.group = NettyTransport.group();
    try {
      this.transport =
          new NettyTransport(group.next(), config.connectTimeout(), config.security().tls());
    } catch (RuntimeException e) {
      NettyTransport.stop(group);
      throw e;
    }
  }

  /**
   * Sends a command and waits, as long as the configuration gives a request, for the answer. Fails
   * with {@link TransactionManagerException} if there is none.
   */
  public CompletableFuture<CommandAnswer> ask(
      InetSocketAddress address, String name, String argument) {
    Exchange exchange = new Exchange(address, new Command(COMMAND_ID, name, argument));
    InetSocketAddress resolved =
        address.isUnresolved()
            ? new InetSocketAddress(address.getHostString(), address.getPort())
            : address;
    group
        .next()
        .execute(
            () -> {
              if (resolved.isUnresolved()) {
                exchange.ended(Ending.lost("the name of the host is unknown"));
              } else {
                exchange.begin(resolved);
              }
            });
    return exchange.answer;
  }

  @Override
  public void close() {
    NettyTransport.stop(group);
  }

  /** One command on its way. Event loop only. */
  private final class Exchange implements Session.Owner {

    private final InetSocketAddress address;
    private final Command command;
    private final Session session;
    private final CompletableFuture<CommandAnswer> answer = new CompletableFuture<>();

    /** Known once the server has welcomed the client. */
    private Optional<Handshake.Welcome> welcome = Optional.empty();

    Exchange(InetSocketAddress address, Command command) {
      this.address = address;
      this.command = command;
      this.session =
          new Session(
              new ClientGreeting(
                  config.security(), Capabilities.GOODBYE | Capabilities.COMMANDS, random),
              writer,
              this);
    }

    void begin(InetSocketAddress resolved) {
      after(
          config.connectTimeout().toMillis(),
          () -> {
            if (welcome.isEmpty()) {
              session.end(Ending.lost("it accepts the connection but does not greet"));
            }
          });
      after(
          config.requestTimeout().toMillis(),
          () -> session.end(Ending.lost("no answer to the command in time")));
      transport.connect(resolved, session);
    }

    @Override
    public void opened(Handshake.Welcome opened) {
      welcome = Optional.of(opened);
      if (!Capabilities.has(opened.capabilities(), Capabilities.COMMANDS)) {
        session.end(
            Ending.of(Ending.Kind.INCOMPATIBLE, "it is of a version that takes no commands"));
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
      session.end(Ending.lost("done"));
    }

    /** Nothing happens any more if there is an answer already. */
    @Override
    public void ended(Ending ending) {
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
