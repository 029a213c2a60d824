package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.RetryAdvice;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.TransactionOutcome.Committed;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Traps of commits in systems of this kind, on a real cluster: requests are lost, repeated, delayed
 * at the region servers. The numbers are those of docs/evidence/promises.md.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TrapsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;

  TrapsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  private TwoRows rows;

  @BeforeAll
  void createTable(TestInfo test) throws IOException {
    rows = TwoRows.create(client, connection, "traps");
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  /** A1: the first reply of the compare-and-set is lost, and the repetition finds it done. */
  @Test
  void aCommitWhoseReplyIsLostIsReportedAsCommitted() throws IOException {
    AtomicBoolean once = new AtomicBoolean();
    try (Faults.Active fault =
            Faults.add(
                after(
                    request ->
                        request instanceof CommitLeader && once.compareAndSet(false, true)));
        Transaction tx = client.begin()) {
      rows.putBoth(tx, "a1");
      tx.commit();
      assertThat(once).isTrue();
      assertThat(tx.commitTimestamp()).isPresent();
    }
    assertThat(rows.read(client)).isEqualTo("a1 a1");
  }

  /** A2: the compare-and-set is lost on its way; it is no abort, for it can be sent again. */
  @Test
  void aCommitThatIsLostOnItsWayIsSentAgain() throws IOException {
    AtomicBoolean once = new AtomicBoolean();
    try (Faults.Active fault =
            Faults.add(
                before(
                    request -> request instanceof CommitLeader && once.compareAndSet(false, true),
                    new IOException("lost by a test")));
        Transaction tx = client.begin()) {
      rows.putBoth(tx, "a2");
      tx.commit();
      assertThat(once).isTrue();
    }
    assertThat(rows.read(client)).isEqualTo("a2 a2");
  }

  /** A5: the network keeps a copy of the intents and delivers it after the commit. */
  @Test
  void aRepeatedIntentAfterTheCommitChangesNothing() throws IOException {
    List<RegionRequest> sent = new CopyOnWriteArrayList<>();
    try (Faults.Active fault = Faults.add(recording(sent, Flush.class))) {
      rows.write(client, "a5");
    }
    assertThat(sent).hasSizeGreaterThanOrEqualTo(2);
    // Nor does one that seems to be newer than what was applied.
    List<RegionRequest> later = new ArrayList<>(sent);
    sent.forEach(request -> later.add(numberedHigher((Flush) request)));
    replay(later);
    assertThat(rows.read(client)).isEqualTo("a5 a5");
    rows.write(client, "a5 again");
    replay(later);
    assertThat(rows.read(client)).isEqualTo("a5 again a5 again");
    assertThat(new StoredCells(cluster.hbase(), rows.table()).states(later.get(0).startTimestamp()))
        .isNotEmpty()
        .doesNotContain("a=PENDING", "z=PENDING");
  }

  private static Flush numberedHigher(Flush flush) {
    return new Flush(
        flush.startTimestamp(),
        flush.floor(),
        flush.level(),
        flush.leader(),
        flush.flushNumber() + 1,
        flush.intents(),
        Proofs.OPEN.grant(flush.startTimestamp(), 0));
  }

  /** A6: one region accepts its intents, the other does not. */
  @Test
  void aCommitOfWhichOneRegionRefusesTheIntentsLeavesNoTrace() throws IOException {
    rows.write(client, "before");
    List<RegionRequest> commits = new CopyOnWriteArrayList<>();
    try (Faults.Active recorder = Faults.add(recording(commits, CommitLeader.class));
        Faults.Active fault =
            Faults.add(
                before(
                    request -> request instanceof Flush && !TwoRows.isLeader(request.rows().get(0)),
                    Faults.refusal()));
        Transaction tx = client.begin()) {
      rows.putBoth(tx, "a6");
      assertThatExceptionOfType(LamponeException.class).isThrownBy(tx::commit);
      assertThat(tx.commitTimestamp()).isEmpty();
    }
    assertThat(commits).isEmpty();
    assertThat(rows.read(client)).isEqualTo("before before");
  }

  /** A7: the client dies right after the commit point; later writes go to the leader's row. */
  @Test
  void aFollowerOutlivesOverwritesAndCompactionsOfItsLeader() throws Exception {
    Set<Long> dead = ConcurrentHashMap.newKeySet();
    try (Faults.Active fault = Faults.add(before(housekeepingOf(dead), Faults.refusal()))) {
      try (Transaction tx = client.begin()) {
        dead.add(tx.startTimestamp());
        rows.putBoth(tx, "a7");
        tx.commit();
      }
      for (int i = 0; i < 10; i++) {
        String value = "newer" + i;
        client.run(
            tx -> {
              rows.put(tx, LEADER, value);
              return null;
            });
        advanceSafePoint();
        flushAndCompact();
      }
      StoredCells stored = new StoredCells(cluster.hbase(), rows.table());
      // Versions older than the newest are collected; the commit entry of the follower is not.
      // A scanner that was left open keeps cells until its lease of a minute has ended.
      await()
          .atMost(PATIENCE.multipliedBy(2))
          .untilAsserted(
              () -> {
                flushAndCompact();
                assertThat(stored.values(LEADER))
                    .as(() -> "read points, an open scanner keeps cells: " + stored.readPoints())
                    .containsExactly("newer9");
              });
      assertThat(stored.states(dead.iterator().next()))
          .containsExactlyInAnyOrder("a=COMMITTED", "z=PENDING");
      assertThat(rows.read(client)).isEqualTo("newer9 a7");
    }
    assertThat(rows.read(client)).isEqualTo("newer9 a7");
  }

  /** The client's last step after its commit. */
  enum LastStep {
    NOTHING_SENT,
    FOLLOWER_HEALED_UNKNOWN_TO_THE_CLIENT,
    LEADER_NOT_FINISHED,
    LEADER_FINISHED_UNKNOWN_TO_THE_CLIENT
  }

  /** A8: killed at each step after the commit, the values are the same. */
  @ParameterizedTest
  @EnumSource
  void aClientThatStopsAfterItsCommitHasCommitted(LastStep step) throws Exception {
    Set<Long> dead = ConcurrentHashMap.newKeySet();
    Predicate<RegionRequest> heal =
        request ->
            Faults.brings(request, r -> r instanceof Heal && dead.contains(r.startTimestamp()));
    Predicate<RegionRequest> finish =
        request ->
            Faults.brings(
                request, r -> r instanceof FinishLeader && dead.contains(r.startTimestamp()));
    AtomicInteger reached = new AtomicInteger();
    Fault fault =
        switch (step) {
          case NOTHING_SENT -> before(counted(heal, reached), Faults.refusal());
          case FOLLOWER_HEALED_UNKNOWN_TO_THE_CLIENT ->
              after(counted(heal, reached), Faults.refusal());
          case LEADER_NOT_FINISHED -> before(counted(finish, reached), Faults.refusal());
          case LEADER_FINISHED_UNKNOWN_TO_THE_CLIENT ->
              after(counted(finish, reached), Faults.refusal());
        };
    String value = step.name();
    try (Faults.Active active = Faults.add(fault)) {
      try (Transaction tx = client.begin()) {
        dead.add(tx.startTimestamp());
        rows.putBoth(tx, value);
        tx.commit();
      }
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(reached).hasPositiveValue());
      assertThat(rows.read(client)).isEqualTo(value + " " + value);
      flushAndCompact();
      assertThat(rows.read(client)).isEqualTo(value + " " + value);
    }
  }

  /** A12: an interrupt while the compare-and-set is under way decides nothing. */
  @Test
  void anInterruptDuringTheCommitIsNeitherSwallowedNorAnAnswer() throws Exception {
    rows.write(client, "before");
    Gate gate = new Gate();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Faults.Active fault = Faults.add(passing(gate, CommitLeader.class));
        Transaction tx = client.begin()) {
      AtomicBoolean stillInterrupted = new AtomicBoolean();
      Future<Throwable> failure =
          thread.submit(
              () -> {
                rows.putBoth(tx, "a12");
                try {
                  tx.commit();
                  return new AssertionError("commit returned");
                } catch (IOException e) {
                  stillInterrupted.set(Thread.currentThread().isInterrupted());
                  return e;
                }
              });
      gate.awaitReached();
      thread.shutdownNow();
      Throwable seen = failure.get(60, TimeUnit.SECONDS);
      assertThat(seen).isInstanceOf(IOException.class);
      assertThat(stillInterrupted).as("interrupted after %s", seen).isTrue();
      if (seen instanceof LamponeException lampone) {
        assertThat(lampone.retryAdvice()).as("%s", seen).isEqualTo(RetryAdvice.ASK_STATUS);
      }
      gate.open();
      TransactionId id = tx.id().orElseThrow();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(client.status(id)).isNotInstanceOf(TransactionOutcome.Running.class));
      boolean committed = client.status(id) instanceof Committed;
      assertThat(rows.read(client)).isEqualTo(committed ? "a12 a12" : "before before");
    } finally {
      gate.open();
      thread.shutdownNow();
    }
  }

  /** A13: the work is repeated, on a new snapshot, never the commit. */
  @Test
  void incrementsByRunAreCountedOnceEachThoughRepliesAreLost() throws Exception {
    int threads = 4;
    int each = 15;
    client.run(
        tx -> {
          rows.put(tx, LEADER, "0");
          rows.put(tx, FOLLOWER, "0");
          return null;
        });
    AtomicInteger commits = new AtomicInteger();
    Predicate<RegionRequest> everyThird =
        r -> r instanceof CommitLeader && commits.incrementAndGet() % 3 == 0;
    Set<Long> starts = ConcurrentHashMap.newKeySet();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try (Faults.Active fault = Faults.add(after(everyThird))) {
      List<Future<Void>> ends = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        ends.add(
            pool.submit(
                () -> {
                  for (int n = 0; n < each; n++) {
                    client.run(
                        io.lampone.client.TransactionOptions.DEFAULT.withRetries(1000),
                        tx -> {
                          assertThat(starts.add(tx.startTimestamp())).isTrue();
                          increment(tx, LEADER);
                          increment(tx, FOLLOWER);
                          return null;
                        });
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
    assertThat(rows.read(client)).isEqualTo(threads * each + " " + threads * each);
  }

  private void increment(Transaction tx, String row) throws IOException {
    rows.put(tx, row, Integer.toString(Integer.parseInt(rows.get(tx, row)) + 1));
  }

  /** Sends requests once more, as a network that repeats packets would. */
  private void replay(List<RegionRequest> requests) throws IOException {
    try (Table table = connection.getTable(rows.table())) {
      for (RegionRequest request : requests) {
        Carrier.reply(table.checkAndMutate(Carrier.checkAndMutate(request)).getResult());
      }
    }
  }

  private void advanceSafePoint() throws Exception {
    try (Transaction now = client.readOnly()) {
      cluster.advanceSafePoint(now.startTimestamp()).get(60, TimeUnit.SECONDS);
    }
  }

  private void flushAndCompact() throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.flush(rows.table());
      admin.majorCompact(rows.table());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(admin.getCompactionState(rows.table()))
                      .isEqualTo(CompactionState.NONE));
    }
  }

  private Predicate<RegionRequest> housekeepingOf(Set<Long> starts) {
    return request ->
        Faults.brings(
            request,
            r ->
                (r instanceof Heal || r instanceof FinishLeader)
                    && starts.contains(r.startTimestamp()));
  }

  private static Predicate<RegionRequest> counted(
      Predicate<RegionRequest> which, AtomicInteger count) {
    return request -> which.test(request) && count.incrementAndGet() > 0;
  }

  private Fault before(Predicate<RegionRequest> which, IOException failure) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (rows.isIn(region) && which.test(request)) {
          throw failure;
        }
      }
    };
  }

  /** The reply is lost; HBase's own client sends such a request again. */
  private Fault after(Predicate<RegionRequest> which) {
    return after(which, new IOException("reply lost by a test"));
  }

  private Fault after(Predicate<RegionRequest> which, IOException failure) {
    return new Fault() {
      @Override
      public void after(RegionInfo region, RegionRequest request) throws IOException {
        if (rows.isIn(region) && which.test(request)) {
          throw failure;
        }
      }
    };
  }

  private Fault recording(List<RegionRequest> into, Class<? extends RegionRequest> type) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) {
        if (rows.isIn(region) && type.isInstance(request)) {
          into.add(request);
        }
      }
    };
  }

  private Fault passing(Gate gate, Class<? extends RegionRequest> type) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (rows.isIn(region) && type.isInstance(request)) {
          gate.pass();
        }
      }
    };
  }
}
