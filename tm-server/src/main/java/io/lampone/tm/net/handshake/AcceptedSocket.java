package io.lampone.tm.net.handshake;

import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.net.Connection;
import io.lampone.tm.security.CertificateNames;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.net.InetSocketAddress;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;

/** A connection that has just been accepted. Event loop only. */
public final class AcceptedSocket implements AcceptedConnection {

  private final Channel channel;
  private final FrameWriter writer;
  private final boolean tlsDemanded;
  private final BooleanSupplier full;
  private final Executor cryptography;

  /**
   * @param cryptography runs what is too long for the event loop
   */
  public AcceptedSocket(
      Channel channel,
      FrameWriter writer,
      boolean tlsDemanded,
      BooleanSupplier full,
      Executor cryptography) {
    this.cryptography = cryptography;
    this.channel = channel;
    this.writer = writer;
    this.tlsDemanded = tlsDemanded;
    this.full = full;
  }

  @Override
  public boolean full() {
    return full.getAsBoolean();
  }

  @Override
  public boolean lacksTls() {
    return tlsDemanded && channel.pipeline().get(SslHandler.class) == null;
  }

  @Override
  public Optional<String> certificateName() {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      return Optional.empty();
    }
    try {
      Certificate[] chain = tls.engine().getSession().getPeerCertificates();
      return chain[0] instanceof X509Certificate certificate
          ? CertificateNames.principal(certificate)
          : Optional.empty();
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty(); // no certificate
    }
  }

  @Override
  public boolean local() {
    // From its own address only this machine connects: others' packets with it are dropped.
    return channel.remoteAddress() instanceof InetSocketAddress from
        && (from.getAddress().isLoopbackAddress()
            || channel.localAddress() instanceof InetSocketAddress own
                && from.getAddress().equals(own.getAddress()));
  }

  @Override
  public String address() {
    return channel.remoteAddress() instanceof InetSocketAddress from
        ? from.getAddress().getHostAddress()
        : "";
  }

  @Override
  public String origin() {
    return String.valueOf(channel.remoteAddress());
  }

  @Override
  public <T> void apart(Supplier<T> work, Consumer<T> then) {
    CompletableFuture.supplyAsync(work, cryptography)
        .whenCompleteAsync(
            (result, failure) -> {
              ChannelHandlerContext context = channel.pipeline().context(Connection.class);
              if (context == null) {
                return; // the connection has ended
              }
              Connection connection = (Connection) context.handler();
              try {
                if (failure != null) {
                  throw failure;
                }
                connection.greet(context, () -> then.accept(result));
              } catch (Throwable e) {
                connection.exceptionCaught(context, e);
              }
            },
            channel.eventLoop());
  }

  @Override
  public void send(Handshake frame) {
    frame.writeTo(writer);
    var bytes = writer.finish();
    channel.writeAndFlush(channel.alloc().buffer(bytes.remaining()).writeBytes(bytes));
  }
}
