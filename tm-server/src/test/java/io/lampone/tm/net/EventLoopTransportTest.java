package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EventLoopTransportTest {

  /** The library for this machine is on the class path; a build that loses it should fail. */
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void onLinuxItIsEpoll() {
    assertThat(Epoll.unavailabilityCause()).isNull();
    assertThat(EventLoopTransport.best()).isEqualTo(EventLoopTransport.EPOLL);
  }

  /**
   * The lease is renewed by a scheduled task, also on a loop that never sleeps and has no event.
   */
  @ParameterizedTest
  @CsvSource({"EPOLL,false", "EPOLL,true", "NIO,false", "NIO,true"})
  void scheduledTasksRunOnAnIdleLoop(EventLoopTransport transport, boolean busyPoll)
      throws Exception {
    assumeTrue(transport == EventLoopTransport.NIO || Epoll.isAvailable());
    EventLoopGroup loop = transport.start("transport-test", busyPoll);
    try {
      CountDownLatch ticks = new CountDownLatch(3);
      loop.scheduleAtFixedRate(ticks::countDown, 1, 1, TimeUnit.MILLISECONDS);
      assertThat(ticks.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }
}
