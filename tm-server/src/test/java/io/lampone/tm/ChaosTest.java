package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.core.ClusterHistory;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Traps A9 and A10, finding M4: transactions over a network that loses, repeats and reorders frames
 * and cuts connections, while servers are killed and replaced.
 */
@Timeout(180)
final class ChaosTest {

  private static final int CALLERS = 8;
  private static final int TRANSACTIONS_PER_CALLER = 150;
  private static final int SERVERS = 4;
  private static final int TRANSACTIONS_PER_MILESTONE = CALLERS * TRANSACTIONS_PER_CALLER / SERVERS;
  private static final Duration LEASE = Duration.ofMillis(400);

  private final long seed = System.nanoTime();
  private final ClusterHistory history = new ClusterHistory("seed=" + seed);
  private final MemoryRecordStore store = new MemoryRecordStore();
  private final AtomicInteger finished = new AtomicInteger();

  /** Completed as the callers get on: at each of them the server is killed. */
  private final List<CompletableFuture<Void>> milestones =
      Stream.generate(CompletableFuture<Void>::new).limit(SERVERS).toList();

  @Test
  void noTimestampTwiceNoDecisionTwiceWhateverTheNetworkDoes() throws Exception {
    AtomicReference<TransactionManagerServer> current = new AtomicReference<>(startServer());
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try (ChaosProxy proxy = new ChaosProxy(() -> current.get().port(), seed);
        TransactionManagerClient client = client(proxy)) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Random random = new Random(seed + i);
        running.add(callers.submit(() -> workOrTell(client, random)));
      }
      for (int i = 1; i < SERVERS; i++) {
        milestones.get(i - 1).get(60, TimeUnit.SECONDS);
        current.get().kill();
        current.set(startServer());
      }
      for (Future<?> caller : running) {
        caller.get();
      }
      assertThat(history.answers()).isGreaterThan(CALLERS * TRANSACTIONS_PER_CALLER);
      assertThat(store.record().epoch()).isEqualTo(SERVERS);
    } finally {
      callers.shutdownNow();
      current.get().close();
    }
  }

  /** Whoever waits for the others to get on hears of a failure at once. */
  private void workOrTell(TransactionManagerClient client, Random random) {
    try {
      work(client, random);
    } catch (RuntimeException | Error e) {
      milestones.forEach(milestone -> milestone.completeExceptionally(e));
      throw e;
    }
  }

  private void work(TransactionManagerClient client, Random random) {
    for (int i = 0; i < TRANSACTIONS_PER_CALLER; i++) {
      try {
        transaction(client, random);
      } catch (ExecutionException | CompletionException e) {
        assertThat(e.getCause())
            .as("seed=%d", seed)
            .isInstanceOf(TransactionManagerException.class);
        // Says nothing about the outcome; the next transaction goes on.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      int count = finished.incrementAndGet();
      if (count % TRANSACTIONS_PER_MILESTONE == 0) {
        milestones.get(count / TRANSACTIONS_PER_MILESTONE - 1).complete(null);
      }
    }
  }

  private void transaction(TransactionManagerClient client, Random random)
      throws ExecutionException, InterruptedException {
    long highest = history.highest();
    long start = client.begin().get().startTimestamp();
    history.told(start, highest);
    long[] hashes = {random.nextInt(6)};
    Validator.Request request =
        new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, hashes, hashes);
    // The connection may be lost and the question repeated: the decision may be older than the
    // call.
    Validation validation = client.validate(request).get();
    history.decided(request.repeated(), validation, 0, 0);
    // Asked once more it must be the same decision, or none.
    history.decided(request.repeated(), client.validate(request.repeated()).get(), 0, 0);
    if (validation instanceof Validation.Refused) {
      return;
    }
    Status status = client.status(start, 0).get();
    assertThat(status).as("seed=%d", seed).isNotInstanceOf(Status.NotRequested.class);
    if (validation instanceof Validation.Passed passed && status instanceof Status.Passed same) {
      assertThat(same.commitTimestamp()).as("seed=%d", seed).isEqualTo(passed.commitTimestamp());
    }
  }

  private static TransactionManagerClient client(ChaosProxy proxy) {
    return TransactionManagerClient.create(
        TransactionManagerClientConfig.builder()
            .stallTimeout(Duration.ofMillis(60))
            .connectTimeout(Duration.ofMillis(300))
            .backoffCap(Duration.ofMillis(30))
            .build(),
        AddressSource.fixed(proxy.address()));
  }

  private TransactionManagerServer startServer() throws Exception {
    return TransactionManagerServer.start(
        TransactionManagerConfig.builder()
            .bindHost("127.0.0.1")
            .bindPort(0)
            .leaseDuration(LEASE)
            .leaseRenewInterval(LEASE.dividedBy(4))
            .conflictTableCapacity(1 << 12)
            .decisionMemoryCapacity(64)
            .build(),
        new MetricRegistry(),
        store,
        SystemClock.INSTANCE);
  }
}
