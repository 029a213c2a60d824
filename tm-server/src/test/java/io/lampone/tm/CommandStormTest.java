package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.core.MemoryRecordStore;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Commands are small and their answers are not: whoever sends many waits for himself. */
@Timeout(180)
final class CommandStormTest {

  private static final int OWNERS = 2;
  private static final int HOLDS = 200;
  private static final int COMMANDS = 1_000;
  private static final int NOT_READING = 40;
  private static final int COMMANDS_OF_EACH = 60;

  /** A few times the longest answer, and less than what makes a connection unwritable. */
  private static final long MOST_MEMORY_OF_EACH = 400 << 10;

  /** Of a begin beside the storm; generous, for other builds run on the same machine. */
  private static final Duration LONGEST_BEGIN = Duration.ofSeconds(10);

  /** One answer beyond what makes a connection unwritable, and what Netty takes at a time. */
  private static final long MOST_MEMORY = 32 << 20;

  private final MetricRegistry metrics = new MetricRegistry();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger log = (Logger) LoggerFactory.getLogger("io.lampone.tm.net");
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
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
    lines.start();
    log.setLevel(Level.INFO);
    log.setAdditive(false);
    log.addAppender(lines);
  }

  @AfterEach
  void stop() {
    log.detachAppender(lines);
    log.setAdditive(true);
    log.setLevel(null);
    server.close();
  }

  @Test
  void whoSendsCommandsWithoutReadingKeepsNobodyWaitingAndIsServedWhenHeReads() throws Exception {
    try (FrameSocket storm = connect();
        FrameSocket other = connect()) {
      takeHolds(storm, ((WireReply.Begun) other.begin(1)).begin().startTimestamp());
      long memory = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      for (int id = 1; id <= COMMANDS; id++) {
        send(storm, id, "holds", "");
      }
      for (int id = 2; id <= 100; id++) {
        long asked = System.nanoTime();
        other.begins(id); // or is refused, if others have the processor
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(LONGEST_BEGIN);
      }
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - memory)
          .isLessThan(MOST_MEMORY);
      for (int id = 1; id <= COMMANDS; id++) {
        Command.Result result = Command.Result.readFrom(storm.receive());
        assertThat(result.id()).isEqualTo(id);
        assertThat(result.succeeded()).as(result.text()).isTrue();
      }
      assertThat(storm.begins(1)).isTrue();
    }
    assertThat(lines.list).hasSizeLessThan(40);
  }

  /** Else each of many who do not read is kept a megabyte of answers. */
  @Test
  void whoDoesNotTakeAnAnswerIsNotKeptAnother() throws Exception {
    List<FrameSocket> storms = new ArrayList<>();
    try (FrameSocket other = connect()) {
      takeHolds(other, ((WireReply.Begun) other.begin(1)).begin().startTimestamp());
      long memory = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      for (int i = 0; i < NOT_READING; i++) {
        storms.add(connect(narrow()));
      }
      for (FrameSocket storm : storms) {
        for (int id = 1; id <= COMMANDS_OF_EACH; id++) {
          send(storm, id, "holds", "");
        }
      }
      for (int id = 2; id <= 500; id++) {
        other.begins(id);
      }
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - memory)
          .isLessThan(NOT_READING * MOST_MEMORY_OF_EACH);
      for (FrameSocket storm : storms) {
        for (int id = 1; id <= COMMANDS_OF_EACH; id++) {
          assertThat(Command.Result.readFrom(storm.receive()).id()).isEqualTo(id);
        }
      }
    } finally {
      for (FrameSocket storm : storms) {
        storm.close();
      }
    }
  }

  /** Takes little of what nobody reads. */
  private Socket narrow() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(1 << 12);
    socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
    return socket;
  }

  @Test
  void aMadeUpNameIsOneLineAtMost() throws Exception {
    try (FrameSocket socket = connect()) {
      for (int id = 1; id <= 50; id++) {
        send(socket, id, "x\n12:00 INFO " + id, "");
      }
      for (int id = 1; id <= 50; id++) {
        assertThat(Command.Result.readFrom(socket.receive()).succeeded()).isFalse();
      }
      send(socket, 51, "holds", "");
      assertThat(Command.Result.readFrom(socket.receive()).succeeded()).isTrue();
    }
    assertThat(lines.list)
        .hasSizeLessThan(20)
        .extracting(ILoggingEvent::getFormattedMessage)
        .allSatisfy(line -> assertThat(line).doesNotContain("\n"))
        .anyMatch(line -> line.contains("name=x?12:00 INFO 1 "))
        .anyMatch(line -> line.contains("name=holds "));
  }

  private static void takeHolds(FrameSocket socket, long snapshot) throws IOException {
    String name = "n".repeat(59);
    String owner = "o".repeat(60);
    for (int i = 0; i < OWNERS * HOLDS; i++) {
      send(
          socket,
          i,
          "hold",
          "owner=%s%d name=%s%d ttl=600000 timestamp=%d"
              .formatted(owner, i / HOLDS, name, i % HOLDS, snapshot));
      Command.Result result = Command.Result.readFrom(socket.receive());
      assertThat(result.succeeded()).as(result.text()).isTrue();
    }
  }

  private static void send(FrameSocket socket, long id, String name, String argument)
      throws IOException {
    new Command(id, name, argument).writeTo(socket.writer());
    socket.send(socket.frame());
  }

  private FrameSocket connect() throws IOException {
    return connect(new Socket("127.0.0.1", server.port()));
  }

  private static FrameSocket connect(Socket connected) throws IOException {
    FrameSocket socket = new FrameSocket(connected);
    socket.send(new Handshake.Hello(1, 1, Capabilities.COMMANDS, Bytes.EMPTY));
    Handshake.Welcome.readFrom(socket.receive());
    return socket;
  }
}
