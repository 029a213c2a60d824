package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.NOTHING;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A region server that still serves its clients, the master and the transaction manager, and cannot
 * reach ZooKeeper: it must stop answering as soon as it may have lost its regions (protocol page,
 * section 6).
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ZooKeeperCutIT {

  private static final Duration SESSION = Duration.ofSeconds(9);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of a client that does not wait until the region is elsewhere. */
  private static final int IMPATIENT_MILLIS = 400;

  @TempDir private static Path folder;

  private EmbeddedLampone lampone;
  private EmbeddedHBase hbase;
  private CutProxy proxy;
  private LamponeClient client;
  private LamponeClient impatient;
  private Connection connection;

  @BeforeAll
  void start() throws IOException {
    lampone =
        EmbeddedLampone.start(
            EmbeddedHBaseConfig.builder(folder)
                .regionServers(1)
                .zooKeeperSessionTimeout(SESSION)
                .build());
    hbase = lampone.hbase();
    String address = hbase.zooKeeperConnectString();
    proxy = new CutProxy(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
    client = LamponeClient.connect(lampone.configuration());
    Configuration soon = lampone.configuration();
    soon.set("lampone.client.operation.timeout", IMPATIENT_MILLIS + "ms");
    impatient = LamponeClient.connect(soon);
    connection = ConnectionFactory.createConnection(lampone.configuration());
  }

  @AfterEach
  void heal() throws IOException {
    proxy.heal();
  }

  @AfterAll
  void stop() throws IOException {
    connection.close();
    impatient.close();
    client.close();
    lampone.close();
    proxy.close();
  }

  /** It does not answer while its ownership is uncertain, and resumes: its regions did not move. */
  @Test
  void aShortCutSilencesTheServerForAsLong() throws Exception {
    int behind = startBehindProxy();
    TwoRows rows = on(behind, behind, "short-cut");
    rows.write(client, "before");
    assertThat(rows.read(impatient)).isEqualTo("before before");

    cutAndAwaitSilence(rows);
    assertThat(hbase.isAlive(behind)).isTrue();
    proxy.heal();

    await().atMost(PATIENCE).until(() -> rows.read(client).equals("before before"));
    rows.write(client, "after");
    assertThat(rows.read(client)).isEqualTo("after after");
    hbase.stopRegionServer(behind);
  }

  /**
   * Its regions move to another server while clients continue, by transactions over both servers
   * and by the fast path: each acknowledged commit is there, once.
   */
  @Test
  void aLongCutMovesTheRegionsAndLosesNothing() throws Exception {
    int behind = startBehindProxy();
    TwoRows rows = on(behind, 0, "long-cut");
    TwoRows fast = on(behind, behind, "long-cut-fast");
    rows.write(client, "0");
    AtomicBoolean over = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      Future<Count> regular = threads.submit(() -> countUp(rows, over));
      Future<Count> direct = threads.submit(() -> incrementUp(fast, over));
      Future<Integer> reads = threads.submit(() -> compare(rows, over));
      await().atMost(PATIENCE).until(() -> !rows.read(client).startsWith("0 "));

      cutAndAwaitSilence(rows);
      await().atMost(PATIENCE).until(() -> serverOf(rows) == 0 && serverOf(fast) == 0);
      hbase.waitUntilAssigned(rows.table());
      hbase.waitUntilAssigned(fast.table());
      String moved = rows.read(client);
      await().atMost(PATIENCE).until(() -> !rows.read(client).equals(moved));
      over.set(true);

      regular.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).verify(number(rows, LEADER));
      direct.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).verify(increments(fast));
      assertThat(reads.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isPositive();
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    proxy.heal();
    await("it finds out that it is dead").atMost(PATIENCE).until(() -> !hbase.isAlive(behind));
    assertThat(rows.read(client).split(" ")).containsOnly(Long.toString(number(rows, LEADER)));
  }

  /**
   * Outcomes of some increments.
   *
   * @param told that were acknowledged
   * @param unknown that may have been carried out or not
   */
  private record Count(long told, long unknown) {

    void verify(long stored) {
      assertThat(told).isPositive();
      assertThat(stored).isBetween(told, told + unknown);
    }
  }

  private Count countUp(TwoRows rows, AtomicBoolean over) throws IOException {
    long told = 0;
    long unknown = 0;
    while (!over.get()) {
      try {
        client.run(
            tx -> {
              String next = Long.toString(1 + Long.parseLong(rows.get(tx, LEADER)));
              rows.putBoth(tx, next);
              return next;
            });
        told++;
      } catch (CommitOutcomeUnknownException e) {
        unknown++;
      } catch (LamponeException e) {
        // The failure is certain: it left no trace.
        assertThat(e.code()).isNotEqualTo(LamponeException.Code.OUTCOME_UNKNOWN);
      }
    }
    return new Count(told, unknown);
  }

  private Count incrementUp(TwoRows rows, AtomicBoolean over) throws IOException {
    FastPathTable table = client.fastPath().table(rows.table());
    long told = 0;
    long unknown = 0;
    while (!over.get()) {
      try {
        table.increment(new Increment(bytes(LEADER)).addColumn(FAMILY, COLUMN, 1));
        told++;
      } catch (LamponeException e) {
        unknown++;
      }
    }
    return new Count(told, unknown);
  }

  /** Both rows are always written together. */
  private int compare(TwoRows rows, AtomicBoolean over) throws Exception {
    int compared = 0;
    long last = 0;
    while (!over.get()) {
      try (Transaction tx = client.readOnly()) {
        long leader = Long.parseLong(rows.get(tx, LEADER));
        assertThat(rows.get(tx, FOLLOWER)).isEqualTo(Long.toString(leader));
        assertThat(leader).isGreaterThanOrEqualTo(last);
        last = leader;
        compared++;
      } catch (LamponeException e) {
        TimeUnit.MILLISECONDS.sleep(10); // it could not be read meanwhile
      }
    }
    return compared;
  }

  /**
   * Cuts, and waits until the server does not answer any more: first not at snapshots above the
   * bound that it has read last [M14], then at none.
   */
  private void cutAndAwaitSilence(TwoRows rows) throws IOException {
    FastPathTable fast = impatient.fastPath().table(rows.table());
    byte[] beside = bytes(LEADER + " untouched");
    FastPathOperation check =
        FastPathOperation.of(new RowMutations(beside))
            .ifUnchanged(fast.readForUpdate(new Get(beside)).version());
    assertThat(fast.apply(check).isCommitted()).isTrue();
    try (Transaction before = impatient.readOnly()) {
      assertThat(rows.get(before, LEADER)).isNotEqualTo(NOTHING);
      proxy.cut();
      await()
          .atMost(SESSION)
          .pollInterval(Duration.ofMillis(50))
          .untilAsserted(() -> assertThat(refusal(rows, before)).contains("SESSION_UNPROVEN"));
      // What only checks is a read, too: another server may have changed the row.
      assertThatThrownBy(() -> fast.apply(check)).isInstanceOf(LamponeException.class);
    }
    try (Transaction now = impatient.readOnly()) {
      assertThat(refusal(rows, now)).contains("LP-302");
    }
  }

  /** Returns the refusal of a read, or the value if it is not refused. */
  private static String refusal(TwoRows rows, Transaction tx) throws IOException {
    try {
      return rows.get(tx, LEADER);
    } catch (LamponeException e) {
      return e.toString();
    }
  }

  private int startBehindProxy() throws IOException {
    return hbase.startRegionServer(
        Map.of("hbase.zookeeper.property.clientPort", Integer.toString(proxy.port())));
  }

  /** A table with its two regions on these servers. */
  private TwoRows on(int first, int second, String name) throws IOException {
    TwoRows rows = TwoRows.create(client, connection, name);
    for (RegionInfo region : connection.getAdmin().getRegions(rows.table())) {
      hbase.moveRegion(region, region.getStartKey().length == 0 ? first : second);
    }
    return rows;
  }

  /** Returns the server of its first region; -1: none. */
  private int serverOf(TwoRows rows) throws IOException {
    RegionInfo first =
        connection.getAdmin().getRegions(rows.table()).stream()
            .filter(region -> region.getStartKey().length == 0)
            .findFirst()
            .orElseThrow();
    for (int number = 0; number < hbase.regionServerCount(); number++) {
      if (hbase.isAlive(number)
          && hbase.regionServer(number).getRegion(first.getEncodedName()) != null) {
        return number;
      }
    }
    return -1;
  }

  private long number(TwoRows rows, String row) throws IOException {
    return Long.parseLong(client.run(tx -> rows.get(tx, row)));
  }

  private long increments(TwoRows rows) throws IOException {
    return client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            return Bytes.toLong(table.get(new Get(bytes(LEADER))).getValue(FAMILY, COLUMN));
          }
        });
  }
}
