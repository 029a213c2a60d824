package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.COLUMN;
import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.Faults.Gate;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.CertifyScan;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.trust.IssueProof;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Operations under way when the safe point passes them, or a compaction takes long. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RetentionTrapsIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** More than a scanner of a client holds in advance. */
  private static final int LARGE_ROWS = 1_000;

  private static final int LARGE_BYTES = 10_000;

  private final LamponeClient client;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private final AtomicInteger tables = new AtomicInteger();
  private TwoRows rows;

  RetentionTrapsIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
  }

  @BeforeEach
  void createTable() throws IOException {
    rows = TwoRows.create(client, connection, "passed_" + tables.incrementAndGet());
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  /** B7: a scan that continued would show rows whose versions may have been collected. */
  @Test
  void aScanUnderWayFailsLoudlyWhenTheSafePointPassesIt() throws Exception {
    client.run(
        tx -> {
          try (Table table = tx.table(rows.table())) {
            for (int i = 0; i < LARGE_ROWS; i++) {
              Put put = new Put(bytes(String.format("%06d", i)));
              table.put(put.addColumn(FAMILY, COLUMN, new byte[LARGE_BYTES]));
            }
          }
          return null;
        });
    try (Transaction tx = client.readOnly();
        Table table = tx.table(rows.table());
        ResultScanner scanner = table.getScanner(new Scan().setCaching(1))) {
      assertThat(scanner.next()).isNotNull();
      passBy(tx);
      List<Integer> seen = new ArrayList<>();
      assertThatThrownBy(() -> scanner.forEach(result -> seen.add(result.size())))
          .isInstanceOf(UncheckedIOException.class)
          .hasCauseInstanceOf(SnapshotTooOldException.class);
      assertThat(seen).hasSizeLessThan(LARGE_ROWS - 1);
    }
  }

  /** The data that it needs may have been collected. */
  @Test
  void aRangeIsNotCertifiedForASnapshotThatTheSafePointHasPassed() throws Exception {
    rows.write(client, "old");
    try (Transaction passed = client.readOnly()) {
      long below = passed.startTimestamp();
      rows.write(client, "new");
      passBy(passed);
      try (Transaction first = client.readOnly();
          Transaction second = client.readOnly()) {
        // So that both servers have seen this timestamp, and accept it as issued.
        rows.get(second, TwoRows.LEADER);
        rows.get(second, FOLLOWER);
        assertThat(certify(first.startTimestamp(), second.startTimestamp())).isNull();
        assertThatThrownBy(() -> certify(below, second.startTimestamp()))
            .hasStackTraceContaining("BELOW_SAFE_POINT");
      }
    }
  }

  private Result certify(long start, long commit) throws IOException {
    CertifyRequest at = new CertifyRequest(start, commit, 0, ConflictLevel.ROW, IssueProof.NONE);
    Scan scan = new Scan().addFamily(FAMILY).addFamily(Reserved.PROOF_FAMILY.toArray());
    scan.setAttribute(ReadRequest.ATTRIBUTE, new CertifyScan(at, Map.of()).encode());
    try (Table table = connection.getTable(rows.table());
        ResultScanner results = table.getScanner(scan)) {
      return results.next();
    }
  }

  @Test
  void aReadOnlyTransactionUnderWayFailsLoudlyAndSoDoesAWritingOne() throws Exception {
    rows.write(client, "old");
    try (Transaction reading = client.readOnly();
        Transaction writing = client.begin()) {
      assertThat(rows.get(reading, FOLLOWER)).isEqualTo("old");
      assertThat(rows.get(writing, FOLLOWER)).isEqualTo("old");
      rows.write(client, "new");
      passBy(reading);
      passBy(writing);
      rows.putBoth(writing, "late");
      assertThatThrownBy(writing::commit).isInstanceOf(SnapshotTooOldException.class);
    }
    assertThat(rows.read(client)).isEqualTo("new new");
  }

  /** M7, M8: the rows are frozen, so a late duplicate cannot be detected as applied. */
  @Test
  void aFlushThatIsRepeatedAfterTheFreezingIsRefused() throws Exception {
    List<Flush> flushes = new CopyOnWriteArrayList<>();
    Fault recording =
        new Fault() {
          @Override
          public void before(RegionInfo region, RegionRequest request) {
            if (rows.isIn(region) && request instanceof Flush flush) {
              flushes.add(flush);
            }
          }
        };
    try (Faults.Active fault = Faults.add(recording);
        Transaction tx = client.begin()) {
      rows.putBoth(tx, "once");
      tx.commit();
    }
    assertThat(flushes).hasSizeGreaterThanOrEqualTo(2);
    freeze(2);
    try (Table table = connection.getTable(rows.table())) {
      for (Flush flush : flushes) {
        assertThatThrownBy(() -> table.checkAndMutate(Carrier.checkAndMutate(flush)))
            .isInstanceOf(IOException.class)
            .hasStackTraceContaining(Refusal.Code.BELOW_SAFE_POINT.name());
      }
    }
    assertThat(cluster.stored(rows.table()).cells()).isEqualTo(2);
    assertThat(rows.read(client)).isEqualTo("once once");
  }

  /** As on a slow disk: the safe point, readers and writers advance while it is at work. */
  @Test
  void aCompactionThatTakesLongLosesNothingOfWhatHappensMeanwhile() throws Exception {
    for (int i = 0; i < 3; i++) {
      rows.write(client, "before" + i);
    }
    settle();
    flush();
    Gate gate = new Gate();
    Fault slow =
        new Fault() {
          @Override
          public void whileCompacting(RegionInfo region) throws IOException {
            if (rows.isIn(region)) {
              gate.pass();
            }
          }
        };
    try (Transaction old = client.readOnly();
        Faults.Active fault = Faults.add(slow)) {
      advance(old.startTimestamp());
      List<CompletableFuture<Void>> compactions = new ArrayList<>();
      for (HRegion region : regions()) {
        compactions.add(CompletableFuture.runAsync(() -> compact(region)));
      }
      gate.awaitReached();
      rows.write(client, "meanwhile");
      settle();
      flush();
      long later;
      try (Transaction now = client.readOnly()) {
        later = now.startTimestamp();
        assertThat(rows.get(now, FOLLOWER)).isEqualTo("meanwhile");
      }
      rows.write(client, "after");
      gate.open();
      for (CompletableFuture<Void> compaction : compactions) {
        compaction.get(60, TimeUnit.SECONDS);
      }
      assertThat(rows.get(old, FOLLOWER)).isEqualTo("before2");
      try (Transaction between = client.asOf(later)) {
        assertThat(rows.get(between, FOLLOWER)).isEqualTo("meanwhile");
      }
    }
    freeze(2);
    assertThat(rows.read(client)).isEqualTo("after after");
  }

  /** Raises the safe point above a transaction, and waits until the servers have read it. */
  private void passBy(Transaction transaction) throws Exception {
    try (Transaction now = client.readOnly()) {
      assertThat(now.startTimestamp()).isGreaterThan(transaction.startTimestamp());
      advance(now.startTimestamp());
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> rows.get(transaction, FOLLOWER))
                    .isInstanceOf(SnapshotTooOldException.class));
  }

  /** Collects until so many cells are left. */
  private void freeze(int cells) throws Exception {
    settle();
    try (Transaction now = client.readOnly()) {
      advance(now.startTimestamp());
    }
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              cluster.compact(rows.table());
              assertThat(cluster.stored(rows.table()).cells()).isEqualTo(cells);
            });
  }

  private void settle() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(cluster.pendingIntents(rows.table())).isEmpty());
  }

  private void advance(long timestamp) throws Exception {
    cluster.advanceSafePoint(timestamp).get(60, TimeUnit.SECONDS);
  }

  private void flush() throws IOException {
    for (HRegion region : regions()) {
      region.flush(true);
    }
  }

  private static void compact(HRegion region) {
    try {
      region.compact(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<HRegion> regions() {
    List<HRegion> regions = new ArrayList<>();
    for (int i = 0; i < cluster.hbase().regionServerCount(); i++) {
      regions.addAll(cluster.hbase().regionServer(i).getRegions(rows.table()));
    }
    return regions;
  }
}
