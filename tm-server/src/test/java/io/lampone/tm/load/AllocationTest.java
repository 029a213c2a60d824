package io.lampone.tm.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.codahale.metrics.MetricRegistry;
import com.sun.management.ThreadMXBean;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.admission.Quotas;
import io.lampone.tm.command.Commands;
import io.lampone.tm.core.ManagerNode;
import io.lampone.tm.core.ManagerSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.core.NodeListener;
import io.lampone.tm.core.Retention;
import io.lampone.tm.net.EventLoopTransport;
import io.lampone.tm.net.Policies;
import io.lampone.tm.net.ServerLimits;
import io.lampone.tm.net.TmServerChannel;
import io.lampone.tm.security.Security;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Counts the bytes that the event loop's thread allocates while it serves real frames from a real
 * socket. Election and renewals are over before, and do not come again for an hour.
 */
final class AllocationTest {

  /** The conflict table is small, so that it throws out as many entries as it takes in. */
  private static final int CONFLICT_CAPACITY = 10_000;

  private static final Duration LONG = Duration.ofHours(1);
  private static final int CONNECTIONS = 4;
  private static final int WARM_UP_FRAMES = 40_000;
  private static final int MEASURED_FRAMES = 20_000;

  /**
   * What a frame may cost on the average: nothing. What is left is charged to the thread once in a
   * while, for a buffer that the pool has to make anew.
   */
  private static final double BYTES_PER_FRAME = 1;

  /**
   * What it may cost on top while Netty looks for leaks: it notes down where one buffer in 128 was
   * allocated, and a frame takes two buffers.
   */
  private static final double BYTES_PER_FRAME_OF_LEAK_DETECTION = 40;

  private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

  @AfterEach
  void restore() {
    ResourceLeakDetector.setLevel(level);
  }

  @ParameterizedTest
  @CsvSource({
    "EPOLL, 64, 0",
    "EPOLL, 64, 2",
    "EPOLL, 1, 2",
    "NIO, 64, 0",
    "NIO, 64, 2",
    "NIO, 1, 2",
  })
  void nothingIsAllocatedForAFrame(EventLoopTransport transport, int beginsPerFrame, int hashes)
      throws Exception {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    assertThat(bytesPerFrame(transport, beginsPerFrame, hashes)).isLessThan(BYTES_PER_FRAME);
  }

  /**
   * As it is unless configured otherwise: less than a byte for a request of a moderate batch. That
   * it is more than nothing shows that what the other test counts is counted.
   */
  @ParameterizedTest
  @EnumSource(EventLoopTransport.class)
  void theSearchForLeaksCostsAFewBytesAFrame(EventLoopTransport transport) throws Exception {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.SIMPLE);
    assertThat(bytesPerFrame(transport, 64, 2))
        .isBetween(BYTES_PER_FRAME, BYTES_PER_FRAME_OF_LEAK_DETECTION);
  }

  private static double bytesPerFrame(EventLoopTransport transport, int beginsPerFrame, int hashes)
      throws Exception {
    assumeTrue(transport == EventLoopTransport.NIO || Epoll.isAvailable());
    EventLoopGroup group = transport.start("allocation-test", false);
    try {
      EventLoop loop = (EventLoop) group.next();
      TmServerChannel listener = serve(transport, loop);
      RawConnection[] connections = new RawConnection[CONNECTIONS];
      for (int i = 0; i < CONNECTIONS; i++) {
        connections[i] =
            new RawConnection(listener.address().getPort(), beginsPerFrame, hashes, 1 << 20, i);
      }
      exchange(connections, WARM_UP_FRAMES);
      long before = allocatedBytes(loop);
      long requests = exchange(connections, MEASURED_FRAMES);
      long bytes = allocatedBytes(loop) - before;
      for (RawConnection connection : connections) {
        assertThat(connection.others()).isZero();
        connection.close();
      }
      listener.close();
      System.out.printf(
          "transport=%s beginsPerFrame=%d hashes=%d bytesPerRequest=%.4f bytesPerFrame=%.3f%n",
          transport,
          beginsPerFrame,
          hashes,
          (double) bytes / requests,
          (double) bytes / MEASURED_FRAMES);
      return (double) bytes / MEASURED_FRAMES;
    } finally {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private static TmServerChannel serve(EventLoopTransport transport, EventLoop loop)
      throws Exception {
    ServerLimits limits =
        new ServerLimits(1 << 20, 4096, 100, 1 << 14, 1 << 20, 1 << 20, 1 << 20, LONG);
    TmServerChannel listener =
        new TmServerChannel(
            transport,
            loop,
            new InetSocketAddress("127.0.0.1", 0),
            new Policies(limits, AdmissionSettings.DEFAULT, Quotas.UNLIMITED, Security.off()),
            new MetricRegistry(),
            SystemClock.INSTANCE);
    ManagerSettings settings =
        new ManagerSettings(
            "test",
            "test:1",
            LONG,
            LONG,
            LONG,
            CONFLICT_CAPACITY,
            10_000,
            1_000,
            Retention.DEFAULT,
            Proofs.OPEN);
    NodeListener nobody =
        new NodeListener() {
          @Override
          public void becamePrimary(long epoch) {
            // The test asks the node.
          }

          @Override
          public void sealed() {
            // Nobody hands over here.
          }

          @Override
          public void unsealed() {
            // Nobody hands over here.
          }

          @Override
          public void handedOver(String address) {
            // Nobody hands over here.
          }

          @Override
          public void retired(Retirement retirement) {
            // Then no request is answered, and the test notices.
          }
        };
    ManagerNode node =
        new ManagerNode(settings, new MemoryRecordStore(), SystemClock.INSTANCE, loop, nobody);
    while (!loop.submit(() -> isLeading(node)).get()) {
      // Each look is a tick.
    }
    loop.submit(() -> listener.serve(node, new Commands())).get();
    return listener;
  }

  private static boolean isLeading(ManagerNode node) {
    node.tick();
    return node.leading().isPresent();
  }

  /** Sends that many frames and takes the replies; returns the number of requests. */
  private static long exchange(RawConnection[] connections, int frames) throws IOException {
    long requests = 0;
    for (int sent = 0; sent < frames; sent += connections.length) {
      for (RawConnection connection : connections) {
        requests += connection.send();
      }
      for (RawConnection connection : connections) {
        connection.await();
      }
    }
    return requests;
  }

  private static long allocatedBytes(EventLoop loop) throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = loop.submit(() -> Thread.currentThread().getId()).get();
    return threads.getThreadAllocatedBytes(id);
  }
}
