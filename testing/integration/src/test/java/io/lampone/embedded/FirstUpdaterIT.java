package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.AsyncTransaction;
import io.lampone.client.ConflictException;
import io.lampone.client.ConflictException.Kind;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator.Request;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.tmclient.TransactionManagerClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import io.lampone.tmclient.discovery.AddressSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Of two transactions that write the same row, the first to write it wins, if clients want that.
 */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FirstUpdaterIT {

  private static final TableName TABLE = TableName.valueOf("first-updater");
  private static final byte[] FAMILY = bytes("f");
  private static final int ROWS = 12;
  private static final TransactionOptions GENERAL =
      TransactionOptions.DEFAULT.withoutOneRegionCommit();

  private final EmbeddedLampone cluster;
  private final LamponeClient ordinary;
  private LamponeClient early;
  private TransactionManagerClient manager;

  FirstUpdaterIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.ordinary = client;
  }

  @BeforeAll
  void start() throws IOException {
    ordinary
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW);
    Configuration configuration = new Configuration(cluster.configuration());
    configuration.set("lampone.client.conflicts.early", "true");
    early = LamponeClient.connect(configuration);
    String[] address = cluster.managerAddress().split(":", -1);
    manager =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder().build(),
            AddressSource.fixed(new InetSocketAddress(address[0], Integer.parseInt(address[1]))));
  }

  @AfterAll
  void stop() throws Exception {
    manager.close();
    early.close();
  }

  @Test
  void theLaterUpdaterIsAbortedBeforeItsFlush_byThePrimaryAlone() throws Exception {
    for (int row = 0; row < ROWS; row++) {
      requireFirstUpdaterWins(row);
    }
  }

  @Test
  void theLaterUpdaterIsAbortedBeforeItsFlush_alsoByOtherValidators() throws Exception {
    try (ExtraValidators validators = ExtraValidators.added(cluster, 2)) {
      BucketMap map = BucketMap.decode(validators.send("buckets", ""));
      boolean[] owners = new boolean[3];
      for (int row = 0; row < ROWS; row++) {
        requireFirstUpdaterWins(row);
        owners[map.owner(BucketMap.bucketOf(hash(row)))] = true;
      }
      assertThat(owners).containsOnly(true);
    }
  }

  private void requireFirstUpdaterWins(int row) throws Exception {
    try (Transaction later = early.begin(GENERAL);
        Transaction first = early.begin(GENERAL)) {
      put(first, row);
      awaitHeld(row, first.startTimestamp());
      long flushes = early.metrics().flushRequests();
      put(later, row);
      // Another row: what ends it is the answer, not this write.
      ConflictException lost = awaitLost(later, ROWS);
      assertThat(lost.kind()).isEqualTo(Kind.HELD);
      assertThat(lost.row()).isEqualTo(bytes("r" + row));
      assertThatExceptionOfType(ConflictException.class).isThrownBy(later::commit);
      assertThat(early.metrics().flushRequests()).isEqualTo(flushes);
      first.commit();
    }
  }

  @Test
  void anAsynchronousTransaction_isToldByItsNextOperation_andItsCommit() throws Exception {
    try (Transaction first = early.begin(GENERAL)) {
      put(first, 20);
      awaitHeld(20, first.startTimestamp());
      AsyncTransaction later = early.beginAsync(GENERAL).join();
      Put again = new Put(bytes("r20")).addColumn(FAMILY, FAMILY, FAMILY);
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () ->
                  later.table(TABLE).put(again).handle((done, failure) -> failure).join() != null);
      long held = held();
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> later.commit().join())
          .withCauseInstanceOf(ConflictException.class)
          .matches(e -> ((ConflictException) e.getCause()).kind() == Kind.HELD);
      assertThat(held()).isGreaterThan(held);
      first.commit();
    }
  }

  private long held() {
    return early.metrics().transactions().getOrDefault("conflict.held", 0L);
  }

  @Test
  void aRollbackReleases_andACommitEndsIt() throws Exception {
    Duration soonest = Duration.ofDays(1); // a busy machine may delay one, not all
    for (int i = 0; i < 5 && soonest.compareTo(Duration.ofSeconds(1)) >= 0; i++) {
      try (Transaction first = early.begin(GENERAL)) {
        put(first, 21);
        awaitHeld(21, first.startTimestamp());
        first.rollback();
      }
      long rolledBack = System.nanoTime();
      awaitFree(21);
      Duration freed = Duration.ofNanos(System.nanoTime() - rolledBack);
      soonest = freed.compareTo(soonest) < 0 ? freed : soonest;
    }
    assertThat(soonest).as("sooner than it expires").isLessThan(Duration.ofSeconds(1));
    try (Transaction second = early.begin(GENERAL)) {
      put(second, 21);
      awaitHeld(21, second.startTimestamp());
      second.commit();
      assertThat(holder(21)).isInstanceOf(Validation.Voted.class);
    }
  }

  /** A client that dies renews nothing. */
  @Test
  void whatIsNotRenewed_isFreeAfterASecond() throws Exception {
    Begin gone = manager.begin().join();
    long[] hashes = {hash(22)};
    manager
        .reserve(
            Optional.empty(),
            new Request(gone.startTimestamp(), gone.grant(), false, hashes, hashes),
            false)
        .join();
    awaitHeld(22, gone.startTimestamp());
    awaitFree(22);
    try (Transaction other = early.begin(GENERAL)) {
      put(other, 22);
      awaitHeld(22, other.startTimestamp());
      other.commit();
    }
  }

  /** A long transaction renews what it holds. */
  @Test
  void whatIsWritten_isHeldForLongerThanASecond() throws Exception {
    try (Transaction first = early.begin(GENERAL)) {
      put(first, 23);
      awaitHeld(23, first.startTimestamp());
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .during(Duration.ofMillis(1500))
          .until(() -> holder(23) instanceof Validation.Held);
      first.commit();
    }
  }

  /** Else a client that holds a row for good keeps all others from it. */
  @Test
  void whatAnotherHolds_endsOneAttemptOfRunOnly() throws Exception {
    try (Transaction first = early.begin(GENERAL)) {
      put(first, 26);
      awaitHeld(26, first.startTimestamp());
      AtomicInteger attempts = new AtomicInteger();
      early.execute(
          GENERAL,
          tx -> {
            put(tx, 26);
            if (attempts.incrementAndGet() == 1) {
              assertThat(awaitLost(tx, 27).kind()).isEqualTo(Kind.HELD);
            } else {
              TimeUnit.MILLISECONDS.sleep(100); // many periods
            }
          });
      assertThat(attempts).hasValue(2);
      assertThat(awaitLost(first, 28).kind()).isEqualTo(Kind.WRITE_WRITE);
    }
  }

  @Test
  void withoutTheOption_theFirstCommitterWins() throws Exception {
    try (Transaction first = early.begin(GENERAL);
        Transaction other = ordinary.begin(GENERAL)) {
      put(first, 24);
      awaitHeld(24, first.startTimestamp());
      put(other, 24);
      other.commit();
      ConflictException lost = awaitLost(first, 25); // by a renewal
      assertThat(lost.kind()).isEqualTo(Kind.WRITE_WRITE);
      assertThat(lost.winnerCommitTimestamp()).isEqualTo(other.commitTimestamp().orElseThrow());
    }
  }

  private static ConflictException awaitLost(Transaction transaction, int row) {
    ConflictException[] found = new ConflictException[1];
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              found[0] = lost(transaction, row);
              return found[0] != null;
            });
    return found[0];
  }

  private static ConflictException lost(Transaction transaction, int row) throws IOException {
    try {
      put(transaction, row);
      return null;
    } catch (ConflictException e) {
      return e;
    }
  }

  private void awaitHeld(int row, long holder) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> holder(row) instanceof Validation.Held held && held.startTimestamp() == holder);
  }

  private void awaitFree(int row) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> holder(row) instanceof Validation.Voted);
  }

  /** Asks the owner of a row; reserves nothing. */
  private Validation holder(int row) {
    BucketMap map = manager.buckets().join();
    int owner = map.owner(BucketMap.bucketOf(hash(row)));
    Begin begin = manager.begin().join();
    Request check =
        new Request(
            begin.startTimestamp(), begin.grant(), false, new long[] {hash(row)}, new long[0]);
    return manager
        .reserve(
            owner == BucketMap.PRIMARY ? Optional.empty() : Optional.of(map.validator(owner)),
            check,
            false)
        .join();
  }

  private static long hash(int row) {
    ConflictKeys keys = new ConflictKeys();
    keys.add(
        ConflictLevel.ROW,
        new RowFamily(
            TABLE.getNameAsString(),
            io.lampone.protocol.Bytes.of(bytes("r" + row)),
            io.lampone.protocol.Bytes.of(FAMILY)),
        IntentKind.PUT,
        io.lampone.protocol.Bytes.EMPTY);
    return keys.recordHashes()[0];
  }

  private static void put(Transaction tx, int row) throws IOException {
    tx.table(TABLE).put(new Put(bytes("r" + row)).addColumn(FAMILY, FAMILY, FAMILY));
  }
}
