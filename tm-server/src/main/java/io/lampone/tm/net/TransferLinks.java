package io.lampone.tm.net;

import io.lampone.protocol.connect.ClientGreeting;
import io.lampone.protocol.connect.TrustFailures;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.net.handshake.Resolution;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections of this transaction manager to others for a hand-over. On the event loop of the node,
 * so that no locks are needed: parts are small, and each waits for an answer.
 */
public final class TransferLinks implements TransferLink.Connector {

  private static final int CONNECT_TIMEOUT_MILLIS = 2_000;

  private final EventLoopTransport transport;
  private final EventLoopGroup loop;
  private final Supplier<PeerCredential> credentials;

  /**
   * Creates connections on {@code loop}, an event loop of {@code transport}.
   *
   * @param credentials called for each connection
   */
  public TransferLinks(
      EventLoopTransport transport, EventLoopGroup loop, Supplier<PeerCredential> credentials) {
    this.transport = transport;
    this.loop = loop;
    this.credentials = credentials;
  }

  @Override
  public TransferLink connect(String address, TransferLink.Listener listener) {
    int colon = address.lastIndexOf(':');
    Link link = new Link(listener, credentials.get(), address.substring(0, Math.max(0, colon)));
    // Netty's default resolver would block this event loop for a host name, so resolution runs on a
    // separate thread.
    Resolution.resolve(address.substring(0, Math.max(0, colon)), address.substring(colon + 1))
        .whenCompleteAsync(
            (found, failure) -> {
              if (failure == null) {
                connect(found, link);
              } else {
                link.end("unknown address, address=" + address);
              }
            },
            loop.next());
    return link;
  }

  private void connect(InetSocketAddress address, Link link) {
    new Bootstrap()
        .group(loop)
        .channel(transport.socketChannel())
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel socket) {
                link.credential
                    .tls()
                    .ifPresent(tls -> socket.pipeline().addLast(tlsHandler(tls, socket, address)));
                socket.pipeline().addLast(link);
              }
            })
        .connect(address)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                link.end("cannot connect, address=" + address);
              }
            });
  }

  private static SslHandler tlsHandler(
      SslContext tls, SocketChannel socket, InetSocketAddress address) {
    // The cryptography of a handshake takes a millisecond, too long for the deciding event loop.
    return tls.newHandler(
        socket.alloc(), address.getHostString(), address.getPort(), ForkJoinPool.commonPool());
  }

  /** One connection, from the hello on. */
  private final class Link extends ChannelInboundHandlerAdapter implements TransferLink {

    private final TransferLink.Listener listener;
    private final PeerCredential credential;
    private final FrameWriter writer = new FrameWriter();
    private final FrameSplitter cutter = new FrameSplitter();
    private Optional<ChannelHandlerContext> context = Optional.empty();
    private final ClientGreeting greeting;
    private boolean welcomed;
    private boolean over;

    Link(TransferLink.Listener listener, PeerCredential credential, String host) {
      this.listener = listener;
      this.credential = credential;
      this.greeting =
          new ClientGreeting(
              credential.security(),
              host,
              Capabilities.TRANSFER | Capabilities.ASSIGNED | Capabilities.BUCKETS,
              new SecureRandom());
      cutter.allow(credential.security().maxHandshakeBytes());
    }

    @Override
    public void send(Transfer part) {
      if (welcomed && !over) {
        part.writeTo(writer);
        flush();
      }
    }

    @Override
    public void close() {
      over = true;
      context.ifPresent(ChannelHandlerContext::close);
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
      context = Optional.of(active);
      if (over) {
        active.close();
        return;
      }
      say(greeting.hello());
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) {
      cutter.add((ByteBuf) message);
      try {
        while (!over && cutter.next()) {
          read(FrameReader.open(cutter.frame()));
        }
      } finally {
        cutter.finish();
      }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removed) {
      cutter.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
      end("closed by the backup");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext active, Throwable cause) {
      end(
          TrustFailures.untimely("the backup's certificate", cause)
              .orElseGet(() -> String.valueOf(cause.getMessage())));
    }

    void end(String problem) {
      if (!over) {
        close();
        listener.closed(problem);
      }
    }

    private void read(FrameReader frame) {
      if (welcomed) {
        listener.received(Transfer.Reply.readFrom(frame));
        return;
      }
      proceed(greeting.next(frame));
    }

    private void proceed(ClientGreeting.Step step) {
      if (step instanceof ClientGreeting.Step.Say say) {
        say(say.handshake());
      } else if (step instanceof ClientGreeting.Step.Welcomed agreed) {
        welcome(agreed.welcome());
      } else if (step instanceof ClientGreeting.Step.Work work) {
        CompletableFuture.supplyAsync(work.work())
            .whenCompleteAsync(this::worked, context.orElseThrow().executor());
      } else if (step instanceof ClientGreeting.Step.Refused refused) {
        end(
            "no terms with the backup; what this one shows it are"
                + " lampone.tm.security.peer.principal and lampone.tm.security.peer.secret.file,"
                + " its Kerberos principal, and its certificate if asked; give all transaction managers the same"
                + " lampone.tm.security.authentication, problem="
                + refused.problem());
      }
    }

    private void worked(ClientGreeting.@Nullable Step step, @Nullable Throwable failure) {
      if (step == null) {
        end(String.valueOf(failure));
      } else if (!over) {
        proceed(step);
      }
    }

    private void say(Handshake handshake) {
      handshake.writeTo(writer);
      flush();
    }

    private void welcome(Handshake.Welcome welcome) {
      if (!Capabilities.has(welcome.capabilities(), Capabilities.TRANSFER)) {
        end("the backup is too old to be handed anything: update it first");
      } else {
        welcomed = true;
        cutter.allow(FrameLayout.MAX_TRANSFER_FRAME_BYTES);
        listener.opened(welcome.capabilities());
      }
    }

    private void flush() {
      ChannelHandlerContext active = context.orElseThrow();
      ByteBuffer frame = writer.finish();
      active.writeAndFlush(active.alloc().buffer(frame.remaining()).writeBytes(frame));
    }
  }
}
