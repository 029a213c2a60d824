package io.lampone.tm.net;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.GoAway;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.admission.Admission;
import io.lampone.tm.admission.Tenant;
import io.lampone.tm.command.Commands;
import io.lampone.tm.core.transfer.TransferSource;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Non-request frames of a welcomed client: commands and state transfer. Event loop only. */
final class ControlChannel implements TransferSource {

  private static final int MAX_BYTES_PER_CHAR = 3;

  /** Commands that transactions need, cheap and limited otherwise: no quota refuses them. */
  private static final Set<String> NEEDED =
      Set.of(Command.OWNERS_OF_BUCKETS, "hold", "renew", "release");

  private final TmServerChannel listener;
  private final ChannelHandlerContext context;
  private final ClientSession clientSession;
  private final SlowConsumerMonitor slowConsumers;
  private final ReadControl readControl;
  private final Runnable readOn;

  /** True if a command is under way; there is at most one. */
  private boolean busy;

  /** The last round in which a command arrived or was executed. */
  private long commandRound;

  /** Command for which there was no room in its round. */
  private Optional<Command> waiting = Optional.empty();

  /**
   * @param readOn ends {@link ReadControl.Reason#UNTAKEN}
   */
  ControlChannel(
      TmServerChannel listener,
      ChannelHandlerContext context,
      ClientSession clientSession,
      SlowConsumerMonitor slowConsumers,
      ReadControl readControl,
      Runnable readOn) {
    this.listener = listener;
    this.context = context;
    this.clientSession = clientSession;
    this.slowConsumers = slowConsumers;
    this.readControl = readControl;
    this.readOn = readOn;
  }

  /**
   * Processes a frame that is not a request.
   *
   * @throws MalformedException if the frame is not admitted on this connection
   */
  void take(FrameReader frame) {
    switch (frame.kind()) {
      case COMMAND -> {
        Command command = Command.readFrom(frame);
        if (!command.name().equals(Command.OWNERS_OF_BUCKETS)
            || !clientSession.can(Capabilities.BUCKETS)) {
          demand(Capabilities.COMMANDS);
        }
        command(command);
      }
      case TRANSFER -> {
        demand(Capabilities.TRANSFER);
        listener.node().orElseThrow().receive(this, Transfer.readFrom(frame));
      }
      default -> throw new MalformedException("unexpected frame, kind=" + frame.kind());
    }
  }

  /**
   * Sends a goodbye to a client that supports it, unless the client waits for the answer to a
   * command, which is sent instead.
   *
   * @return whether the client is to close the connection
   */
  boolean sayGoodbye(GoAway goodbye) {
    if (busy) {
      return true;
    }
    if (!clientSession.can(Capabilities.GOODBYE)) {
      return false;
    }
    goodbye.writeTo(listener.writer());
    send();
    return true;
  }

  /** Returns true while a command is under way, and throughout a transfer. */
  boolean isBusy() {
    return busy || clientSession.can(Capabilities.TRANSFER);
  }

  /** Handles the end of the connection. */
  void close() {
    if (clientSession.can(Capabilities.TRANSFER)) {
      listener.node().ifPresent(node -> node.left(this));
    }
  }

  @Override
  public void reply(Transfer.Reply reply) {
    reply.writeTo(listener.writer());
    send();
  }

  private void demand(long capability) {
    if (!clientSession.can(capability)) {
      throw new MalformedException("capability was not agreed on, capability=" + capability);
    }
  }

  private void command(Command command) {
    commandRound = listener.rounds().number();
    if (busy) {
      answer(
          new Command.Result(
              command.id(), false, "one command at a time: wait for the answer to the last one"));
      return;
    }
    // Each may take a millisecond, and delay requests that admission would blame for it.
    boolean limited = !clientSession.mayAdminister();
    int retryAfterMillis = limited && !NEEDED.contains(command.name()) ? retryAfterMillis() : 0;
    if (retryAfterMillis > 0) {
      answer(
          new Command.Result(
              command.id(),
              false,
              "quota of the tenant used up: send it again later, tenant="
                  + clientSession.tenant().name()
                  + " retryAfterMillis="
                  + retryAfterMillis));
    } else if (limited
        && !command.name().equals(Command.OWNERS_OF_BUCKETS)
        && !listener.rounds().mayCommand(context)) {
      waiting = Optional.of(command);
    } else {
      execute(command);
    }
  }

  /** Returns the pause that the tenant's quota demands before a command; 0 = none. */
  private int retryAfterMillis() {
    Tenant tenant = clientSession.tenant();
    int millis = listener.admission().admitCommand(tenant, listener.rounds().beganNanos());
    if (millis > 0) {
      listener.metrics().refused(tenant, Optional.of(Admission.Reason.QUOTA));
    }
    return millis;
  }

  /** Returns true if there was no room for a command. */
  boolean isWaiting() {
    return waiting.isPresent();
  }

  /** Returns true in the round of a command, and while one waits: later frames come after it. */
  boolean stopsFrames() {
    return isWaiting() || commandRound == listener.rounds().number();
  }

  /** Executes the command that waits, if there is room for it now. */
  void executeWaiting() {
    if (listener.rounds().mayCommand(context)) {
      Command command = waiting.orElseThrow();
      waiting = Optional.empty();
      execute(command);
    }
  }

  private void execute(Command command) {
    commandRound = listener.rounds().number();
    listener
        .desk()
        .command(
            listener.commands().has(command.name()), command.name(), clientSession.principal());
    busy = true;
    Commands commands = listener.commands();
    Commands.Sender sender =
        new Commands.Sender(
            clientSession.principal().name(),
            clientSession.isProved(),
            clientSession.token().isPresent(),
            clientSession.principal().mayRequest(),
            clientSession.mayAdminister());
    boolean audited =
        commands.isAudited(command.name()) || !commands.permits(command.name(), sender);
    commands
        .run(command.name(), command.argument(), sender)
        .whenComplete(
            (text, failure) ->
                onLoop(
                    () -> {
                      if (audited) {
                        audit(command, failure);
                      }
                      ended(command.id(), text, failure);
                    }));
  }

  private void audit(Command command, @Nullable Throwable failure) {
    boolean isKnown = listener.commands().has(command.name());
    listener
        .desk()
        .audit()
        .happened(
            clientSession.source(context.channel()),
            isKnown ? command.name() : "unknown command",
            isKnown ? command.argument() : command.name(),
            failure == null ? "done" : message(failure));
  }

  /**
   * Runs work on the event loop, where commands complete, although failures may arise elsewhere.
   */
  private void onLoop(Runnable work) {
    if (context.executor().inEventLoop()) {
      work.run();
    } else {
      context.executor().execute(work);
    }
  }

  private void ended(long id, @Nullable String text, @Nullable Throwable failure) {
    busy = false;
    answer(
        failure == null
            ? new Command.Result(id, true, Objects.requireNonNull(text))
            : new Command.Result(id, false, message(failure)));
  }

  private void answer(Command.Result result) {
    if (!context.channel().isActive()) {
      return;
    }
    boolean fits = result.text().length() <= FrameLayout.MAX_RESULT_BYTES / MAX_BYTES_PER_CHAR;
    Command.Result sent =
        fits
            ? result
            : new Command.Result(
                result.id(), false, "answer too long, characters=" + result.text().length());
    sent.writeTo(listener.writer());
    // Answers are large and not limited otherwise: one at a time.
    ChannelFuture taken = send();
    if (!taken.isDone()) {
      readControl.stop(ReadControl.Reason.UNTAKEN);
      taken.addListener(done -> readOn.run());
    }
  }

  private ChannelFuture send() {
    ByteBuffer frame = listener.writer().finish();
    ByteBuf copy = context.alloc().buffer(frame.remaining()).writeBytes(frame);
    return slowConsumers.await(context, context.writeAndFlush(copy));
  }

  private static String message(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
