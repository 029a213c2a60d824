package io.lampone.tm;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A primary that refuses is alive, and can be told from one that is not. */
@Timeout(180)
final class RefusalTest {

  private static final int REQUESTS_PER_SECOND = 100;

  /** So many requests at once are a debt of ten seconds, of which at most five are told. */
  private static final int MANY = 10 * REQUESTS_PER_SECOND;

  @TempDir private Path folder;

  private TransactionManagerServer server;

  @BeforeEach
  void start() throws Exception {
    Path tenants =
        Files.writeString(folder.resolve("tenants"), "* requests=" + REQUESTS_PER_SECOND + "\n");
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .admission(
                    new AdmissionSettings(
                        Duration.ofMillis(10), 10, Optional.of(tenants), Duration.ofSeconds(10)))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** Clients wait a second for an answer before they look for the primary elsewhere. */
  @Test
  void whoIsRefusedIsAnsweredSoonThoughItDoesNotStayAway() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      sendBegins(socket, 1, MANY);
      assertThat(WireReply.readBatch(socket.receive())).hasSize(MANY);
      long id = MANY;
      long began = System.nanoTime();
      for (int i = 0; i < 4; i++) { // two of them together
        sendBegins(socket, ++id, 1);
        sendBegins(socket, ++id, 1);
        assertRefused(socket);
        assertRefused(socket);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
    }
  }

  @Test
  void aPrimaryThatRefusesIsNotTakenForDead() {
    TransactionManagerClientConfig config =
        TransactionManagerClientConfig.builder()
            .requestTimeout(Duration.ofSeconds(150))
            .stallTimeout(Duration.ofSeconds(4))
            .build();
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
    try (TransactionManagerClient client =
        TransactionManagerClient.create(config, AddressSource.fixed(address))) {
      List<CompletableFuture<Begin>> begins = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        begins.add(client.begin());
      }
      for (int i = 0; i < 30; i++) { // others come meanwhile
        begins.add(client.begin());
        new CompletableFuture<Void>().completeOnTimeout(null, 100, MILLISECONDS).join();
      }
      begins.forEach(CompletableFuture::join);
      assertThat(client.statistics().connections()).isEqualTo(1);
    }
  }

  private static void assertRefused(FrameSocket socket) throws IOException {
    WireReply reply = WireReply.readBatch(socket.receive()).get(0);
    assertThat(reply).isInstanceOf(WireReply.Failed.class);
    assertThat(((WireReply.Failed) reply).retryAfterMillis()).isGreaterThan(3_000);
  }

  private static void sendBegins(FrameSocket socket, long firstId, int count) throws IOException {
    socket.writer().start(FrameKind.REQUESTS);
    for (int i = 0; i < count; i++) {
      new WireRequest.Begin(firstId + i).writeTo(socket.writer());
    }
    socket.send(socket.frame());
  }
}
