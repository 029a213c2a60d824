package io.lampone.embedded;

import static io.lampone.embedded.Layout.FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.Freshness;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Transactions that begin without a call of the transaction manager. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SessionFreshnessIT {

  private static final TransactionOptions SESSION =
      TransactionOptions.DEFAULT.withFreshness(Freshness.SESSION);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final byte[] Q = bytes("q");
  private static final int TIMES = 50;

  private final EmbeddedLampone cluster;
  private final LamponeClient shared;
  private LamponeClient client;

  SessionFreshnessIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.shared = client;
    this.client = client;
  }

  @BeforeAll
  void createTables() throws IOException {
    Layout.TWO_REGIONS.createTable(shared.admin());
    Layout.ONE_REGION.createTable(shared.admin());
    client = LamponeClient.connect(cluster.clientConfiguration());
  }

  @AfterAll
  void close() throws IOException {
    client.close();
  }

  /** A busy machine may let a block grow too old; so one run without a call suffices. */
  @Test
  void aReadOnlyTransactionCallsTheTransactionManagerNotAtAll() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              long before = client.metrics().managerRequests();
              for (int i = 0; i < TIMES; i++) {
                try (Transaction tx = client.begin(SESSION.asReadOnly())) {
                  get(tx, Layout.TWO_REGIONS, "session-none");
                }
              }
              return client.metrics().managerRequests() == before;
            });
  }

  /** The paper's count for a transaction with writes: one message, with the commit. */
  @Test
  void aTransactionThatWritesInTwoRegionsCallsItOnce() {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              long before = client.metrics().managerRequests();
              for (int i = 0; i < 10; i++) {
                TimeUnit.MILLISECONDS.sleep(50); // a snapshot above the last commit is at hand
                writeBoth(client, SESSION, i);
              }
              return client.metrics().managerRequests() - before == 10
                  && client.metrics().transactions().get("begin-session") >= 10;
            });
  }

  @Test
  void aSessionSeesItsOwnCommitsAtOnceHoweverTheyWereMade() throws IOException {
    for (int i = 1; i <= TIMES; i++) {
      writeBoth(client, i % 2 == 0 ? SESSION : TransactionOptions.DEFAULT, i);
      assertThat(read(client, Layout.TWO_REGIONS, "session-both")).isEqualTo(i);
      int value = i;
      client.run(
          SESSION,
          tx -> {
            put(tx, Layout.ONE_REGION, "session-one", value);
            return null;
          });
      assertThat(read(client, Layout.ONE_REGION, "session-one")).isEqualTo(i);
      client
          .fastPath()
          .table(Layout.ONE_REGION.table())
          .put(new Put(row("session-fast")).addColumn(FAMILY, Q, Bytes.toBytes(i)));
      assertThat(read(client, Layout.ONE_REGION, "session-fast")).isEqualTo(i);
    }
  }

  @Test
  void aSessionNeverSeesAnOlderStateThanBeforeWhileOthersWrite() throws Exception {
    int before; // other tests write the row, too
    try (Transaction tx = shared.readOnly()) {
      before = get(tx, Layout.TWO_REGIONS, "session-both");
    }
    int first = before + 1;
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              try {
                for (int i = first; !over.get(); i++) {
                  writeBoth(shared, TransactionOptions.DEFAULT, i);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try {
      await()
          .atMost(1, TimeUnit.MINUTES)
          .until(() -> read(client, Layout.TWO_REGIONS, "session-both") > before);
      int last = before;
      int changes = 0;
      long start = System.nanoTime();
      long end = start + TimeUnit.SECONDS.toNanos(3);
      long limit = start + TimeUnit.SECONDS.toNanos(60);
      while (System.nanoTime() < (changes > 5 ? end : limit)) {
        try (Transaction tx = client.begin(SESSION.asReadOnly())) {
          int now = get(tx, Layout.TWO_REGIONS, "session-both");
          assertThat(get(tx, Layout.TWO_REGIONS, "other-session-both")).isEqualTo(now);
          assertThat(now).isGreaterThanOrEqualTo(last);
          changes += now > last ? 1 : 0;
          last = now;
        }
      }
      assertThat(changes).isGreaterThan(5);
    } finally {
      over.set(true);
      writer.get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void commitsOfOthersAreSeenSoon() throws IOException {
    for (int i = 1; i <= 3; i++) {
      int value = 1000 + i;
      shared.run(
          tx -> {
            put(tx, Layout.ONE_REGION, "session-other", value);
            return null;
          });
      await()
          .atMost(PATIENCE)
          .until(() -> read(client, Layout.ONE_REGION, "session-other") == value);
    }
  }

  @Test
  void concurrentIncrementsOnSnapshotsAtHandLoseNothing() throws Exception {
    TransactionOptions options = SESSION.withIsolation(Isolation.SERIALIZABLE).withRetries(1000);
    CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          CompletableFuture.runAsync(
              () -> {
                try {
                  for (int j = 0; j < TIMES; j++) {
                    client.run(
                        options,
                        tx ->
                            tx.table(Layout.TWO_REGIONS.table())
                                .increment(
                                    new Increment(bytes("a-counter")).addColumn(FAMILY, Q, 1)));
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
    CompletableFuture.allOf(threads).get(120, TimeUnit.SECONDS);
    try (Transaction tx = client.readOnly()) {
      byte[] value =
          tx.table(Layout.TWO_REGIONS.table()).get(new Get(bytes("a-counter"))).getValue(FAMILY, Q);
      assertThat(Bytes.toLong(value)).isEqualTo(threads.length * TIMES);
    }
  }

  @Test
  void theTransactionManagerListsWhatIsOpenForMoreThanASecond() throws Exception {
    try (Transaction tx = client.begin()) {
      get(tx, Layout.TWO_REGIONS, "session-open");
      String start = "\"startTimestamp\":" + tx.startTimestamp();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(openTransactions())
                      .contains(start, Layout.TWO_REGIONS.table().getNameAsString()));
      tx.rollback();
      await().atMost(PATIENCE).until(() -> !openTransactions().contains(start));
    }
  }

  private String openTransactions() throws Exception {
    String[] address = cluster.managerAddress().split(":");
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().build())) {
      return commands
          .ask(
              InetSocketAddress.createUnresolved(address[0], Integer.parseInt(address[1])),
              "transactions",
              "")
          .get(60, TimeUnit.SECONDS)
          .text();
    }
  }

  private static int read(LamponeClient by, Layout layout, String row) throws IOException {
    try (Transaction tx = by.begin(SESSION.asReadOnly())) {
      return get(tx, layout, row);
    }
  }

  private static void writeBoth(LamponeClient by, TransactionOptions options, int value)
      throws IOException {
    by.run(
        options,
        tx -> {
          put(tx, Layout.TWO_REGIONS, "session-both", value);
          put(tx, Layout.TWO_REGIONS, "other-session-both", value);
          return null;
        });
  }

  private static void put(Transaction tx, Layout layout, String row, int value) throws IOException {
    tx.table(layout.table()).put(new Put(row(row)).addColumn(FAMILY, Q, Bytes.toBytes(value)));
  }

  private static int get(Transaction tx, Layout layout, String row) throws IOException {
    byte[] value = tx.table(layout.table()).get(new Get(row(row))).getValue(FAMILY, Q);
    return value == null ? 0 : Bytes.toInt(value);
  }

  /** Rows of the second region begin with z. */
  private static byte[] row(String name) {
    return bytes(name.startsWith("other") ? "z-" + name : "a-" + name);
  }
}
