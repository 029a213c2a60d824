package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Region servers die, one after the other, until none of the first ones is left. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerDeathIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private EmbeddedLampone lampone;
  private EmbeddedHBase hbase;
  private LamponeClient client;
  private Connection connection;

  @BeforeAll
  void start() throws IOException {
    lampone =
        EmbeddedLampone.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .build());
    hbase = lampone.hbase();
    client = LamponeClient.connect(lampone.configuration());
    connection = ConnectionFactory.createConnection(lampone.configuration());
  }

  @AfterAll
  void stop() throws IOException {
    connection.close();
    client.close();
    lampone.close();
  }

  /** Each server proves its own session: the death of one must not silence the others. */
  @Test
  void whatWasCommittedSurvivesEveryServerAndTheRestGoesOn() throws Exception {
    TwoRows rows = TwoRows.create(client, connection, "death");
    TwoRows frozen = TwoRows.create(client, connection, "frozen");
    rows.write(client, "first");
    String last = "first";
    for (int server : alive()) {
      freeze(lampone, client, frozen);
      try (Transaction open = client.begin()) {
        rows.putBoth(open, "open" + server);
        kill(server);
        hbase.waitUntilAssigned(rows.table());
        hbase.waitUntilAssigned(frozen.table());
        assertThat(frozen.read(client)).isEqualTo("frozen in the log");
        assertThat(rows.read(client)).isEqualTo(last + " " + last);
        open.commit();
      }
      verifyReplayed(lampone, client, frozen);
      last = "open" + server;
      assertThat(rows.read(client)).isEqualTo(last + " " + last);
    }
  }

  /**
   * Their clients have died before, each at another step, and their writes are in no file yet: the
   * region is recovered from the log, on a server without state for them.
   */
  @Test
  void whatDeadClientsHaveLeftOnADeadServerIsSettledOnTheNext() throws Exception {
    TwoRows undecided = onOneServer("never-requested");
    TwoRows decided = onOneServer("decided");
    TwoRows committed = onOneServer("never-told");
    long never = dieUndecided(undecided);
    long passed;
    long told;
    AtomicInteger refused = new AtomicInteger();
    Predicate<RegionRequest> decision =
        request ->
            (request instanceof CommitLeader || request instanceof AbortLeader)
                && refused.incrementAndGet() > 0;
    try (Faults.Active deaf = Faults.add(refusing(decided, decision));
        Faults.Active fault = Faults.add(refusing(committed, Faults::isHousekeeping))) {
      passed = dieDecided(decided, refused);
      told = dieCommitted(committed);
      kill(serverOf(committed));
      for (TwoRows rows : List.of(undecided, decided, committed)) {
        hbase.waitUntilAssigned(rows.table());
      }
      // State recovered from the log.
      assertThat(states(decided, passed)).containsExactlyInAnyOrder("a=PENDING", "z=PENDING");
      assertThat(states(committed, told)).containsExactlyInAnyOrder("a=COMMITTED", "z=PENDING");
    }
    // There are no readers.
    awaitStates(committed, told, "a=FINAL", "z=COMMITTED");
    awaitStates(decided, passed, "a=FINAL", "z=COMMITTED");
    assertThat(states(undecided, never))
        .as("may still be at work")
        .containsExactlyInAnyOrder("a=PENDING", "z=PENDING");
    try (Transaction now = client.readOnly()) {
      lampone.advanceSafePoint(now.startTimestamp()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
    awaitStates(undecided, never, "a=ABORTED", "z=ABORTED");
    assertThat(undecided.read(client)).isEqualTo("before before");
    assertThat(decided.read(client)).isEqualTo("v v");
    assertThat(committed.read(client)).isEqualTo("v v");
    for (TwoRows rows : List.of(undecided, decided, committed)) {
      rows.write(client, "next");
      assertThat(rows.read(client)).isEqualTo("next next");
    }
  }

  /** A table that lies on one server as a whole, the same for all such tables. */
  private TwoRows onOneServer(String name) throws IOException {
    TwoRows rows = TwoRows.create(client, connection, name);
    rows.write(client, "before");
    for (HRegion region : new StoredCells(hbase, rows.table()).regions()) {
      hbase.moveRegion(region.getRegionInfo(), alive().get(0));
    }
    return rows;
  }

  private int serverOf(TwoRows rows) {
    HRegion region = new StoredCells(hbase, rows.table()).regions().get(0);
    return hbase.regionServerOf(region.getRegionInfo());
  }

  /** Leaves sent intents, without an end. */
  private long dieUndecided(TwoRows rows) throws IOException {
    try (LamponeClient dying = LamponeClient.connect(eager())) {
      Transaction tx = dying.begin();
      rows.putBoth(tx, "v");
      return tx.startTimestamp();
    }
  }

  /** Leaves a transaction validated by the transaction manager, with an undecided leader. */
  private long dieDecided(TwoRows rows, AtomicInteger refused) throws Exception {
    Future<Void> end;
    long start;
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (LamponeClient dying = LamponeClient.connect(eager())) {
      Transaction tx = dying.begin();
      start = tx.startTimestamp();
      rows.putBoth(tx, "v");
      end =
          thread.submit(
              () -> {
                tx.commit();
                return null;
              });
      await().atMost(PATIENCE).until(() -> refused.get() > 0);
    } finally {
      thread.shutdown();
    }
    assertThatThrownBy(() -> end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class);
    return start;
  }

  /** Leaves a committed transaction with unhealed followers. */
  private long dieCommitted(TwoRows rows) throws IOException {
    try (LamponeClient dying = LamponeClient.connect(eager());
        Transaction tx = dying.begin()) {
      rows.putBoth(tx, "v");
      tx.commit();
      return tx.startTimestamp();
    }
  }

  /** Sends every write at once, and waits for none at the end. */
  private Configuration eager() {
    Configuration configuration = lampone.configuration();
    configuration.set("lampone.client.buffer.bytes", "0");
    configuration.set("lampone.client.close.timeout", "0");
    return configuration;
  }

  private static Fault refusing(TwoRows rows, Predicate<RegionRequest> which) {
    return new Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (rows.isIn(region) && which.test(request)) {
          throw Faults.refusal();
        }
      }
    };
  }

  private List<String> states(TwoRows rows, long start) throws IOException {
    return new StoredCells(hbase, rows.table()).states(start);
  }

  private void awaitStates(TwoRows rows, long start, String... states) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions() // of a region that is being opened
        .untilAsserted(() -> assertThat(states(rows, start)).containsExactlyInAnyOrder(states));
  }

  private List<Integer> alive() {
    return IntStream.range(0, hbase.regionServerCount()).filter(hbase::isAlive).boxed().toList();
  }

  /** Kills a server; another one replaces it. */
  private void kill(int server) throws IOException {
    hbase.startRegionServer();
    hbase.killRegionServer(server);
  }

  /**
   * Leaves rows that were frozen, while the log still has their whole history: intents, a delete,
   * heals, and over them a commit that is in no file yet.
   */
  private static void freeze(EmbeddedLampone lampone, LamponeClient client, TwoRows rows)
      throws Exception {
    rows.write(client, "hidden");
    client.run(
        tx -> {
          rows.put(tx, "deleted", "hidden");
          return null;
        });
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            table.delete(new Delete(bytes("deleted")));
          }
          return null;
        });
    rows.write(client, "frozen");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(lampone.pendingIntents(rows.table())).isEmpty());
    long now;
    try (Transaction last = client.readOnly()) {
      now = last.startTimestamp();
    }
    lampone.advanceSafePoint(now).get(60, TimeUnit.SECONDS);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              lampone.compact(rows.table());
              assertThat(lampone.stored(rows.table()).cells()).isEqualTo(2);
            });
    client.run(
        tx -> {
          rows.put(tx, FOLLOWER, "in the log");
          return null;
        });
  }

  /** A replay restores the writes after the files, and no collected data. */
  private static void verifyReplayed(EmbeddedLampone lampone, LamponeClient client, TwoRows rows)
      throws Exception {
    assertThat(rows.read(client)).isEqualTo("frozen in the log");
    try (Transaction tx = client.readOnly()) {
      assertThat(rows.get(tx, "deleted")).isEqualTo(NOTHING);
      lampone.advanceSafePoint(tx.startTimestamp()).get(60, TimeUnit.SECONDS);
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              lampone.compact(rows.table());
              assertThat(lampone.stored(rows.table()).cells()).isEqualTo(2);
            });
    assertThat(rows.read(client)).isEqualTo("frozen in the log");
  }
}
