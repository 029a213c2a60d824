package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where applications have taken all the room, whoever has to look into it gets in. */
@Timeout(180)
final class FullHouseTest {

  private static final int RESERVE = 16;

  @TempDir private Path folder;

  private final List<FrameSocket> sockets = new ArrayList<>();
  private Optional<TransactionManagerServer> server = Optional.empty();

  @AfterEach
  void stop() throws IOException {
    for (FrameSocket socket : sockets) {
      socket.close();
    }
    server.ifPresent(TransactionManagerServer::close);
  }

  @Test
  void aTenantThatIsFullKeepsNoAdministratorOut() throws Exception {
    start(100, "* connections=1\n");
    FrameSocket application = connect(0);
    Handshake.Welcome.readFrom(application.receive());
    assertFull(0);
    assertThat(tell("status").text())
        .contains("\"name\":\"others\"", "\"connections\":1,\"connectionsQuota\":1");
    assertThat(tell("drain").text()).contains("no such backup");
    assertThat(application.begins(1)).isTrue();
  }

  @Test
  void aServerThatIsFullKeepsAFewAdministratorsIn() throws Exception {
    start(1, "");
    Handshake.Welcome.readFrom(connect(0).receive());
    assertFull(0);
    assertThat(tell("status").succeeded()).isTrue();
    for (int i = 0; i < RESERVE; i++) {
      Handshake.Welcome.readFrom(connect(Capabilities.COMMANDS).receive());
    }
    assertFull(Capabilities.COMMANDS);
    FrameSocket last = sockets.get(RESERVE);
    new Command(1, "holds", "").writeTo(last.writer());
    last.send(last.frame());
    assertThat(Command.Result.readFrom(last.receive()).succeeded()).isTrue();
  }

  private void assertFull(long capabilities) throws IOException {
    FrameSocket socket = connect(capabilities);
    assertThat(Handshake.Reject.readFrom(socket.receive()).reason())
        .isEqualTo(Handshake.Reason.FULL);
    assertThat(socket.isClosedSilently()).isTrue();
    sockets.remove(socket);
  }

  private FrameSocket connect(long capabilities) throws IOException {
    FrameSocket socket = new FrameSocket(server.orElseThrow().port());
    sockets.add(socket);
    socket.send(new Handshake.Hello(1, 1, Capabilities.OWNERSHIP | capabilities, Bytes.EMPTY));
    return socket;
  }

  private CommandAnswer tell(String command) throws Exception {
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().build())) {
      return commands
          .ask(new InetSocketAddress("127.0.0.1", server.orElseThrow().port()), command, "")
          .get(60, SECONDS);
    }
  }

  private void start(int maxConnections, String tenants) throws Exception {
    Path file = Files.writeString(folder.resolve("tenants"), tenants);
    TransactionManagerServer started =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .maxConnections(maxConnections)
                .admission(
                    new AdmissionSettings(
                        Duration.ofMillis(10), 64, Optional.of(file), Duration.ofSeconds(10)))
                .build(),
            new MetricRegistry(),
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server = Optional.of(started);
    started.whenPrimary().get(60, SECONDS);
  }
}
