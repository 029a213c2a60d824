package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Quotas that change concern those who are connected, too. */
@Timeout(180)
final class ChangedQuotasTest {

  @TempDir private Path folder;

  private Path file;
  private TransactionManagerServer server;
  private CommandClient commands;

  @BeforeEach
  void start() throws Exception {
    file = Files.writeString(folder.resolve("tenants"), "* connections=10\n");
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .admission(
                    new AdmissionSettings(
                        Duration.ofMillis(10), 10, Optional.of(file), Duration.ofSeconds(10)))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
    commands = new CommandClient(TransactionManagerClientConfig.builder().build());
  }

  @AfterEach
  void stop() {
    commands.close();
    server.close();
  }

  @Test
  void aLineThatIsAddedOrTakenOutCountsForThoseWhoAreConnected() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.send(
          new Handshake.Hello(
              1, 1, Capabilities.OWNERSHIP, new Identity("", "reports").credential()));
      Handshake.Welcome.readFrom(socket.receive());
      assertThat(twoBegins(socket, 1)).isInstanceOf(WireReply.Begun.class);

      Files.writeString(file, "* connections=10\nreports requests=1 burst=1\n");
      awaitStatus("{\"name\":\"reports\",\"requests\":0,\"requestsPerSecondQuota\":1,");
      assertThat(status()).containsPattern("\"reports\"[^}]*\"connections\":1,");
      assertThat(twoBegins(socket, 3)).isInstanceOf(WireReply.Failed.class);

      Files.writeString(file, "* connections=20\n");
      awaitStatus("\"connectionsQuota\":20");
      // The socket and the one who asks.
      assertThat(status()).doesNotContain("reports").contains("\"connections\":2,");
      assertThat(twoBegins(socket, 5)).isInstanceOf(WireReply.Begun.class);
    }
  }

  /** Sends two frames at once; the answer to the second one. */
  private static WireReply twoBegins(FrameSocket socket, long id) throws IOException {
    for (long each = id; each < id + 2; each++) {
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(each).writeTo(socket.writer());
      socket.send(socket.frame());
    }
    WireReply.readBatch(socket.receive());
    return WireReply.readBatch(socket.receive()).get(0);
  }

  private void awaitStatus(String part) throws Exception {
    long deadline = System.nanoTime() + SECONDS.toNanos(20);
    while (!status().contains(part) && System.nanoTime() < deadline) {
      Thread.sleep(50); // the files are looked at every second
    }
    assertThat(status()).contains(part);
  }

  private String status() throws Exception {
    return commands
        .ask(new InetSocketAddress("127.0.0.1", server.port()), "status", "")
        .get(60, SECONDS)
        .text();
  }
}
