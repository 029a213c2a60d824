package io.lampone.benchmarks;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/**
 * Measures the round trips of frames on a connection, from the write to the arrival of the
 * answering frame, without changing anything. A transaction manager answers each frame with one
 * frame, in order of arrival, including the handshake.
 *
 * <p>Event loop only.
 */
final class FrameTap extends ChannelDuplexHandler {

  private final Clock clock;
  private final Supplier<Latencies> target;

  /** Times of the writes of frames without a reply. */
  private final Deque<Long> writtenNanos = new ArrayDeque<>();

  /** First bytes of a frame whose length is not known yet. */
  private long head;

  private int headBytes;

  /** Bytes of the present frame still to arrive, once its length is known. */
  private long toCome;

  FrameTap(Clock clock, Supplier<Latencies> target) {
    this.clock = clock;
    this.target = target;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    writtenNanos.add(clock.monotonicNanos());
    super.write(context, message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    long now = clock.monotonicNanos();
    ByteBuf bytes = (ByteBuf) message;
    int index = bytes.readerIndex();
    while (index < bytes.writerIndex()) {
      if (headBytes < Integer.BYTES) {
        head = head << Byte.SIZE | bytes.getUnsignedByte(index);
        headBytes++;
        index++;
        toCome = headBytes < Integer.BYTES ? 0 : head + FrameLayout.HEAD_BYTES - Integer.BYTES;
      } else {
        int skipped = (int) Math.min(toCome, bytes.writerIndex() - index);
        index += skipped;
        toCome -= skipped;
        if (toCome == 0) {
          head = 0;
          headBytes = 0;
          // A GoAway frame is no answer.
          if (!writtenNanos.isEmpty()) {
            target.get().record(now - writtenNanos.remove());
          }
        }
      }
    }
    super.channelRead(context, message);
  }
}
