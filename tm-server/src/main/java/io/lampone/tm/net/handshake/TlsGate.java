package io.lampone.tm.net.handshake;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Examines the first byte of a connection: whether the client uses TLS, and whether this server
 * does. On a mismatch each end gets an error in its own protocol and need not wait for a timeout: a
 * client without TLS gets a reject from the handshake, a client with TLS an alert.
 *
 * <p>Removes itself from the pipeline after the first byte.
 */
public final class TlsGate extends ChannelInboundHandlerAdapter {

  /** The first byte of every TLS connection: a record of type handshake (RFC 8446, section 5.1). */
  private static final int TLS_HANDSHAKE = 0x16;

  /** A fatal alert: handshake failure (RFC 8446, section 6). */
  private static final byte[] ALERT = {0x15, 3, 3, 0, 2, 2, 40};

  private final HandshakePolicy desk;
  private final Executor cryptography;

  public TlsGate(HandshakePolicy desk, Executor cryptography) {
    this.desk = desk;
    this.cryptography = cryptography;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (!bytes.isReadable()) {
      bytes.release();
      return;
    }
    boolean talksTls = bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE;
    var tls = desk.tls();
    if (talksTls && tls.isEmpty()) {
      ReferenceCountUtil.release(message);
      context.pipeline().remove(this);
      desk.tlsFailed(context.channel(), Optional.empty());
      context.writeAndFlush(Unpooled.wrappedBuffer(ALERT)).addListener(ChannelFutureListener.CLOSE);
      return;
    }
    if (talksTls) {
      // The cryptography of a handshake takes a millisecond, too long for the shared event loop.
      SslHandler handler = tls.get().context().newHandler(context.alloc(), cryptography);
      handler.setHandshakeTimeoutMillis(desk.limits().handshakeTimeout().toMillis());
      context.pipeline().addAfter(context.name(), null, new Outcome());
      context.pipeline().addAfter(context.name(), null, handler);
    }
    context.fireChannelRead(message);
    context.pipeline().remove(this);
  }

  /** Handles the end of the TLS handshake. */
  private final class Outcome extends ChannelInboundHandlerAdapter {

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent completion && !completion.isSuccess()) {
        desk.tlsFailed(context.channel(), Optional.ofNullable(completion.cause()));
      }
      context.fireUserEventTriggered(event);
    }
  }
}
