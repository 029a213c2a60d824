package io.lampone.tmclient;

import io.lampone.protocol.connect.ClientGreeting;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tmclient.netty.NettyTransport;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server from the hello to the end: performs the handshake, then passes each
 * frame to its owner. Event loop only.
 */
final class TmConnection implements Transport.Listener {

  /** Receives the events of the session. */
  interface Owner {

    /** The server has welcomed the client. */
    void opened(Handshake.Welcome welcome);

    /** A frame after the welcome. An exception ends the session. */
    void received(FrameReader frame);

    /** Handles the end of the session. Called once. */
    void ended(DisconnectReason ending);
  }

  private final ClientGreeting greeting;
  private final Executor loop;
  private final FrameWriter writer;
  private final Owner owner;

  private Optional<Transport.Connection> connection = Optional.empty();

  /** True if the server has welcomed the client. */
  private boolean open;

  /** True if the owner has been notified of the end. */
  private boolean over;

  /**
   * @param loop the event loop
   * @param writer shared by all sessions of an event loop
   */
  TmConnection(ClientGreeting greeting, Executor loop, FrameWriter writer, Owner owner) {
    this.greeting = greeting;
    this.loop = loop;
    this.writer = writer;
    this.owner = owner;
  }

  @Override
  public void begun(Transport.Connection made) {
    connection = Optional.of(made);
    if (over) {
      made.close();
    }
  }

  @Override
  public void established() {
    say(greeting.hello());
  }

  @Override
  public void received(ByteBuffer frame) {
    if (over) {
      return;
    }
    FrameReader reader = FrameReader.open(frame);
    if (open) {
      owner.received(reader);
    } else {
      greet(reader);
    }
  }

  @Override
  public void closed() {
    end(
        DisconnectReason.lost(
            open
                ? "connection closed by the server"
                : "connection closed by the server before it greeted; does it demand TLS, or is"
                    + " something else listening there?"));
  }

  @Override
  public void refused(String problem) {
    end(DisconnectReason.lost(problem));
  }

  @Override
  public void failed(Throwable cause) {
    end(TransportFailures.endingOf(cause, open));
  }

  /** Sends a complete frame. */
  void send(ByteBuffer frame) {
    connection.orElseThrow().send(frame);
  }

  /** Ends the connection once and notifies the owner. */
  void end(DisconnectReason ending) {
    if (over) {
      return;
    }
    over = true;
    connection.ifPresent(Transport.Connection::close);
    owner.ended(ending);
  }

  private void greet(FrameReader reader) {
    proceed(greeting.next(reader));
  }

  private void proceed(ClientGreeting.Step step) {
    if (step instanceof ClientGreeting.Step.Say say) {
      say(say.handshake());
    } else if (step instanceof ClientGreeting.Step.Welcomed welcomed) {
      open = true;
      owner.opened(welcomed.welcome());
    } else if (step instanceof ClientGreeting.Step.Refused refused) {
      end(DisconnectReason.of(kindOf(refused.refusal()), refused.problem()));
    } else if (step instanceof ClientGreeting.Step.Work work) {
      CompletableFuture.supplyAsync(work.work(), NettyTransport::onOwnThread)
          .whenCompleteAsync(this::worked, loop);
    }
  }

  private void worked(ClientGreeting.@Nullable Step step, @Nullable Throwable failure) {
    if (over) {
      return;
    }
    if (step == null) {
      failed(Objects.requireNonNull(failure));
    } else {
      proceed(step);
    }
  }

  private static DisconnectReason.Kind kindOf(ClientGreeting.Refusal refusal) {
    return switch (refusal) {
      case TURNED_AWAY -> DisconnectReason.Kind.TURNED_AWAY;
      case INCOMPATIBLE -> DisconnectReason.Kind.INCOMPATIBLE;
      case DISTRUSTED -> DisconnectReason.Kind.DISTRUSTED;
    };
  }

  private void say(Handshake handshake) {
    handshake.writeTo(writer);
    send(writer.finish());
  }
}
