package io.lampone.tmclient.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.connect.ClientSecurity;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class NettyTransportTest {

  private final EventLoopGroup group = NettyTransport.group();
  private final NettyTransport transport =
      new NettyTransport(group.next(), Duration.ofSeconds(2), ClientSecurity.NONE);

  @AfterEach
  void stop() {
    NettyTransport.stop(group);
  }

  /** The pool that all share may be busy, with work of the application that waits for a commit. */
  @Test
  void namesAreLookedUpOnThreadsOfTheirOwn() throws Exception {
    InetSocketAddress named = InetSocketAddress.createUnresolved("localhost", 17310);
    Thread there = Thread.currentThread();
    while (there == Thread.currentThread()) { // it was found before anybody could listen
      CompletableFuture<InetSocketAddress> found = transport.resolve(named);
      there = found.thenApply(address -> Thread.currentThread()).get(20, TimeUnit.SECONDS);
      assertThat(found.join().isUnresolved()).isFalse();
    }
    assertThat(there.getName()).isEqualTo("lampone-tm-resolver");
    assertThat(there.isDaemon()).isTrue();
  }

  @Test
  void aLiteralAddressIsNotLookedUp() {
    for (String literal : new String[] {"127.0.0.1", "::1", "[::1]"}) {
      CompletableFuture<InetSocketAddress> found =
          transport.resolve(InetSocketAddress.createUnresolved(literal, 17310));
      assertThat(found).as(literal).isCompleted();
      assertThat(found.join().isUnresolved()).as(literal).isFalse();
    }
  }
}
