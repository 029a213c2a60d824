package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.protocol.ConflictKeys;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.tm.BucketMap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Validators that are added, moved, removed and lost while transactions run. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ValidatorsIT {

  private static final TableName TABLE = TableName.valueOf("validators");
  private static final byte[] FAMILY = bytes("f");
  private static final byte[] Q = bytes("q");
  private static final int ACCOUNTS = 40;
  private static final long OPENING = 100;

  private static final TransactionOptions GENERAL =
      TransactionOptions.DEFAULT.withoutOneRegionCommit();

  private final EmbeddedLampone cluster;
  private final LamponeClient client;

  ValidatorsIT(EmbeddedLampone cluster, LamponeClient client) {
    this.cluster = cluster;
    this.client = client;
  }

  @BeforeAll
  void createTable() throws IOException {
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            bytes("a20"));
    client.run(
        GENERAL,
        tx -> {
          for (int i = 0; i < ACCOUNTS; i++) {
            put(tx, i, OPENING);
          }
          return null;
        });
  }

  @Test
  void theFirstCommitterWins_alsoAtOtherValidators() throws IOException {
    try (ExtraValidators validators = ExtraValidators.added(cluster, 2)) {
      for (int account = 0; account < ACCOUNTS; account++) {
        Transaction first = client.begin(GENERAL);
        Transaction second = client.begin(GENERAL);
        put(first, account, OPENING);
        put(second, account, OPENING);
        first.commit();
        assertThatExceptionOfType(ConflictException.class).isThrownBy(second::commit);
      }
      assertThat(validators.send("validators", ""))
          .contains("\"bucketsOfPrimary\":840", "\"buckets\":840");
      // Counts arrive with the next ping.
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> !validators.send("validators", "").contains("\"votes\":0"));
    }
  }

  @Test
  void transfersGoOn_whileValidatorsComeAndGo() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong commits = new AtomicLong();
    Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int seed = i;
      Thread thread = new Thread(() -> transfer(seed, stop, commits, failures));
      clients.add(thread);
      thread.start();
    }
    try (ExtraValidators validators = ExtraValidators.added(cluster, 2)) {
      awaitMore(commits);
      validators.send("validator-move", "from=v0 to=primary buckets=300");
      awaitMore(commits);
      validators.send("validator-move", "from=primary to=v1 buckets=500");
      awaitMore(commits);
      validators.send("validator-remove", "validator=v0");
      awaitMore(commits);
      assertThat(failures).isEmpty();
      validators.server(1).kill();
      awaitMore(commits);
      validators.awaitAllAtPrimary();
      awaitMore(commits);
    }
    stop.set(true);
    for (Thread each : clients) {
      each.join();
    }
    assertThat(sum()).isEqualTo(ACCOUNTS * OPENING);
    // Those under way when the validator was killed are run again.
    assertThat(failures).isEmpty();
  }

  /** Two requests to the primary whatever is written; one vote of each validator concerned. */
  @Test
  void aTransactionAsksThePrimaryTwice_andEachValidatorConcernedOnce() throws Exception {
    try (ExtraValidators validators = ExtraValidators.added(cluster, 2);
        LamponeClient own = LamponeClient.connect(cluster.configuration())) {
      BucketMap map = BucketMap.decode(validators.send("buckets", ""));
      run(own, 0); // fetches the map
      for (int account = 0; account < ACCOUNTS; account++) {
        int votes = map.owner(bucket(account)) == BucketMap.PRIMARY ? 0 : 1;
        assertThat(run(own, account)).as("account %d", account).isEqualTo(2 + votes);
      }
      int[] all = IntStream.range(0, ACCOUNTS).toArray();
      assertThat(run(own, all)).as("%d rows", ACCOUNTS).isEqualTo(2 + 2);
    }
  }

  /** Returns the requests of a transaction that writes these accounts. */
  private static long run(LamponeClient own, int... accounts) throws IOException {
    long before = own.metrics().managerRequests();
    try (Transaction tx = own.begin(GENERAL)) {
      for (int account : accounts) {
        put(tx, account, OPENING);
      }
      tx.commit();
    }
    return own.metrics().managerRequests() - before;
  }

  private static int bucket(int account) {
    ConflictKeys keys = new ConflictKeys();
    keys.add(
        ConflictLevel.ROW,
        new RowFamily(
            TABLE.getNameAsString(),
            io.lampone.protocol.Bytes.of(row(account)),
            io.lampone.protocol.Bytes.of(FAMILY)),
        IntentKind.PUT,
        io.lampone.protocol.Bytes.EMPTY);
    return BucketMap.bucketOf(keys.recordHashes()[0]);
  }

  @Test
  void aSnapshotWriterBelowALaterRead_isRefused() throws IOException {
    try (ExtraValidators validators = ExtraValidators.added(cluster, 1)) {
      validators.send("validators", "");
      for (int account = 0; account < ACCOUNTS; account += 2) {
        Transaction reader = client.begin(GENERAL.withIsolation(Isolation.SERIALIZABLE));
        Transaction writer = client.begin(GENERAL);
        get(reader, account);
        put(reader, account + 1, OPENING);
        put(writer, account, OPENING);
        writer.commit();
        assertThatExceptionOfType(ConflictException.class)
            .isThrownBy(reader::commit)
            .matches(e -> e.kind() == ConflictException.Kind.READ_WRITE);
      }
    }
  }

  @Test
  void wrongValidators_areRefusedWithTheReason() throws IOException {
    try (ExtraValidators validators = new ExtraValidators(cluster)) {
      assertThat(validators.ask("validator-add", "validator=nobody").text())
          .contains("no such validator runs", "lampone validator run");
      validators.start("tiny", 100);
      assertThat(validators.ask("validator-add", "validator=tiny").text())
          .contains("too small", "lampone.tm.conflict.table.capacity");
      validators.start("twin");
      validators.start("twin");
      assertThat(validators.ask("validator-add", "validator=twin").text())
          .contains("give the address");
      validators.send("validator-add", "validator=" + validators.server(1).address());
      assertThat(
              validators.ask("validator-add", "validator=" + validators.server(2).address()).text())
          .contains("another validator has this name");
      assertThat(
              validators.ask("validator-add", "validator=" + validators.server(1).address()).text())
          .contains("has its share already");
      assertThat(validators.ask("validator-move", "from=twin to=primary buckets=0").text())
          .contains("not a number of buckets");
      assertThat(validators.ask("validator-move", "from=twin to=twin buckets=1").text())
          .contains("the same owner");
      assertThat(validators.ask("validator-remove", "validator=other").text())
          .contains("owns nothing");
      validators.send("validator-remove", "validator=twin now=true");
    }
  }

  private void transfer(
      int seed, AtomicBoolean stop, AtomicLong commits, Queue<Exception> failures) {
    Random random = new Random(seed);
    while (!stop.get()) {
      int from = random.nextInt(ACCOUNTS);
      int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
      try {
        client.run(
            GENERAL,
            tx -> {
              put(tx, from, get(tx, from) - 1);
              put(tx, to, get(tx, to) + 1);
              return null;
            });
        commits.incrementAndGet();
      } catch (IOException | RuntimeException e) {
        failures.add(e);
      }
    }
  }

  private static void awaitMore(AtomicLong commits) throws InterruptedException {
    long enough = commits.get() + 200;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (commits.get() < enough) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(5);
    }
  }

  private long sum() throws IOException {
    return client.run(
        GENERAL,
        tx -> {
          long sum = 0;
          for (int i = 0; i < ACCOUNTS; i++) {
            sum += get(tx, i);
          }
          return sum;
        });
  }

  private static byte[] row(int account) {
    return bytes("a%02d".formatted(account));
  }

  private static void put(Transaction tx, int account, long balance) throws IOException {
    tx.table(TABLE).put(new Put(row(account)).addColumn(FAMILY, Q, Bytes.toBytes(balance)));
  }

  private static long get(Transaction tx, int account) throws IOException {
    Result found = tx.table(TABLE).get(new Get(row(account)));
    return Bytes.toLong(found.getValue(FAMILY, Q));
  }
}
