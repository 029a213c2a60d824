package io.lampone.tm.net;

import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.netty.channel.Channel;
import java.util.Optional;

/** A connection that has just been accepted. Event loop only. */
final class SocketArrival implements Arrival {

  private final Channel channel;
  private final FrameWriter writer;
  private final boolean full;

  SocketArrival(Channel channel, FrameWriter writer, boolean full) {
    this.channel = channel;
    this.writer = writer;
    this.full = full;
  }

  @Override
  public boolean full() {
    return full;
  }

  @Override
  public boolean lacksTls() {
    return false;
  }

  @Override
  public Optional<String> certificateName() {
    return Optional.empty();
  }

  @Override
  public String origin() {
    return String.valueOf(channel.remoteAddress());
  }

  @Override
  public void send(Handshake frame) {
    frame.writeTo(writer);
    var bytes = writer.finish();
    channel.writeAndFlush(channel.alloc().buffer(bytes.remaining()).writeBytes(bytes));
  }
}
