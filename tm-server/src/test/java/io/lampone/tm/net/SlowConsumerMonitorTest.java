package io.lampone.tm.net;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who takes nothing has to go; who takes little may stay. */
final class SlowConsumerMonitorTest {

  private final AtomicInteger closed = new AtomicInteger();
  private final SlowConsumerMonitor slowConsumers =
      new SlowConsumerMonitor(channel -> closed.incrementAndGet());
  private final ChannelInboundHandlerAdapter handler = new ChannelInboundHandlerAdapter();
  private final Socket socket = new Socket();

  @Test
  void whoTakesNothingIsClosedAfterHalfAMinute() {
    say(1_000);
    pass(SlowConsumerMonitor.PATIENCE_SECONDS - 1);
    say(1_000); // that more is said does not mean that anything is taken
    assertThat(socket.isOpen()).isTrue();
    pass(10);
    assertThat(socket.isOpen()).isFalse();
    assertThat(closed).hasValue(1);
  }

  @Test
  void whoTakesALittleNowAndThenStays() {
    for (int i = 0; i < 20; i++) {
      say(100);
      pass(20);
      socket.takes(50);
    }
    assertThat(socket.isOpen()).isTrue();
    assertThat(closed).hasValue(0);
    pass(50);
    assertThat(socket.isOpen()).isFalse();
  }

  @Test
  void whoHasTakenEverythingMayBeSilentForEver() {
    say(100);
    pass(20);
    socket.takes(100);
    pass(10_000);
    say(100);
    pass(20);
    socket.takes(100);
    pass(10_000);
    assertThat(socket.isOpen()).isTrue();
  }

  private void say(int bytes) {
    ChannelHandlerContext context = socket.pipeline().context(handler);
    slowConsumers.await(context, context.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes])));
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      socket.advanceTimeBy(1, SECONDS);
      socket.runPendingTasks();
    }
  }

  /** Takes what it is told to take. */
  private final class Socket extends EmbeddedChannel {

    private int room;

    Socket() {
      pipeline().addLast(handler);
      freezeTime();
    }

    void takes(int bytes) {
      room += bytes;
      flush();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer pending) {
      while (room > 0 && pending.current() instanceof ByteBuf next) {
        int bytes = Math.min(room, next.readableBytes());
        room -= bytes;
        pending.removeBytes(bytes);
      }
    }
  }
}
