package io.lampone.tmclient.netty;

import io.lampone.tmclient.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The last handler of a channel, which notifies the listener. Event loop only. */
final class NettyConnection extends ChannelInboundHandlerAdapter implements Transport.Connection {

  private final Transport.Listener listener;

  private Optional<ChannelHandlerContext> context = Optional.empty();

  NettyConnection(Transport.Listener listener) {
    this.listener = listener;
  }

  /** Before the connection is established, so that the attempt can be cancelled. */
  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = Optional.of(added);
    listener.begun(this);
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    listener.established();
  }

  /** Passes on a frame; an exception of the listener leads to {@link #exceptionCaught}. */
  @Override
  public void channelRead(ChannelHandlerContext active, Object message) {
    ByteBuf frame = (ByteBuf) message;
    try {
      listener.received(frame.nioBuffer());
    } finally {
      frame.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    listener.closed();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext active, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && !handshake.isSuccess()) {
      listener.failed(handshake.cause());
    }
    active.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext active, Throwable cause) {
    listener.failed(cause);
  }

  @Override
  public void send(ByteBuffer frame) {
    ChannelHandlerContext active = context.orElseThrow();
    active.writeAndFlush(
        active.alloc().buffer(frame.remaining()).writeBytes(frame), active.voidPromise());
  }

  @Override
  public void close() {
    context.ifPresent(ChannelHandlerContext::close);
  }
}
