package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is in goes on, whatever happens at the door or next to it. */
@Timeout(180)
final class StormTest {

  private static final int MAX_HALF_OPEN = 100;
  private static final int MAX_CONNECTIONS = 500;

  private final MetricRegistry metrics = new MetricRegistry();
  private TransactionManagerServer server;

  @BeforeEach
  void start() throws Exception {
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .maxConnections(MAX_CONNECTIONS)
                .maxMessagesPerFrame(1000)
                .maxOutstandingPerConnection(1000)
                .handshakeTimeout(Duration.ofSeconds(30))
                .admission(
                    new AdmissionSettings(
                        Duration.ofMillis(10),
                        MAX_HALF_OPEN,
                        Optional.empty(),
                        Duration.ofSeconds(10)))
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void thousandsOfConnectionsDoNotStopAClientThatIsIn() throws Exception {
    try (FrameSocket client = new FrameSocket(server.port())) {
      client.greet();
      long id = 0;
      try (Storm storm = Storm.ofConnections(server.port(), 2_000)) {
        while (storm.done() < 4_000) {
          assertThat(client.begins(++id)).isTrue();
        }
      }
      assertThat(id).isGreaterThan(10);
    }
    assertThat(server.watch().last().pendingHandshakes()).isLessThanOrEqualTo(MAX_HALF_OPEN);
    // And whoever comes after the storm gets in again.
    while (!isWelcome()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void silentConnectionsAreClosedOldestFirstLongBeforeTheirTimeIsUp() throws Exception {
    FrameSocket[] silent = new FrameSocket[MAX_HALF_OPEN + 1];
    for (int i = 0; i < silent.length; i++) {
      silent[i] = new FrameSocket(server.port());
    }
    assertThat(silent[0].isClosedSilently()).isTrue();
    silent[MAX_HALF_OPEN].greet();
    silent[1].greet();
    assertThat(count("handshakes.displaced")).isEqualTo(1);
    for (FrameSocket socket : silent) {
      socket.close();
    }
  }

  @Test
  void aFloodOfBeginsDoesNotStopOthers() throws Exception {
    try (FrameSocket client = new FrameSocket(server.port());
        Storm one = Storm.ofBegins(server.port(), 1);
        Storm many = Storm.ofBegins(server.port(), 1000);
        Storm more = Storm.ofBegins(server.port(), 1000)) {
      client.greet();
      for (int id = 1; id <= 2_000; id++) {
        client.begins(id); // answered in any case, or this throws
      }
      assertThat(one.done()).isPositive();
      assertThat(many.done() + more.done()).isPositive();
    }
  }

  private boolean isWelcome() {
    try (FrameSocket late = new FrameSocket(server.port())) {
      late.send(Handshake.Hello.current());
      Handshake.Welcome.readFrom(late.receive());
      return true;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private long count(String what) {
    return metrics.meter("lampone.tm." + what).getCount();
  }
}
