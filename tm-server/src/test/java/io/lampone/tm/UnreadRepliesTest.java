package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.tm.core.MemoryRecordStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
final class UnreadRepliesTest {

  private static final int SLOW_ONES = 12;

  private final MetricRegistry metrics = new MetricRegistry();

  /** Together they leave unread what refuses every request, and come again if they are closed. */
  @Test
  void clientsThatDoNotReadDoNotHaveTheRequestsOfOthersRefused() throws Exception {
    Properties properties = new Properties();
    Map.of(
            "bind.host", "127.0.0.1",
            "bind.port", "0",
            "zookeeper.quorum", "not used",
            "conflict.table.capacity", "1000",
            "decision.memory.capacity", "1000",
            "max.messages.per.frame", "100",
            "max.outstanding.per.connection", "1000",
            "max.outstanding", "6000")
        .forEach((name, value) -> properties.setProperty("lampone.tm." + name, value));
    TransactionManagerServer server =
        TransactionManagerServer.start(
            TransactionManagerConfig.fromProperties(properties),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
    AtomicBoolean enough = new AtomicBoolean();
    List<Thread> slow = new ArrayList<>();
    try (FrameSocket client = new FrameSocket(server.port())) {
      client.greet();
      for (int i = 0; i < SLOW_ONES; i++) {
        slow.add(new Thread(() -> neverRead(server.port(), enough)));
        slow.get(i).start();
      }
      while (count("connections.dawdled") + count("batches.refused.outstanding") < SLOW_ONES) {
        Thread.sleep(10);
      }
      int answered = 0;
      for (int id = 1; id <= 100; id++) {
        answered += client.begins(id) ? 1 : 0; // a late event loop may refuse some
      }
      assertThat(answered).isPositive();
      assertThat(count("batches.refused.outstanding")).isZero();
    } finally {
      enough.set(true);
      server.kill();
      for (Thread thread : slow) {
        thread.join();
      }
    }
  }

  private static void neverRead(int port, AtomicBoolean enough) {
    while (!enough.get()) {
      try (FrameSocket socket = new FrameSocket(port)) {
        socket.greet();
        socket.flood(enough).join();
      } catch (IOException | InterruptedException e) {
        // The server has closed it.
      }
    }
  }

  private long count(String what) {
    return metrics.meter("lampone.tm." + what).getCount();
  }
}
