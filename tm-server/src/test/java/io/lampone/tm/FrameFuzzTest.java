package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.WireReply;
import io.lampone.tm.admission.AdmissionSettings;
import io.lampone.tm.core.MemoryRecordStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Frames of a client that has been welcomed, changed: half of them in one field, with a checksum
 * that fits, the others cut, extended and made up. The server answers or ends the connection; its
 * memory stays bounded, and a client beside it is served.
 *
 * <p>{@code -Dlampone.test.fuzz.frames=10000000} is the campaign, in which the pace of new
 * connections is not limited. It also demands that with the default pace the 99th percentile of the
 * other client's latency is at most twice what it is beside as many valid frames.
 */
@Timeout(value = 7200)
final class FrameFuzzTest {

  private static final int BUILD_FRAMES = 10_000;
  private static final int FRAMES = Integer.getInteger("lampone.test.fuzz.frames", BUILD_FRAMES);
  private static final long SEED = Long.getLong("lampone.test.seed", System.nanoTime());
  private static final long MAX_GROWTH_BYTES = 128L << 20;

  /** Many of their connections end, or are waited for. */
  private static final int ATTACKERS = 4;

  /** For the comparison of latencies, in turns. */
  private static final int LATENCY_FRAMES = 200_000;

  private static final int LATENCY_TURNS = 10;

  private final MetricRegistry metrics = new MetricRegistry();
  private final ExecutorService threads = Executors.newFixedThreadPool(ATTACKERS);
  private TransactionManagerServer server;

  @AfterEach
  void stop() {
    threads.shutdownNow();
    server.close();
  }

  @Test
  void changedFrames_harmTheirSenderOnly() throws Exception {
    start(AdmissionSettings.HIGHEST_PER_SECOND);
    send(BUILD_FRAMES / 10, true, 0); // classes are loaded, code is compiled
    long before = usedBytes();
    Map<String, Long> outcomes = new TreeMap<>();
    long began = System.nanoTime();
    beside(() -> outcomes.putAll(send(FRAMES, true, 0)));
    long seconds = (System.nanoTime() - began) / 1_000_000_000;
    long growth = usedBytes() - before;
    System.out.println(
        "fuzzed frames=%d seed=%d %s grownBytes=%d seconds=%d"
            .formatted(FRAMES, SEED, outcomes, growth, seconds));
    assertThat(server.isPrimary()).as("seed=" + SEED).isTrue();
    assertThat(server.whenRetired()).as("seed=" + SEED).isNotDone();
    assertThat(outcomes.keySet()).contains("answered", "ended");
    assertThat(growth).as("bytes, seed=" + SEED).isLessThan(MAX_GROWTH_BYTES);
  }

  @Test
  void theLatencyOfAClientBesideThem_isAtMostTwiceThatBesideValidFrames() throws Exception {
    start(AdmissionSettings.DEFAULT.connectionsPerSecond());
    assumeTrue(FRAMES > BUILD_FRAMES, "a campaign");
    send(BUILD_FRAMES, true, 0);
    Histogram besideChanged = new Histogram(3);
    Histogram besideValid = new Histogram(3);
    int frames = LATENCY_FRAMES / LATENCY_TURNS;
    for (int turn = 0; turn < LATENCY_TURNS; turn++) {
      long began = System.nanoTime();
      besideChanged.add(beside(() -> send(frames, true, 0)));
      long nanosPerFrame = (System.nanoTime() - began) / frames;
      besideValid.add(beside(() -> send(frames, false, nanosPerFrame)));
    }
    long changedP99 = besideChanged.getValueAtPercentile(99) / 1_000;
    long validP99 = besideValid.getValueAtPercentile(99) / 1_000;
    System.out.println(
        "latency frames=%d seed=%d p99Micros=%d besideValid=%d p50Micros=%d besideValid=%d"
            .formatted(
                LATENCY_FRAMES,
                SEED,
                changedP99,
                validP99,
                besideChanged.getValueAtPercentile(50) / 1_000,
                besideValid.getValueAtPercentile(50) / 1_000));
    assertThat(changedP99).as("micros, seed=" + SEED).isLessThanOrEqualTo(2 * validP99);
  }

  private void start(int connectionsPerSecond) throws Exception {
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 16)
                .decisionMemoryCapacity(1 << 16)
                .admission(AdmissionSettings.DEFAULT.withConnectionsPerSecond(connectionsPerSecond))
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
  }

  /** The latency of another client's transactions in nanoseconds, while the attack runs. */
  private Histogram beside(Runnable attack) throws Exception {
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
                  socket.send(FrameAttacker.validation(socket, id + 1, begin, (int) (id % 10)));
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

  /** Sends this many frames by several clients, and returns how many ended in which way. */
  private Map<String, Long> send(int frames, boolean change, long nanosPerFrame) {
    List<CompletableFuture<Map<String, Long>>> parts = new ArrayList<>();
    for (int i = 0; i < ATTACKERS; i++) {
      FrameAttacker attacker = new FrameAttacker(server.port(), SEED + i);
      parts.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return attacker.send(frames / ATTACKERS, change, nanosPerFrame * ATTACKERS);
                } catch (IOException e) {
                  throw new AssertionError("an attacker was not let in, seed=" + SEED, e);
                }
              },
              threads));
    }
    Map<String, Long> outcomes = new TreeMap<>();
    parts.forEach(
        part -> part.join().forEach((outcome, count) -> outcomes.merge(outcome, count, Long::sum)));
    return outcomes;
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}
