package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.connect.BlockingConnection;
import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Command;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commands of clients that are no administrators: how many there may be, and what they cost. */
@Timeout(180)
final class CommandBudgetTest {

  private static final String SECRET = "the-secret-of-all-of-them";
  private static final int STORM = 30;
  private static final int COMMANDS_OF_EACH = 40;
  private static final int COMMANDS_IN_A_ROUND = 2;
  private static final int BURSTS = 30;
  private static final int BURST = 50;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Generous, for other builds run on the same machine. */
  private static final Duration LONGEST_BEGIN = Duration.ofSeconds(10);

  @TempDir private Path directory;

  private final MetricRegistry metrics = new MetricRegistry();
  private final List<BlockingConnection> opened = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private TransactionManagerServer server;

  @BeforeEach
  void start() throws Exception {
    Path principals = directory.resolve("principals");
    Files.writeString(
        principals,
        "storm client * %s\nshop client * %s\nroot client,administrator * %s\n"
            .formatted(SECRET, SECRET, SECRET));
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    Path tenants =
        Files.writeString(directory.resolve("tenants"), "small requests=1 burst=2\n* burst=9\n");
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .admission(
                    new AdmissionSettings(
                        Duration.ofMillis(10), 1000, Optional.of(tenants), Duration.ofSeconds(10)))
                .security(
                    new SecuritySettings(
                        Mode.SECRET,
                        Optional.of(principals),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()))
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    opened.forEach(BlockingConnection::close);
    server.close();
  }

  @Test
  void aRoundHasAFewCommandsOfAllClientsTogether_andAllAreAnsweredAtLast() throws Exception {
    BlockingConnection other = open("shop", "", 0);
    List<BlockingConnection> storms = storms();
    long rounds = rounds();
    for (BlockingConnection storm : storms) {
      for (int id = 1; id <= COMMANDS_OF_EACH; id++) {
        send(storm, id, "holds", "");
      }
    }
    for (int id = 1; id <= 20; id++) {
      long asked = System.nanoTime();
      begin(other, id, 1);
      assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(LONGEST_BEGIN);
    }
    // One that is no longer there is not waited for.
    storms.remove(0).close();
    for (BlockingConnection storm : storms) {
      for (int id = 1; id <= COMMANDS_OF_EACH; id++) {
        Command.Result result = Command.Result.readFrom(storm.receive());
        assertThat(result.id()).isEqualTo(id);
        assertThat(result.succeeded()).as(result.text()).isTrue();
      }
    }
    assertThat(rounds() - rounds)
        .isGreaterThanOrEqualTo((STORM - 1) * COMMANDS_OF_EACH / COMMANDS_IN_A_ROUND);
  }

  /** Requests of others are not refused for the time that commands take. */
  @Test
  void manyListsOfOpenTransactions_takeNothingFromTheSharesOfOthers() throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (BlockingConnection storm : storms()) {
      report(storm);
      running.add(CompletableFuture.runAsync(() -> ask(storm, enough), threads));
    }
    BlockingConnection other = open("shop", "", 0);
    for (int i = 0; i < BURSTS; i++) {
      begin(other, 1 + i * BURST, BURST);
    }
    enough.set(true);
    CompletableFuture.allOf(running.toArray(CompletableFuture<?>[]::new)).get(120, SECONDS);
    assertThat(metrics.meter("lampone.tm.batches.refused.share").getCount()).isZero();
  }

  @Test
  void aTenantThatHasUsedUpItsQuotaIsToldWhenToComeBack() throws Exception {
    BlockingConnection small = open("shop", "small", Capabilities.COMMANDS);
    Command.Result refused = ask(small, 1, "transactions", "");
    for (int id = 2; id < 100 && refused.succeeded(); id++) {
      refused = ask(small, id, "transactions", "");
    }
    assertThat(refused.text()).contains("quota").containsPattern("retryAfterMillis=[1-9]");
    // What its transactions need is not refused for that.
    assertThat(ask(small, 100, "buckets", "").text()).startsWith("lampone-buckets");
    assertThat(ask(small, 101, "renew", "owner=a name=b ttl=1000").text()).doesNotContain("quota");
    BlockingConnection root = open("root", "small", Capabilities.COMMANDS);
    for (int id = 1; id <= 20; id++) {
      assertThat(ask(root, id, "transactions", "").succeeded()).isTrue();
    }
  }

  private long rounds() {
    return metrics.histogram("lampone.tm.loop.round.nanos").getCount();
  }

  private List<BlockingConnection> storms() throws IOException {
    List<BlockingConnection> storms = new ArrayList<>();
    for (int i = 0; i < STORM; i++) {
      storms.add(open("storm", "", Capabilities.COMMANDS | Capabilities.PROGRESS));
    }
    return storms;
  }

  private BlockingConnection open(String name, String tenant, long capabilities)
      throws IOException {
    BlockingConnection connection =
        BlockingConnection.open(
            new InetSocketAddress("127.0.0.1", server.port()),
            ClientSecurity.NONE
                .withIdentity(new Identity(name, tenant))
                .withSecret(new SharedSecret(Bytes.utf8(SECRET))),
            capabilities,
            LIMIT,
            SystemClock.INSTANCE);
    opened.add(connection);
    connection.allow(LIMIT);
    return connection;
  }

  /** Reports as many open transactions as a report can have. */
  private static void report(BlockingConnection connection) throws IOException {
    List<ProgressReport.Open> full =
        Collections.nCopies(64, new ProgressReport.Open(512, 7_000, "x".repeat(63)));
    connection.writer().start(FrameKind.REQUESTS);
    new WireRequest.Report(1, new ProgressReport(0, new long[0], Optional.of(full)))
        .writeTo(connection.writer());
    connection.send();
    connection.receive();
  }

  private static void ask(BlockingConnection connection, AtomicBoolean enough) {
    try {
      for (int id = 1; !enough.get(); id++) {
        connection.allow(LIMIT);
        assertThat(ask(connection, id, "transactions", "").succeeded()).isTrue();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Command.Result ask(
      BlockingConnection connection, long id, String name, String argument) throws IOException {
    send(connection, id, name, argument);
    return Command.Result.readFrom(connection.receive());
  }

  private static void send(BlockingConnection connection, long id, String name, String argument)
      throws IOException {
    new Command(id, name, argument).writeTo(connection.writer());
    connection.send();
  }

  /** Sends begins, each in a frame, and expects that none is refused. */
  private static void begin(BlockingConnection connection, long firstId, int count)
      throws IOException {
    for (int i = 0; i < count; i++) {
      connection.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(firstId + i).writeTo(connection.writer());
      connection.send();
    }
    for (int answered = 0; answered < count; ) {
      List<WireReply> replies = WireReply.readBatch(connection.receive());
      assertThat(replies).allSatisfy(each -> assertThat(each).isInstanceOf(WireReply.Begun.class));
      answered += replies.size();
    }
  }
}
