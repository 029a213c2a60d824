package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Trap D8: whatever a client does costs that client its connection and nobody else anything. */
@Timeout(180)
final class HostileClientTest {

  private static final int MAX_CONNECTIONS = 40;

  private final MetricRegistry metrics = new MetricRegistry();
  private final AtomicInteger lookups = new AtomicInteger();
  private TransactionManagerServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 12)
                .decisionMemoryCapacity(1 << 12)
                .maxFrameBytes(16 << 10)
                .maxMessagesPerFrame(100)
                .maxConnections(MAX_CONNECTIONS)
                .handshakeTimeout(Duration.ofSeconds(3))
                .leaseDuration(Duration.ofSeconds(4))
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
    AddressSource source = AddressSource.fixed(new InetSocketAddress("127.0.0.1", server.port()));
    client =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder()
                .requestTimeout(Duration.ofMinutes(1))
                .connectTimeout(Duration.ofMinutes(1))
                .stallTimeout(Duration.ofMinutes(1))
                .build(),
            () -> {
              lookups.incrementAndGet();
              return source.find();
            });
    begin();
  }

  @AfterEach
  void theOthersWereNotDisturbed() throws Exception {
    begin();
    assertThat(lookups).hasValue(1);
    assertThat(server.isPrimary()).isTrue();
    client.close();
    server.close();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("lampone-tm")) {
        // A thread that has said that it is done may be alive for a moment longer.
        thread.join(10_000);
        assertThat(thread.isAlive()).as("thread=%s", thread.getName()).isFalse();
      }
    }
  }

  @Test
  void damagedFramesCostTheirSenderTheConnection() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      try (FrameSocket socket = new FrameSocket(server.port())) {
        if (random.nextBoolean()) {
          socket.greet();
        }
        byte[] frame = validFrame(socket, random);
        switch (random.nextInt(4)) {
          case 0 -> frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
          case 1 -> frame = Arrays.copyOf(frame, random.nextInt(frame.length));
          case 2 -> random.nextBytes(frame);
          default -> {
            frame[0] = (byte) random.nextInt();
            frame[1] = (byte) (1 + random.nextInt(100));
          }
        }
        socket.send(frame);
        socket.endOutput();
        assertThat(socket.isClosedSilently()).as("seed=%d", seed).isTrue();
      } catch (IOException e) {
        // Closed while this was still being written: that is what it deserves.
        assertThat(e).as("seed=%d", seed).isNotInstanceOf(SocketTimeoutException.class);
      }
      begin();
    }
    assertThat(metrics.meter("lampone.tm.connections.malformed").getCount()).isPositive();
  }

  @Test
  void everyFlippedBitOfARequestCostsTheConnectionAndExecutesNothing() throws Exception {
    long begins = count("begins");
    int mine = 0;
    byte[] frame;
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(1).writeTo(socket.writer());
      frame = socket.frame();
    }
    for (int bit = 32; bit < frame.length * Byte.SIZE; bit++) {
      try (FrameSocket socket = new FrameSocket(server.port())) {
        socket.greet();
        byte[] damaged = frame.clone();
        damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        socket.send(damaged);
        assertThat(socket.isClosedSilently()).as("bit=%d", bit).isTrue();
        mine++;
      }
    }
    assertThat(mine).isPositive();
    assertThat(count("begins")).isEqualTo(begins);
  }

  /** A start timestamp is no secret: every intent shows it. */
  @Test
  void whoValidatesTheTransactionOfAnotherIsDroppedAndDecidesNothing() throws Exception {
    Begin victim = client.begin().get(60, SECONDS);
    long start = victim.startTimestamp();
    long[] hashes = {7};
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      Begin own = ((WireReply.Begun) socket.begin(1)).begin();
      validate(socket, new Validator.Request(start, own.grant(), true, hashes, hashes));
    }
    Grant guessed = new Grant(start, 0, new Tag(1, 2));
    Grant wider =
        new Grant(victim.grant().first(), victim.grant().span() + 1, victim.grant().secret());
    for (Grant grant : List.of(guessed, wider)) {
      try (FrameSocket socket = new FrameSocket(server.port())) {
        socket.greet();
        validate(socket, new Validator.Request(start, grant, true, hashes, hashes));
      }
    }
    assertThat(metrics.meter("lampone.tm.connections.unowned").getCount()).isEqualTo(3);
    assertThat(client.status(start, 0).get(60, SECONDS)).isInstanceOf(Status.NotRequested.class);
    assertThat(
            client
                .validate(new Validator.Request(start, victim.grant(), true, hashes, hashes))
                .get(60, SECONDS))
        .isInstanceOf(Validator.Validation.Passed.class);
  }

  private static void validate(FrameSocket socket, Validator.Request request) throws IOException {
    socket.writer().start(FrameKind.REQUESTS);
    new WireRequest.Validate(2, request).writeTo(socket.writer());
    socket.send(socket.frame());
    assertThat(socket.isClosedSilently()).isTrue();
  }

  @Test
  void nothingIsExecutedBeforeTheHandshake() throws Exception {
    long begins = count("begins");
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(1).writeTo(socket.writer());
      socket.send(socket.frame());
      assertThat(socket.isClosedSilently()).isTrue();
    }
    assertThat(count("begins")).isEqualTo(begins);
  }

  @Test
  void nothingIsExecutedAfterAMalformedFrameThoughItHasArrived() throws Exception {
    long begins = count("begins");
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      Handshake.Hello.current().writeTo(socket.writer());
      byte[] hello = socket.frame();
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(1).writeTo(socket.writer());
      byte[] request = socket.frame();
      byte[] both = Arrays.copyOf(hello, hello.length + request.length);
      System.arraycopy(request, 0, both, hello.length, request.length);
      socket.send(both);
      assertThat(socket.isClosedSilently()).isTrue();
    }
    assertThat(count("begins")).isEqualTo(begins);
  }

  @Test
  void idsThatAreUsedAgainCostTheConnection() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(5).writeTo(socket.writer());
      byte[] frame = socket.frame();
      socket.send(frame);
      assertThat(WireReply.readBatch(socket.receive())).hasSize(1);
      socket.send(frame);
      assertThat(socket.isClosedSilently()).isTrue();
    }
  }

  @Test
  void aVersionThatNobodySpeaksIsRefusedWithTheVersionsThatAreSpoken() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      new Handshake.Hello(7, 9, 0, Bytes.EMPTY).writeTo(socket.writer());
      socket.send(socket.frame());
      Handshake.Reject reject = Handshake.Reject.readFrom(socket.receive());
      assertThat(reject.reason()).isEqualTo(Handshake.Reason.VERSION);
      assertThat(reject.highestVersion()).isEqualTo(1);
      assertThat(socket.isClosedSilently()).isTrue();
    }
  }

  @Test
  void aNewerClientThatStillSpeaksThisVersionIsWelcome() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      new Handshake.Hello(1, 9, -1, Bytes.of((byte) 1)).writeTo(socket.writer());
      socket.send(socket.frame());
      assertThat(Handshake.Welcome.readFrom(socket.receive()).version()).isEqualTo(1);
    }
  }

  @Test
  void whoSaysNothingIsShownOut() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      assertThat(socket.isClosedSilently()).isTrue();
    }
  }

  @Test
  void tooManyConnectionsAreRefused() throws Exception {
    List<FrameSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < MAX_CONNECTIONS - 1; i++) {
        FrameSocket socket = new FrameSocket(server.port());
        sockets.add(socket);
        socket.greet();
      }
      FrameSocket oneTooMany = new FrameSocket(server.port());
      sockets.add(oneTooMany);
      Handshake.Hello.current().writeTo(oneTooMany.writer());
      oneTooMany.send(oneTooMany.frame());
      assertThat(Handshake.Reject.readFrom(oneTooMany.receive()).reason())
          .isEqualTo(Handshake.Reason.FULL);
    } finally {
      for (FrameSocket socket : sockets) {
        socket.close();
      }
    }
  }

  /** Trap D11, finding M14: a made-up timestamp must not depose the primary. */
  @Test
  void aTimestampFromTheFutureCostsItsSenderTheConnection() throws Exception {
    for (int i = 0; i < 20; i++) {
      try (FrameSocket socket = new FrameSocket(server.port())) {
        socket.greet();
        socket.writer().start(FrameKind.REQUESTS);
        new WireRequest.Status(1, Timestamps.MAX, 0).writeTo(socket.writer());
        socket.send(socket.frame());
        assertThat(socket.isClosedSilently()).isTrue();
      }
    }
    assertThat(server.whenRetired()).isNotDone();
  }

  /** Of a host that has vanished nothing ever comes: the system has to ask whether it is there. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aConnectionThatSaysNothingIsLookedAfter() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      String server4 = String.format(":%04X", server.port());
      String client4 = String.format(":%04X", socket.port());
      List<String[]> ours =
          Stream.of("/proc/net/tcp", "/proc/net/tcp6")
              .flatMap(file -> lines(Path.of(file)))
              .map(line -> line.trim().split("\\s+"))
              .filter(line -> line[1].endsWith(server4) && line[2].endsWith(client4))
              .toList();
      assertThat(ours).hasSize(1);
      String[] timer = ours.get(0)[5].split(":"); // kind, and hundredths of a second until then
      assertThat(timer[0]).as("2 = keep-alive").isEqualTo("02");
      assertThat(Long.parseLong(timer[1], 16)).isLessThanOrEqualTo(60 * 100);
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Trap D7: one request with extreme hashes killed a predecessor. */
  @Test
  void extremeHashesAndCountsAreAnswered() throws Exception {
    long start = client.begin().get(60, SECONDS).startTimestamp();
    long[] extremes = {0, Long.MIN_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE};
    assertThat(
            client
                .validate(
                    new Validator.Request(
                        start, Proofs.OPEN.grant(start, 0), true, extremes, extremes))
                .get(60, SECONDS))
        .isInstanceOf(Validator.Validation.Passed.class);
  }

  /** A client that asks and never reads is not read from; the server keeps no more for it. */
  @Test
  void aClientThatNeverReadsIsHeldBack() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      Thread sender =
          new Thread(
              () -> {
                try {
                  for (long id = 1; ; id += 100) {
                    socket.writer().start(FrameKind.REQUESTS);
                    for (int i = 0; i < 100; i++) {
                      new WireRequest.Begin(id + i).writeTo(socket.writer());
                    }
                    socket.send(socket.frame());
                  }
                } catch (IOException e) {
                  // The test has closed the socket.
                }
              });
      sender.start();
      long last = -1;
      for (long now = batchesOfTheFlood(); now != last; now = batchesOfTheFlood()) {
        last = now;
        sender.join(500);
        begin();
      }
      assertThat(sender.isAlive()).isTrue();
      assertThat(count("batches.overloaded")).isPositive();
      socket.close();
      sender.join(5_000);
    }
  }

  /** What it was held back for is forgotten when it has taken its replies. */
  @Test
  void aClientThatReadsAgainIsServedAgain() throws Exception {
    try (FrameSocket socket = new FrameSocket(server.port())) {
      socket.greet();
      AtomicBoolean enough = new AtomicBoolean();
      Thread sender = socket.flood(enough);
      while (count("batches.overloaded") == 0) {
        begin();
      }
      enough.set(true);
      // The sender may wait for room that only reading makes.
      while (WireReply.readBatch(socket.receive()).size() > 1) {
        // One of the flood.
      }
      sender.join(10_000);
      socket.writer().start(FrameKind.REQUESTS);
      new WireRequest.Begin(Long.MAX_VALUE).writeTo(socket.writer());
      socket.send(socket.frame());
      assertThat(WireReply.readBatch(socket.receive()).get(0)).isInstanceOf(WireReply.Begun.class);
    }
  }

  private long count(String what) {
    return metrics.meter("lampone.tm." + what).getCount();
  }

  /** Grows while the server reads from a client that floods it; hardly with a begin of the test. */
  private long batchesOfTheFlood() {
    return count("batches.overloaded") + count("begins") / 100;
  }

  private void begin() throws Exception {
    client.begin().get(60, SECONDS);
  }

  private static byte[] validFrame(FrameSocket socket, Random random) {
    if (random.nextInt(4) == 0) {
      Handshake.Hello.current().writeTo(socket.writer());
      return socket.frame();
    }
    socket.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(1).writeTo(socket.writer());
    new WireRequest.Status(2, Timestamps.PLAIN_LIMIT, 0).writeTo(socket.writer());
    return socket.frame();
  }
}
