package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.RegionRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Replies are lost, attempts come late, regions move and servers die between an operation of the
 * fast path and its repetition: it is applied once (traps E4 and A13; H9).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FastPathFaultsIT {

  private static final String ROW = TwoRows.LEADER;

  @TempDir private static Path folder;

  private EmbeddedLampone cluster;
  private Connection connection;
  private LamponeClient client;
  private TwoRows rows;
  private FastPathTable fast;

  @BeforeAll
  void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
    connection = ConnectionFactory.createConnection(cluster.configuration());
    client = connect("180s");
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    cluster.close();
  }

  @BeforeEach
  void createTable(TestInfo test) throws IOException {
    rows =
        TwoRows.create(
            client,
            connection,
            test.getTestMethod().orElseThrow().getName().substring(0, 20)
                + Math.abs(test.getDisplayName().hashCode()));
    fast = client.fastPath().table(rows.table());
    increment(fast); // waits until the region has a timestamp
  }

  private LamponeClient connect(String operationTimeout) throws IOException {
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.set("lampone.client.operation.timeout", operationTimeout);
    return LamponeClient.connect(configuration);
  }

  /** The ways to commit the increment. */
  enum Way {
    FAST_PATH,
    ONE_REGION
  }

  /** The event between the first attempt and the next. */
  enum Meanwhile {
    NOTHING,
    THE_REGION_MOVES,
    THE_SERVER_DIES
  }

  @ParameterizedTest
  @EnumSource(Meanwhile.class)
  void anIncrementWhoseReplyIsLostCountsOnce(Meanwhile meanwhile) throws Exception {
    countsOnce(Way.FAST_PATH, meanwhile);
  }

  @ParameterizedTest
  @EnumSource(Meanwhile.class)
  void aTransactionOfOneRegionWhoseReplyIsLostCountsOnce(Meanwhile meanwhile) throws Exception {
    countsOnce(Way.ONE_REGION, meanwhile);
  }

  private void countsOnce(Way way, Meanwhile meanwhile) throws Exception {
    Gate applied = new Gate();
    AtomicBoolean once = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Fault lost =
        new Fault() {
          @Override
          public void after(RegionInfo region, RegionRequest request) throws IOException {
            if (isCommit(way, region, request) && once.compareAndSet(false, true)) {
              applied.pass();
              throw new IOException("lost by a test");
            }
          }
        };
    try (Faults.Active fault = Faults.add(lost)) {
      Future<?> done =
          thread.submit(
              () -> {
                if (way == Way.FAST_PATH) {
                  increment(fast);
                } else {
                  incrementByTransaction(client);
                }
                return null;
              });
      applied.awaitReached();
      pass(meanwhile);
      applied.open();
      done.get();
    } finally {
      applied.open();
      thread.shutdownNow();
    }
    assertThat(count(client)).isEqualTo(2);
  }

  private void pass(Meanwhile meanwhile) throws IOException {
    EmbeddedHBase hbase = cluster.hbase();
    RegionInfo region = connection.getAdmin().getRegions(rows.table()).get(0);
    int server = hbase.regionServerOf(region);
    switch (meanwhile) {
      case THE_REGION_MOVES -> hbase.moveRegion(region, otherThan(server));
      case THE_SERVER_DIES -> {
        hbase.startRegionServer();
        hbase.killRegionServer(server);
        hbase.waitUntilAssigned(rows.table());
      }
      default -> {}
    }
  }

  private int otherThan(int server) {
    for (int i = 0; i < cluster.hbase().regionServerCount(); i++) {
      if (i != server && cluster.hbase().isAlive(i)) {
        return i;
      }
    }
    throw new IllegalStateException("no other server");
  }

  /** The first attempt is delayed until the second has been answered: it is too late. */
  @Test
  void anAttemptThatComesAfterItsRepetitionIsNotApplied() throws Exception {
    Gate late = new Gate();
    AtomicBoolean once = new AtomicBoolean();
    CountDownLatch ended = new CountDownLatch(1);
    Fault hold =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (isCommit(Way.FAST_PATH, region, request) && once.compareAndSet(false, true)) {
              Thread.currentThread().setName(Thread.currentThread().getName() + " (held)");
              late.pass();
              // The attempt is executed only now; the count shows its effect.
              ended.countDown();
            }
          }
        };
    try (LamponeClient hasty = connect("3s");
        Faults.Active fault = Faults.add(hold)) {
      increment(hasty.fastPath().table(rows.table()));
      assertThat(count(client)).isEqualTo(2);
      late.open();
      assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 5; i++) {
        increment(fast);
      }
      assertThat(count(client)).isEqualTo(7);
    }
  }

  @Test
  void incrementsOfManyAreCountedOnceEachThoughRepliesAreLost() throws Exception {
    int threads = 4;
    int each = 25;
    AtomicInteger requests = new AtomicInteger();
    Predicate<RegionRequest> everyFifth =
        r ->
            (r instanceof FastWrite || r instanceof OneRegionCommit)
                && requests.incrementAndGet() % 5 == 0;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Faults.Active fault = Faults.add(lost(everyFifth))) {
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        boolean byTransaction = i % 2 == 0;
        ends.add(
            pool.submit(
                () -> {
                  for (int n = 0; n < each; n++) {
                    if (byTransaction) {
                      incrementByTransaction(client);
                    } else {
                      increment(fast);
                    }
                  }
                  return null;
                }));
      }
      for (Future<Void> end : ends) {
        end.get();
      }
    } finally {
      pool.shutdownNow();
    }
    assertThat(count(client)).isEqualTo(1 + threads * each);
  }

  @Test
  void anUnknownOutcomeCanBeAskedForLater() throws Exception {
    try (LamponeClient hasty = connect("1s")) {
      FastPathTable table = hasty.fastPath().table(rows.table());
      table.get(new Get(TwoRows.bytes(ROW)));
      FastPathId applied;
      try (Faults.Active fault = Faults.add(lost(this::isFast))) {
        applied = unknown(() -> increment(table));
      }
      FastPathId never;
      // On a busy machine the last attempt arrives when the client has given up.
      try (Faults.Active late = Faults.add(lostBefore(FastWrite.class::isInstance))) {
        try (Faults.Active fault = Faults.add(lostBefore(this::isFast))) {
          never = unknown(() -> increment(table));
        }
        assertThat(client.fastPath().outcome(FastPathId.parse(applied.toString())))
            .isInstanceOf(TransactionOutcome.Committed.class);
        assertThat(client.fastPath().outcome(never)).isEqualTo(new TransactionOutcome.Aborted());
      }
      assertThat(count(client)).isEqualTo(2);
    }
  }

  private interface Step {
    void run() throws IOException;
  }

  private static FastPathId unknown(Step step) {
    Throwable failure = catchThrowable(step::run);
    assertThat(failure).isInstanceOf(CommitOutcomeUnknownException.class);
    return ((CommitOutcomeUnknownException) failure).operations().get(0);
  }

  @Test
  void theStatusOfAOneRegionCommitWhoseReplyWasLostForGoodIsFoundByItsId() throws Exception {
    TransactionOptions shortLived = TransactionOptions.DEFAULT.withTimeout(Duration.ofSeconds(3));
    try (LamponeClient hasty = connect("1s")) {
      Transaction applied = hasty.begin(shortLived);
      writeCount(applied, 7);
      try (Faults.Active fault = Faults.add(lost(this::isFast))) {
        assertThatExceptionOfType(CommitOutcomeUnknownException.class)
            .isThrownBy(applied::commit)
            .satisfies(e -> assertThat(e.transactionId()).isEqualTo(applied.id()));
      }
      Transaction never = hasty.begin(shortLived);
      writeCount(never, 8);
      // On a busy machine the last attempt arrives when the client has given up.
      try (Faults.Active late = Faults.add(lostBefore(OneRegionCommit.class::isInstance))) {
        try (Faults.Active fault = Faults.add(lostBefore(this::isFast))) {
          assertThatExceptionOfType(CommitOutcomeUnknownException.class).isThrownBy(never::commit);
        }
        assertThat(client.status(applied.id().orElseThrow()))
            .isInstanceOf(TransactionOutcome.Committed.class);
        assertThat(client.status(never.id().orElseThrow()))
            .as("its client may be at work on it")
            .isInstanceOf(TransactionOutcome.Running.class);
        assertThat(hasty.status(applied.id().orElseThrow()))
            .isInstanceOf(TransactionOutcome.Committed.class);
        assertThat(hasty.status(never.id().orElseThrow()))
            .isInstanceOf(TransactionOutcome.Aborted.class);
        assertThat(client.status(never.id().orElseThrow()))
            .isInstanceOf(TransactionOutcome.Aborted.class);
      }
      assertThat(count(client)).isEqualTo(7);
    }
  }

  @Test
  void anInterruptWhileAWriteIsUnderWayIsAnUnknownOutcomeAndTheWriteGoesOn() throws Exception {
    Gate gate = new Gate();
    AtomicBoolean once = new AtomicBoolean();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Fault hold =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (isCommit(Way.FAST_PATH, region, request) && once.compareAndSet(false, true)) {
              gate.pass();
            }
          }
        };
    try (Faults.Active fault = Faults.add(hold)) {
      Future<Throwable> seen =
          thread.submit(
              () -> {
                Throwable failure = catchThrowable(() -> increment(fast));
                assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
                return failure;
              });
      gate.awaitReached();
      thread.shutdownNow();
      Throwable failure = seen.get();
      assertThat(failure).isInstanceOf(CommitOutcomeUnknownException.class);
      FastPathId id = ((CommitOutcomeUnknownException) failure).operations().get(0);
      // The lookup ends it: the attempt that is held now is too late.
      assertThat(client.fastPath().outcome(id)).isEqualTo(new TransactionOutcome.Aborted());
      gate.open();
      increment(fast);
      assertThat(count(client)).isEqualTo(2);
    } finally {
      gate.open();
    }
  }

  private boolean isCommit(Way way, RegionInfo region, RegionRequest request) {
    return rows.isIn(region)
        && (way == Way.FAST_PATH
            ? request instanceof FastWrite
            : request instanceof OneRegionCommit);
  }

  private boolean isFast(RegionRequest request) {
    return request instanceof FastWrite
        || request instanceof OneRegionCommit
        || request instanceof OperationLookup;
  }

  private static Fault lost(Predicate<RegionRequest> which) {
    return new Fault() {
      @Override
      public void after(RegionInfo region, RegionRequest request) throws IOException {
        if (which.test(request)) {
          throw new IOException("lost by a test");
        }
      }
    };
  }

  private static Fault lostBefore(Predicate<RegionRequest> which) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (which.test(request)) {
          throw new IOException("lost by a test");
        }
      }
    };
  }

  private static Committed increment(FastPathTable table) throws IOException {
    return table.increment(
        new Increment(TwoRows.bytes(ROW)).addColumn(TwoRows.FAMILY, TwoRows.COLUMN, 1));
  }

  private void incrementByTransaction(LamponeClient by) throws IOException {
    by.run(
        TransactionOptions.DEFAULT.withRetries(1000),
        tx -> {
          try (Table table = tx.table(rows.table())) {
            byte[] old =
                table.get(new Get(TwoRows.bytes(ROW))).getValue(TwoRows.FAMILY, TwoRows.COLUMN);
            writeCount(tx, Bytes.toLong(old) + 1);
          }
          return null;
        });
  }

  private void writeCount(Transaction tx, long count) throws IOException {
    try (Table table = tx.table(rows.table())) {
      table.put(
          new Put(TwoRows.bytes(ROW))
              .addColumn(TwoRows.FAMILY, TwoRows.COLUMN, Bytes.toBytes(count)));
    }
  }

  private long count(LamponeClient by) throws IOException {
    try (Transaction tx = by.readOnly();
        Table table = tx.table(rows.table())) {
      return Bytes.toLong(
          table.get(new Get(TwoRows.bytes(ROW))).getValue(TwoRows.FAMILY, TwoRows.COLUMN));
    }
  }
}
