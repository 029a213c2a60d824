package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Frames of a client that has been welcomed, changed: half of them in one field, with a checksum
 * that fits, the others cut, extended and made up. The server answers or ends the connection; its
 * memory stays bounded, and a client beside it is served.
 *
 * <p>{@code -Dlampone.test.fuzz.frames=10000000} is the campaign, which also demands that the 99th
 * percentile of the other client's latency is at most twice what it is beside as many valid frames.
 */
@Timeout(value = 7200)
final class FrameFuzzTest {

  private static final int BUILD_FRAMES = 10_000;
  private static final int FRAMES = Integer.getInteger("lampone.test.fuzz.frames", BUILD_FRAMES);
  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final long MAX_GROWTH_BYTES = 128L << 20;

  /** Odd: hashes of different starts differ in all bytes, so no changed one is that of another. */
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  private static final int SILENCE_MILLIS = 5;

  private final MetricRegistry metrics = new MetricRegistry();
  private final Random random = new Random(SEED);
  private final Map<String, Long> outcomes = new TreeMap<>();
  private TransactionManagerServer server;
  private long nextId;

  @BeforeEach
  void start() throws Exception {
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 16)
                .decisionMemoryCapacity(1 << 16)
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
  void changedFrames_harmTheirSenderOnly() throws Exception {
    send(BUILD_FRAMES / 10, true); // classes are loaded, code is compiled
    long before = usedBytes();
    Histogram besideFuzz = beside(() -> send(FRAMES, true));
    long growth = usedBytes() - before;
    Map<String, Long> fuzzed = new TreeMap<>(outcomes);
    Histogram besideValid = beside(() -> send(FRAMES, false));

    long fuzzP99 = besideFuzz.getValueAtPercentile(99) / 1_000;
    long validP99 = besideValid.getValueAtPercentile(99) / 1_000;
    System.out.println(
        "fuzzed frames="
            + FRAMES
            + " seed="
            + SEED
            + " "
            + fuzzed
            + " p99Micros="
            + fuzzP99
            + " besideValid="
            + validP99
            + " grownBytes="
            + growth);
    assertThat(server.isPrimary()).as("seed=" + SEED).isTrue();
    assertThat(server.whenRetired()).as("seed=" + SEED).isNotDone();
    assertThat(fuzzed.keySet()).contains("answered", "ended");
    assertThat(growth).as("bytes, seed=" + SEED).isLessThan(MAX_GROWTH_BYTES);
    if (FRAMES > BUILD_FRAMES) {
      assertThat(fuzzP99).as("micros, seed=" + SEED).isLessThanOrEqualTo(2 * validP99);
    }
  }

  private interface Attack {
    void run() throws IOException;
  }

  /** The latency of another client's transactions in nanoseconds, while the attack runs. */
  private Histogram beside(Attack attack) throws Exception {
    AtomicBoolean enough = new AtomicBoolean();
    Histogram latencies = new Histogram(3);
    CompletableFuture<Void> honest =
        CompletableFuture.runAsync(
            () -> {
              try (FrameSocket socket = new FrameSocket(server.port())) {
                socket.greet();
                for (long id = 1; !enough.get(); id += 2) {
                  long began = System.nanoTime();
                  Begin begin = ((WireReply.Begun) socket.begin(id)).begin();
                  socket.send(validation(socket, id + 1, begin, (int) (id % 10)));
                  WireReply reply = WireReply.readBatch(socket.receive()).get(0);
                  latencies.recordValue(System.nanoTime() - began);
                  assertThat(((WireReply.Validated) reply).validation())
                      .isInstanceOf(Validator.Validation.Passed.class);
                }
              } catch (IOException e) {
                throw new AssertionError("the honest client was not served, seed=" + SEED, e);
              }
            });
    try {
      attack.run();
    } finally {
      enough.set(true);
    }
    try {
      honest.get(60, SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("seed=" + SEED, e.getCause());
    }
    assertThat(latencies.getTotalCount()).isPositive();
    return latencies;
  }

  private void send(int frames, boolean change) throws IOException {
    outcomes.clear();
    int sent = 0;
    while (sent < frames) {
      try (FrameSocket socket = new FrameSocket(server.port())) {
        socket.greet();
        nextId = 1;
        Begin begin = ((WireReply.Begun) socket.begin(nextId)).begin();
        if (change) {
          socket.timeout(SILENCE_MILLIS);
        }
        for (boolean open = true; open && sent < frames; sent++) {
          byte[] frame = valid(socket, begin);
          open = deliver(socket, change ? changed(frame) : frame);
        }
      }
    }
  }

  /** Says whether the connection can be used for another frame. */
  private boolean deliver(FrameSocket socket, byte[] frame) {
    String outcome;
    try {
      socket.send(frame);
      socket.receive();
      outcome = "answered";
    } catch (SocketTimeoutException e) {
      outcome = "waited for";
    } catch (IOException e) {
      outcome = "ended";
    }
    outcomes.merge(outcome, 1L, Long::sum);
    return outcome.equals("answered");
  }

  private byte[] valid(FrameSocket socket, Begin begin) {
    nextId++;
    switch (random.nextInt(4)) {
      case 0 -> {
        socket.writer().start(FrameKind.REQUESTS);
        new WireRequest.Begin(nextId).writeTo(socket.writer());
      }
      case 1 -> {
        socket.writer().start(FrameKind.REQUESTS);
        new WireRequest.Status(nextId, begin.startTimestamp(), 0).writeTo(socket.writer());
      }
      default -> {
        return validation(socket, nextId, begin, random.nextInt(20));
      }
    }
    return socket.frame();
  }

  private static byte[] validation(FrameSocket socket, long id, Begin begin, int hashes) {
    long[] all = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      all[i] = (begin.startTimestamp() + i) * SPREAD;
    }
    socket.writer().start(FrameKind.REQUESTS);
    Validator.Request request =
        new Validator.Request(begin.startTimestamp(), begin.grant(), true, all, all);
    new WireRequest.Validate(id, request).writeTo(socket.writer());
    return socket.frame();
  }

  private byte[] changed(byte[] frame) {
    if (random.nextBoolean()) {
      return FrameSocket.seal(lie(frame));
    }
    int at = random.nextInt(frame.length + 1);
    return switch (random.nextInt(5)) {
      case 0 -> Arrays.copyOf(frame, at);
      case 1 -> at < FrameLayout.BODY_OFFSET ? frame : FrameSocket.seal(Arrays.copyOf(frame, at));
      case 2 -> FrameSocket.seal(Arrays.copyOf(frame, frame.length + 1 + random.nextInt(64)));
      case 3 -> {
        if (at < frame.length) {
          frame[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
        yield frame;
      }
      default -> {
        byte[] noise = new byte[FrameLayout.BODY_OFFSET + random.nextInt(200)];
        random.nextBytes(noise);
        noise[FrameLayout.KIND_OFFSET] = (byte) random.nextInt(FrameKind.values().length + 3);
        yield FrameSocket.seal(noise);
      }
    };
  }

  /** Changes one field or byte behind the head. */
  private byte[] lie(byte[] frame) {
    int at =
        FrameLayout.KIND_OFFSET
            + random.nextInt(Math.max(1, frame.length - FrameLayout.KIND_OFFSET));
    if (random.nextBoolean() || at + Long.BYTES > frame.length) {
      frame[at] = (byte) random.nextInt();
      return frame;
    }
    ByteBuffer buffer = ByteBuffer.wrap(frame);
    long field = buffer.getLong(at);
    long[] numbers = {
      0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, field + 256, field - 256, random.nextLong(),
    };
    buffer.putLong(at, numbers[random.nextInt(numbers.length)]);
    return frame;
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
