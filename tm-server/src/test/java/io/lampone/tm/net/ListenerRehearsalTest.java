package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.time.SystemClock;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** On real sockets, with each transport. */
@EnabledOnOs(OS.LINUX) // elsewhere the loopback network may have one address
@Timeout(180)
final class ListenerRehearsalTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void clientsAreLetInAnsweredAndSentAwayAndNothingIsLeft() {
    for (EventLoopTransport transport : EventLoopTransport.values()) {
      Assumptions.assumeTrue(transport != EventLoopTransport.EPOLL || Epoll.isAvailable());
      EventLoopGroup loop = transport.start("rehearsal", false);
      try {
        assertThat(ListenerRehearsal.run(transport, loop, SystemClock.INSTANCE, PATIENCE))
            .as("transport=%s", transport)
            .isTrue();
        // Channels are closed on the loop, after the caller has gone on.
        while (((SingleThreadEventLoop) loop.next()).registeredChannels() > 0) {
          Thread.onSpinWait();
        }
      } finally {
        loop.shutdownGracefully();
      }
    }
  }
}
