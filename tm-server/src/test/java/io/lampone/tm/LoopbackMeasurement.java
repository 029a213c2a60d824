package io.lampone.tm;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TransactionManager;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import io.lampone.tmclient.discovery.PrimaryAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Figures, no assertions; runs only when {@code -Dlampone.measure=true} is given. */
@EnabledIfSystemProperty(named = "lampone.measure", matches = "true")
final class LoopbackMeasurement {

  private static final Duration WARM_UP = Duration.ofSeconds(4);
  private static final Duration MEASURED = Duration.ofSeconds(6);
  private static final int HASHES = 4;

  @Test
  void pairsOfBeginAndValidate() throws Exception {
    try (TransactionManagerServer server = start();
        TransactionManagerClient client = client(server)) {
      for (int callers : new int[] {1, 16, 64, 256, 1024}) {
        run(client, callers, WARM_UP.toNanos());
        double rate = run(client, callers, MEASURED.toNanos());
        System.out.printf("callers=%d pairsPerSecond=%.0f%n", callers, rate);
      }
    }
  }

  @Test
  void latencyOfBeginWithOneCaller() throws Exception {
    try (TransactionManagerServer server = start();
        TransactionManagerClient client = client(server)) {
      long[] nanos = new long[50_000];
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < nanos.length; i++) {
          long before = System.nanoTime();
          client.begin().join();
          nanos[i] = System.nanoTime() - before;
        }
      }
      Arrays.sort(nanos);
      System.out.printf(
          "begin p50=%d us p99=%d us%n",
          nanos[nanos.length / 2] / 1000, nanos[nanos.length * 99 / 100] / 1000);
    }
  }

  @Test
  void failoverAsAClientSeesIt() throws Exception {
    MemoryRecordStore store = new MemoryRecordStore();
    AddressSource source =
        () -> {
          String[] address = store.record().address().split(":");
          return CompletableFuture.completedFuture(
              Optional.of(
                  PrimaryAddress.of(
                      new InetSocketAddress(address[0], Integer.parseInt(address[1])))));
        };
    TransactionManagerServer primary = start(store);
    primary.whenPrimary().join();
    try (TransactionManagerClient client =
        TransactionManagerClient.create(TransactionManagerClientConfig.builder().build(), source)) {
      for (int round = 0; round < 5; round++) {
        TransactionManagerServer backup = start(store);
        client.begin().join();
        primary.kill();
        long before = System.nanoTime();
        client.begin().join();
        System.out.printf("failover millis=%d%n", (System.nanoTime() - before) / 1_000_000);
        primary = backup;
      }
      primary.close();
    }
  }

  /** Each caller is a chain of callbacks, as in a client that never blocks. */
  private static double run(TransactionManager manager, int callers, long nanos) {
    long begin = System.nanoTime();
    AtomicLong pairs = new AtomicLong();
    CompletableFuture<?>[] chains = new CompletableFuture<?>[callers];
    for (int i = 0; i < callers; i++) {
      CompletableFuture<Void> chain = new CompletableFuture<>();
      chains[i] = chain;
      next(manager, new SplittableRandom(i), begin + nanos, pairs, chain);
    }
    CompletableFuture.allOf(chains).join();
    return pairs.get() * 1e9 / (System.nanoTime() - begin);
  }

  private static void next(
      TransactionManager manager,
      SplittableRandom random,
      long end,
      AtomicLong pairs,
      CompletableFuture<Void> chain) {
    if (System.nanoTime() - end >= 0) {
      chain.complete(null);
      return;
    }
    long[] hashes = random.longs(HASHES).toArray();
    manager
        .begin()
        .thenCompose(
            started ->
                manager.validate(
                    new Validator.Request(
                        started.startTimestamp(),
                        Proofs.OPEN.grant(started.startTimestamp(), 0),
                        true,
                        hashes,
                        hashes)))
        .whenComplete(
            (validation, failure) -> {
              if (failure != null) {
                chain.completeExceptionally(failure);
                return;
              }
              pairs.incrementAndGet();
              next(manager, random, end, pairs, chain);
            });
  }

  private static TransactionManagerServer start() throws Exception {
    TransactionManagerServer server = start(new MemoryRecordStore());
    server.whenPrimary().join();
    return server;
  }

  private static TransactionManagerServer start(MemoryRecordStore store) throws Exception {
    return TransactionManagerServer.start(
        TransactionManagerConfig.builder().bindHost("127.0.0.1").bindPort(0).build(),
        new MetricRegistry(),
        store,
        SystemClock.INSTANCE);
  }

  private static TransactionManagerClient client(TransactionManagerServer server) {
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder().build(),
        AddressSource.fixed(new InetSocketAddress("127.0.0.1", server.port())));
  }
}
