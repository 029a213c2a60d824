package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.net.EventLoopTransport;
import io.lampone.tm.net.Policies;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.net.TmServerChannel;
import io.lampone.tm.security.Security;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who begins frames and does not end them takes memory that others need. */
@Timeout(180)
final class HalfFramesTest {

  private static final int MAX_FRAME_BYTES = 4 << 20;
  private static final int HALF = MAX_FRAME_BYTES / 2;
  private static final int CLIENTS = 100;
  private static final long MOST_MEMORY = 128 << 20;

  private final MetricRegistry metrics = new MetricRegistry();
  private final AtomicLong stepNanos = new AtomicLong();
  private final List<FrameSocket> sockets = new ArrayList<>();
  private EventLoopGroup group;
  private TmServerChannel listener;

  @BeforeEach
  void start() throws Exception {
    EventLoopTransport transport = EventLoopTransport.best();
    group = transport.start("test", false);
    Clock clock =
        new Clock() {
          @Override
          public long wallMillis() {
            return SystemClock.INSTANCE.wallMillis();
          }

          @Override
          public long monotonicNanos() {
            return SystemClock.INSTANCE.monotonicNanos() + stepNanos.get();
          }
        };
    Duration longTime = Duration.ofHours(1);
    listener =
        new TmServerChannel(
            transport,
            group,
            new InetSocketAddress("127.0.0.1", 0),
            new Policies(
                new ServerLimits(MAX_FRAME_BYTES, 100, 1_000, 1_000, 1_000, 1_000, 1_000, longTime),
                AdmissionSettings.DEFAULT,
                Quotas.UNLIMITED,
                Security.off()),
            metrics,
            clock);
  }

  @AfterEach
  void stop() throws IOException {
    for (FrameSocket socket : sockets) {
      socket.close();
    }
    listener.close();
    group.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
  }

  @Test
  void whoDoesNotEndAFrameIsShownOutAndWhoHasBegunNoneIsNot() throws Exception {
    FrameSocket idle = connect();
    FrameSocket early = connect();
    FrameSocket late = connect();
    early.send(head(1000));
    tell(idle, 1); // by its answer what came before has been read
    stepNanos.addAndGet(SECONDS.toNanos(20));
    late.send(head(1000));
    tell(idle, 2);
    stepNanos.addAndGet(SECONDS.toNanos(20));
    assertThat(early.isClosedSilently()).isTrue();
    assertUnended(1);
    late.send(new byte[999]); // that it goes on does not mean that it comes to an end
    tell(idle, 3);
    assertUnended(1);
    stepNanos.addAndGet(SECONDS.toNanos(20));
    assertThat(late.isClosedSilently()).isTrue();
    tell(idle, 4);
    assertUnended(2);
  }

  @Test
  void manyWhoDoNotEndTheirFramesHaveToShareSomeMemory() throws Exception {
    FrameSocket other = connect();
    long memory = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    for (int i = 0; i < CLIENTS; i++) {
      FrameSocket socket = connect();
      socket.send(head(MAX_FRAME_BYTES - 8));
      socket.send(new byte[HALF]);
    }
    tell(other, 1);
    assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - memory)
        .isLessThan(MOST_MEMORY);
    assertThat(sockets.get(1).isClosedSilently()).isTrue(); // the oldest of them
    // Whoever goes on may end what it has begun: a frame that cannot be read.
    FrameSocket last = sockets.get(CLIENTS);
    assertThat(metrics.meter("lampone.tm.connections.malformed").getCount()).isZero();
    last.send(new byte[MAX_FRAME_BYTES - Integer.BYTES - HALF]);
    assertThat(last.isClosedSilently()).isTrue();
    assertThat(metrics.meter("lampone.tm.connections.malformed").getCount()).isEqualTo(1);
  }

  private void assertUnended(long connections) {
    assertThat(metrics.meter("lampone.tm.connections.unended").getCount()).isEqualTo(connections);
  }

  private FrameSocket connect() throws IOException {
    FrameSocket socket = new FrameSocket(listener.address().getPort());
    sockets.add(socket);
    // Whoever brings commands is let in though nobody leads.
    socket.send(new Handshake.Hello(1, 1, Capabilities.COMMANDS, Bytes.EMPTY));
    Handshake.Welcome.readFrom(socket.receive());
    return socket;
  }

  private static void tell(FrameSocket socket, long id) throws IOException {
    new Command(id, "unknown", "").writeTo(socket.writer());
    socket.send(socket.frame());
    assertThat(Command.Result.readFrom(socket.receive()).id()).isEqualTo(id);
  }

  /** The length field of a frame. */
  private static byte[] head(int length) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
  }
}
