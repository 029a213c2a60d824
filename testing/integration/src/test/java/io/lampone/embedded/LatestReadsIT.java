package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Reads of the latest state of a row (ADR 32): the leader and the follower of a transaction are on
 * two servers, and the reader has no earlier mark.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatestReadsIT {

  private static final int ROUNDS = 25;

  private final LamponeClient writer;
  private final EmbeddedLampone cluster;
  private LamponeClient reader;
  private TwoRows rows;

  LatestReadsIT(LamponeClient writer, EmbeddedLampone cluster) {
    this.writer = writer;
    this.cluster = cluster;
  }

  @BeforeAll
  void start() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      rows = TwoRows.create(writer, connection, "latest");
      List<RegionInfo> regions = connection.getAdmin().getRegions(rows.table());
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i);
      }
    }
    reader = LamponeClient.connect(cluster.configuration());
    // Its mark is above the regions' openings, and will not include the writer's commits.
    put(reader, LEADER, "old");
    put(reader, FOLLOWER, "old");
  }

  @AfterAll
  void stop() throws IOException {
    reader.close();
  }

  /** Suppresses the work after commits. */
  private Faults.Active neverHealing() {
    return Faults.add(
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (rows.isIn(region) && Faults.isHousekeeping(request)) {
              throw Faults.refusal();
            }
          }
        });
  }

  @Test
  void aCommitThatHasNotReachedTheRowIsSeen() throws IOException {
    try (Faults.Active fault = neverHealing()) {
      for (int i = 0; i < ROUNDS; i++) {
        rows.write(writer, "round" + i);
        assertThat(latest(reader, FOLLOWER)).isEqualTo("round" + i);
        assertThat(latest(reader, LEADER)).isEqualTo("round" + i);
      }
    }
  }

  /** No later operation of the same client is behind the state that it was shown. */
  @Test
  void whoHasSeenACommitSeesNoLessInTransactionsAndByTheFastPath() throws IOException {
    try (Faults.Active fault = neverHealing()) {
      for (int i = 0; i < ROUNDS; i++) {
        String value = "session" + i;
        long commit;
        try (Transaction tx = writer.begin()) {
          rows.putBoth(tx, value);
          tx.commit();
          commit = tx.commitTimestamp().orElseThrow();
        }
        assertThat(latest(reader, FOLLOWER)).isEqualTo(value);
        assertThat(reader.causalToken().timestamp()).isGreaterThan(commit);
        assertThat(plain(reader, LEADER)).isEqualTo(value);
        assertThat(rows.read(reader)).isEqualTo(value + " " + value);
        assertThat(put(reader, LEADER, "after").version()).isGreaterThan(commit);
      }
    }
  }

  /**
   * It has a commit timestamp, and others may have been ordered above it: so it cannot be left for
   * later. The reader finishes the commit.
   */
  @Test
  void aTransactionThatHasBeenValidatedAndNotCommittedIsFinishedAndSeen() throws Exception {
    put(reader, FOLLOWER, "before");
    Gate gate = new Gate();
    AtomicBoolean first = new AtomicBoolean(true);
    Fault holding =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) throws IOException {
            if (rows.isIn(region)
                && request instanceof CommitLeader
                && first.compareAndSet(true, false)) {
              gate.pass();
            }
          }
        };
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Faults.Active fault = Faults.add(holding)) {
      Future<?> writing =
          thread.submit(
              () -> {
                rows.write(writer, "validated");
                return null;
              });
      gate.awaitReached();
      assertThat(latest(reader, FOLLOWER)).isEqualTo("validated");
      assertThat(rows.read(reader)).isEqualTo("validated validated");
      gate.open();
      writing.get();
    } finally {
      gate.open();
      thread.shutdownNow();
    }
    assertThat(latest(reader, LEADER)).isEqualTo("validated");
  }

  @Test
  void aTransactionThatHasNotAskedForItsCommitIsNotSeenNotWaitedForAndNotAborted()
      throws IOException {
    put(reader, LEADER, "before");
    put(reader, FOLLOWER, "before");
    try (Transaction tx = writer.begin()) {
      rows.putBoth(tx, "open");
      try (ResultScanner sendsThem = tx.table(rows.table()).getScanner(FAMILY)) {
        assertThat(sendsThem).hasSize(2);
      }
      long asked = reader.metrics().managerRequests();
      assertThat(latest(reader, FOLLOWER)).isEqualTo("before");
      assertThat(latest(reader, LEADER)).isEqualTo("before");
      assertThat(reader.metrics().managerRequests() - asked)
          .as("the intents were met")
          .isPositive();
      tx.commit();
    }
    assertThat(latest(reader, FOLLOWER)).isEqualTo("open");
  }

  @Test
  void theTransactionManagerIsAskedOnlyWhereAnIntentIsInTheWay() throws IOException {
    put(reader, LEADER, "quiet");
    put(reader, FOLLOWER, "quiet");
    long asked = reader.metrics().managerRequests();
    long reads = reader.metrics().fastReads();
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(latest(reader, LEADER)).isEqualTo("quiet");
      assertThat(latest(reader, FOLLOWER)).isEqualTo("quiet");
    }
    assertThat(reader.metrics().managerRequests()).isEqualTo(asked);
    assertThat(reader.metrics().fastReads() - reads).isEqualTo(2L * ROUNDS);
    try (Faults.Active fault = neverHealing()) {
      rows.write(writer, "busy");
      assertThat(latest(reader, FOLLOWER)).isEqualTo("busy");
    }
    assertThat(reader.metrics().managerRequests() - asked)
        .as("a timestamp, unless a healer was faster, and no status: the leader knows")
        .isLessThanOrEqualTo(1);
  }

  /** The filter is not called for a row that points, and once for one that does not. */
  @Test
  void aFilterIsAskedAboutWhatIsShown() throws IOException {
    ValueFilter filter =
        new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(TwoRows.bytes("wanted")));
    Get get = new Get(TwoRows.bytes(FOLLOWER)).setFilter(filter);
    try (Faults.Active fault = neverHealing()) {
      rows.write(writer, "wanted");
      assertThat(value(reader.fastPath().table(rows.table()).getLatest(get))).isEqualTo("wanted");
      rows.write(writer, "other");
      assertThat(reader.fastPath().table(rows.table()).getLatest(get).isEmpty()).isTrue();
    }
  }

  /** As HBase answers it: without cells. */
  @Test
  void aCheckOfExistenceSaysWhetherThereIsARow() throws IOException {
    Get there = new Get(TwoRows.bytes(LEADER)).setCheckExistenceOnly(true);
    Get nowhere = new Get(TwoRows.bytes("nowhere")).setCheckExistenceOnly(true);
    try (Transaction tx = reader.begin()) {
      Table table = tx.table(rows.table());
      assertExists(table.get(there), true);
      assertExists(table.get(nowhere), false);
      assertThat(table.get(List.of(there, nowhere)))
          .extracting(Result::getExists)
          .containsExactly(true, false);
      assertThat(table.exists(List.of(there, nowhere))).containsExactly(true, false);
      assertThat(table.exists(there)).isTrue();
      table.put(new Put(nowhere.getRow()).addColumn(FAMILY, COLUMN, TwoRows.bytes("own")));
      assertExists(table.get(nowhere), true);
    }
    FastPathTable fast = reader.fastPath().table(rows.table());
    assertExists(fast.get(there), true);
    assertExists(fast.get(nowhere), false);
    assertExists(fast.getLatest(there), true);
    assertExists(fast.getLatest(nowhere), false);
  }

  private static void assertExists(Result result, boolean expected) {
    assertThat(result.getExists()).isEqualTo(expected);
    assertThat(result.rawCells()).isNull();
  }

  private Committed put(LamponeClient client, String row, String value) throws IOException {
    return client
        .fastPath()
        .table(rows.table())
        .put(new Put(TwoRows.bytes(row)).addColumn(FAMILY, COLUMN, TwoRows.bytes(value)));
  }

  private String latest(LamponeClient client, String row) throws IOException {
    return value(client.fastPath().table(rows.table()).getLatest(new Get(TwoRows.bytes(row))));
  }

  private String plain(LamponeClient client, String row) throws IOException {
    return value(client.fastPath().table(rows.table()).get(new Get(TwoRows.bytes(row))));
  }

  private static String value(Result result) {
    return new String(result.getValue(FAMILY, COLUMN), StandardCharsets.UTF_8);
  }
}
