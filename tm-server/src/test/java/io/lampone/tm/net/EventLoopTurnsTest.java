package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Meter;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.command.Commands;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.Retention;
import io.lampone.tm.security.Security;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fairness between connections, on both transports. */
@Timeout(180)
final class EventLoopTurnsTest {

  private static final Duration LONG = Duration.ofHours(1);
  private static final int FRAMES = 400;
  private static final int BEGINS = 100;

  /** More than the buffers of the kernel take. */
  private static final int ENDLESS_FRAMES = 30_000;

  /** These make a frame of 4 MB. */
  private static final int LONG_FRAME_REQUESTS = 1_000;

  private static final int LONG_FRAME_HASHES = 256;

  /** Below the floor of any transaction manager. */
  private static final long OLD = Timestamps.PLAIN_LIMIT;

  /** Rounds of the event loop in a row in which the kernel took nothing. */
  private static final int IDLE_ROUNDS = 1_000;

  private final MetricRegistry metrics = new MetricRegistry();

  /**
   * A connection whose input never ends has one turn in a round. Both connections send while the
   * loop is held; when it is let go, the small one must not wait until the large one is done.
   */
  @ParameterizedTest
  @EnumSource(EventLoopTransport.class)
  void endlessInputHasOneTurnAndThenTheOthersHaveTheirs(EventLoopTransport transport)
      throws Exception {
    Begins begins = new Begins();
    metrics.register("lampone.tm.begins", begins);
    EventLoopGroup group = transport.start("test", false);
    try {
      EventLoop loop = group.next();
      TmServerChannel listener = serve(transport, loop);
      InetSocketAddress address = listener.address();
      try (SocketChannel flood = greet(address);
          SocketChannel small = greet(address)) {
        CountDownLatch held = new CountDownLatch(1);
        loop.execute(() -> await(held));
        ByteBuffer frames = begins(FRAMES);
        // As much as the buffers of the kernel take: much more than a turn.
        flood.configureBlocking(false);
        while (flood.write(frames) > 0 && frames.hasRemaining()) {
          Thread.onSpinWait();
        }
        assertThat(frames.position()).isGreaterThan(10 * Connection.TURN_BYTES);
        small.write(oneBegin());
        held.countDown();
        ByteBuffer reply = ByteBuffer.allocate(1);
        small.read(reply);
        // Its own, and a few turns of the flood; not all of it.
        assertThat(begins.beforeTheSmallOne()).isBetween(0L, (long) FRAMES * BEGINS / 2);
      }
      listener.close();
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /**
   * One frame as long as a frame may be, of requests that the server refuses one by one. Its last
   * byte and one small frame of somebody else arrive while the loop is held: the small one waits
   * for a piece of the long one, and not for all of it.
   */
  @ParameterizedTest
  @EnumSource(EventLoopTransport.class)
  void aLongFrameIsExecutedInPiecesAndOthersHaveTheirTurnsInBetween(EventLoopTransport transport)
      throws Exception {
    Refused refused = new Refused();
    metrics.register("lampone.tm.validations.refused.below-floor", refused);
    metrics.register("lampone.tm.begins", refused.begins);
    EventLoopGroup group = transport.start("test", false);
    try {
      EventLoop loop = group.next();
      TmServerChannel listener = serve(transport, loop);
      try (SocketChannel giant = greet(listener.address());
          SocketChannel small = greet(listener.address())) {
        ByteBuffer frame = slicedBatch();
        frame.limit(frame.limit() - 1);
        while (frame.hasRemaining()) {
          giant.write(frame);
        }
        Histogram rounds = metrics.histogram("lampone.tm.loop.round.nanos");
        long read = rounds.getCount();
        for (int idle = 0; idle < IDLE_ROUNDS; idle++) {
          loop.submit(() -> {}).get();
          idle = rounds.getCount() == read ? idle : 0;
          read = rounds.getCount();
        }
        assertThat(refused.getCount()).isZero();
        CountDownLatch held = new CountDownLatch(1);
        loop.execute(() -> await(held));
        giant.write(frame.limit(frame.limit() + 1));
        small.write(oneBegin());
        held.countDown();
        small.read(ByteBuffer.allocate(1));
        assertThat(refused.beforeTheBegin).isBetween(0L, LONG_FRAME_REQUESTS / 4L);
        // All of it is answered, in frames of answers that are shorter.
        ByteBuffer replies = ByteBuffer.allocate(1 << 16);
        while (refused.getCount() < LONG_FRAME_REQUESTS) {
          giant.read(replies.clear());
        }
        // And what comes behind it.
        assertThat(giant.write(begin(LONG_FRAME_REQUESTS + 1))).isPositive();
        while (refused.begins.getCount() < 2) {
          giant.read(replies.clear());
        }
      }
      listener.close();
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** A server that hands over decides nothing more of a long frame until that has failed. */
  @ParameterizedTest
  @EnumSource(EventLoopTransport.class)
  void aLongFrameRestsWhileTheServerHandsOver(EventLoopTransport transport) throws Exception {
    CountDownLatch sealed = new CountDownLatch(1);
    Refused refused = new Refused();
    metrics.register("lampone.tm.validations.refused.below-floor", refused);
    EventLoopGroup group = transport.start("test", false);
    try {
      EventLoop loop = group.next();
      TmServerChannel listener = serve(transport, loop);
      refused.afterTheFirst =
          () -> {
            listener.pause();
            sealed.countDown();
          };
      try (SocketChannel giant = greet(listener.address())) {
        ByteBuffer frame = slicedBatch();
        while (frame.hasRemaining()) {
          giant.write(frame);
        }
        sealed.await();
        long before = refused.getCount();
        for (int i = 0; i < IDLE_ROUNDS; i++) {
          loop.submit(() -> {}).get();
        }
        assertThat(refused.getCount()).isEqualTo(before).isLessThan(LONG_FRAME_REQUESTS);
        loop.submit(listener::resume).get();
        ByteBuffer replies = ByteBuffer.allocate(1 << 16);
        while (refused.getCount() < LONG_FRAME_REQUESTS) {
          giant.read(replies.clear());
        }
      }
      listener.close();
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** Counts on the event loop itself what was refused, and what before a begin. */
  private static final class Refused extends Meter {

    private volatile long beforeTheBegin = -1;

    /** Runs when something has been refused for the first time. */
    private Runnable afterTheFirst = () -> {};

    private final Meter begins =
        new Meter() {
          @Override
          public void mark(long count) {
            super.mark(count);
            if (beforeTheBegin < 0) {
              beforeTheBegin = Refused.this.getCount();
            }
          }
        };

    @Override
    public void mark(long count) {
      boolean first = getCount() == 0;
      super.mark(count);
      if (first) {
        afterTheFirst.run();
      }
    }
  }

  /**
   * A hand-over that fails while a connection sends without end: nothing is read meanwhile, though
   * rounds end in which the connection had its turn, and afterwards everything is answered.
   */
  @ParameterizedTest
  @EnumSource(EventLoopTransport.class)
  void nothingIsReadWhileTheServerHandsOverAndAllIsAnsweredWhenThatFails(
      EventLoopTransport transport) throws Exception {
    EventLoopGroup group = transport.start("test", false);
    try {
      EventLoop loop = group.next();
      TmServerChannel listener = serve(transport, loop);
      try (SocketChannel flood = greet(listener.address())) {
        flood.configureBlocking(false);
        ByteBuffer frames = begins(ENDLESS_FRAMES);
        ByteBuffer replies = ByteBuffer.allocate(1 << 16);
        while (answered() == 0) {
          flood.write(frames);
        }
        loop.submit(listener::pause).get();
        long before = answered();
        for (int idle = 0; idle < IDLE_ROUNDS; idle++) {
          if (flood.write(frames) > 0) {
            idle = 0;
          }
          flood.read(replies.clear());
          loop.submit(() -> {}).get();
        }
        // The buffers of the kernel are full, and those of the server are not filled instead.
        assertThat(frames.hasRemaining()).isTrue();
        assertThat(answered()).isEqualTo(before);
        loop.submit(listener::resume).get();
        while (answered() < (long) ENDLESS_FRAMES * BEGINS) {
          flood.write(frames);
          flood.read(replies.clear());
        }
      }
      listener.close();
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /**
   * Counts on the event loop itself: by the time at which a client has read its reply, the loop may
   * have done all the rest on a busy machine.
   */
  private static final class Begins extends Meter {

    private long before;
    private volatile long beforeTheSmallOne = -1;

    @Override
    public void mark(long begins) {
      if (begins == 1) {
        beforeTheSmallOne = before;
      }
      before += begins;
    }

    /** Begins that were executed before that of the frame that has only one; -1 if none has. */
    long beforeTheSmallOne() {
      return beforeTheSmallOne;
    }
  }

  /** Requests that were executed or refused. */
  private long answered() {
    return metrics.meter("lampone.tm.begins").getCount()
        + metrics.meter("lampone.tm.failed").getCount();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ByteBuffer oneBegin() {
    return begin(1);
  }

  private static ByteBuffer begin(long id) {
    FrameWriter writer = new FrameWriter();
    writer.start(FrameKind.REQUESTS);
    new WireRequest.Begin(id).writeTo(writer);
    return writer.finish();
  }

  /** Requests for a transaction that nobody has begun. */
  private static ByteBuffer slicedBatch() {
    FrameWriter writer = new FrameWriter();
    writer.start(FrameKind.REQUESTS);
    long[] hashes = new long[LONG_FRAME_HASHES];
    for (int id = 1; id <= LONG_FRAME_REQUESTS; id++) {
      new WireRequest.Validate(
              id, new Validator.Request(OLD, Proofs.OPEN.grant(OLD, 0), true, hashes, hashes))
          .writeTo(writer);
    }
    return writer.finish();
  }

  private static ByteBuffer begins(int frames) {
    FrameWriter writer = new FrameWriter();
    ByteBuffer all = ByteBuffer.allocate(frames * (BEGINS * 9 + 13));
    long id = 1;
    for (int i = 0; i < frames; i++) {
      writer.start(FrameKind.REQUESTS);
      for (int j = 0; j < BEGINS; j++) {
        new WireRequest.Begin(id++).writeTo(writer);
      }
      all.put(writer.finish());
    }
    return all.flip();
  }

  private static SocketChannel greet(InetSocketAddress address) throws Exception {
    SocketChannel channel = SocketChannel.open(address);
    FrameWriter writer = new FrameWriter();
    Handshake.Hello.current().writeTo(writer);
    channel.write(writer.finish());
    new Handshake.Welcome(1, 0, 1, 1 << 20, 1).writeTo(writer);
    ByteBuffer welcome = ByteBuffer.allocate(writer.finish().remaining());
    while (welcome.hasRemaining()) {
      assertThat(channel.read(welcome)).isPositive();
    }
    return channel;
  }

  private TmServerChannel serve(EventLoopTransport transport, EventLoop loop) throws Exception {
    ServerLimits limits =
        new ServerLimits(5 << 20, 4096, 100, 1 << 20, 1 << 20, 1 << 20, 1 << 20, LONG);
    TmServerChannel listener =
        new TmServerChannel(
            transport,
            loop,
            new InetSocketAddress("127.0.0.1", 0),
            new Policies(limits, AdmissionSettings.DEFAULT, Quotas.UNLIMITED, Security.off()),
            metrics,
            SystemClock.INSTANCE);
    NodeListener nobody =
        new NodeListener() {
          @Override
          public void becamePrimary(long epoch) {
            // The test asks the node.
          }

          @Override
          public void sealed() {
            // The test keeps requests by itself.
          }

          @Override
          public void unsealed() {
            // See above.
          }

          @Override
          public void handedOver(String successor) {
            // Nothing is handed over to anybody.
          }

          @Override
          public void retired(Retirement retirement) {
            // Then nothing is answered, and the test notices.
          }
        };
    ManagerNode node =
        new ManagerNode(
            new ManagerSettings(
                "test",
                "test:1",
                LONG,
                LONG,
                LONG,
                1000,
                1000,
                100,
                Retention.DEFAULT,
                Proofs.OPEN),
            new MemoryRecordStore(),
            SystemClock.INSTANCE,
            loop,
            nobody);
    while (!loop.submit(
            () -> {
              node.tick();
              return node.leading().isPresent();
            })
        .get()) {
      Thread.onSpinWait();
    }
    loop.submit(() -> listener.serve(node, new Commands())).get();
    return listener;
  }
}
