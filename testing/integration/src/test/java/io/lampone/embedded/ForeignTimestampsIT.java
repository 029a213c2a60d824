package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user with the right to read sends timestamps that no transaction manager has issued yet, but
 * will within seconds, while an honest client works on the same rows.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignTimestampsIT {

  private static final TableName TABLE = TableName.valueOf("foreign-timestamps");
  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("q");
  private static final byte[] ROW = bytes("r");
  private static final int ROUNDS = 40;

  /** A round takes some milliseconds; with the clock seconds ahead it takes seconds. */
  private static final Duration LONGEST = Duration.ofSeconds(60);

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient client;

  @BeforeAll
  static void start() throws Throwable {
    cluster = EmbeddedLampone.start(RunningCluster.authorizing(folder.resolve("c")).build());
    client = LamponeClient.connect(cluster.configuration());
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .build(),
            ConflictLevel.ROW);
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      AccessControlClient.grant(hbase, TABLE, "reader", F, null, Action.READ);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    client.close();
    cluster.close();
  }

  @Test
  void aReadersSnapshotNearTheBound_neitherHidesOwnWritesNorHoldsUpWriters() throws Exception {
    try (Attacker attacker = new Attacker(Kind.SNAPSHOT)) {
      workUnder(attacker);
    }
  }

  @Test
  void aReadersMarkNearTheBound_neitherHidesOwnWritesNorHoldsUpWriters() throws Exception {
    try (Attacker attacker = new Attacker(Kind.MARK)) {
      workUnder(attacker);
    }
  }

  @Test
  void aReadersUpToNearTheBound_neitherHidesOwnWritesNorHoldsUpWriters() throws Exception {
    try (Attacker attacker = new Attacker(Kind.UP_TO)) {
      workUnder(attacker);
    }
  }

  private static void workUnder(Attacker attacker) throws IOException {
    await().atMost(Duration.ofSeconds(60)).until(() -> attacker.sent.get() > 20);
    long begun = System.nanoTime();
    for (int i = 0; i < ROUNDS; i++) {
      byte[] value = bytes("v" + i);
      client.fastPath().table(TABLE).put(new Put(ROW).addColumn(F, Q, value));
      try (Transaction tx = client.begin();
          Table table = tx.table(TABLE)) {
        assertThat(table.get(new Get(ROW)).value()).as("round %d", i).isEqualTo(value);
        table.put(new Put(ROW).addColumn(F, Q, bytes("w" + i)));
        tx.commit();
      }
      assertThat(client.fastPath().table(TABLE).get(new Get(ROW)).value())
          .as("round %d", i)
          .isEqualTo(bytes("w" + i));
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONGEST);
  }

  private enum Kind {
    SNAPSHOT,
    MARK,
    UP_TO
  }

  /** Reads with timestamps just below the bound until it is closed. */
  private static final class Attacker implements AutoCloseable {

    private final Kind kind;
    private final ZooKeeper zooKeeper;
    private final AtomicInteger sent = new AtomicInteger();
    private final Thread thread = new Thread(this::run, "attacker");
    private volatile boolean over;

    Attacker(Kind kind) throws IOException {
      this.kind = kind;
      Configuration settings = cluster.configuration();
      this.zooKeeper =
          new ZooKeeper(
              settings.get(HConstants.ZOOKEEPER_QUORUM)
                  + ":"
                  + settings.get(HConstants.ZOOKEEPER_CLIENT_PORT),
              30_000,
              event -> {});
      thread.start();
    }

    private void run() {
      Configuration once = new Configuration(cluster.configuration());
      once.setInt("hbase.client.retries.number", 0);
      try {
        UserGroupInformation.createRemoteUser("reader")
            .doAs(
                (PrivilegedExceptionAction<Void>)
                    () -> {
                      try (Connection hbase = ConnectionFactory.createConnection(once);
                          Table table = hbase.getTable(TABLE)) {
                        while (!over) {
                          read(table);
                          Thread.sleep(20);
                        }
                      }
                      return null;
                    });
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    private void read(Table table) throws Exception {
      String path = ManagerRecord.DEFAULT_PARENT + "/" + ManagerRecord.ZNODE;
      long bound = ManagerRecord.decode(zooKeeper.getData(path, false, null)).bound();
      long timestamp = bound - Timestamps.TICK;
      Get get = new Get(ROW);
      switch (kind) {
        case SNAPSHOT ->
            get.setAttribute(
                ReadRequest.ATTRIBUTE,
                new ReadRequest(timestamp, false, 0, SlotSet.NONE, Map.of()).encode());
        case MARK ->
            get.setAttribute(
                FastReadRequest.ATTRIBUTE, FastReadRequest.of(timestamp, 0, false).encode());
        case UP_TO ->
            get.setAttribute(
                FastReadRequest.ATTRIBUTE,
                FastReadRequest.of(0, 0, false).again(timestamp, Map.of()).encode());
      }
      try {
        table.get(get);
      } catch (IOException e) {
        // Refused.
      }
      sent.incrementAndGet();
    }

    @Override
    public void close() throws InterruptedException {
      over = true;
      thread.join();
      zooKeeper.close();
    }
  }
}
