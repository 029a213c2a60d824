package io.lampone.embedded;

import static io.lampone.embedded.TwoRows.FAMILY;
import static io.lampone.embedded.TwoRows.FOLLOWER;
import static io.lampone.embedded.TwoRows.LEADER;
import static io.lampone.embedded.TwoRows.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.core.Retention;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A user with the right to alter one table removes the observer, writes a commit into the leader of
 * another client's transaction there, or loads a file with it, and restores the observer. This must
 * not commit that transaction's writes in other tables.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnprovedLeaderIT {

  private static final Duration PASSES = Duration.ofSeconds(5);

  @TempDir private static Path folder;

  private EmbeddedHBase hbase;
  private TransactionManagerServer manager;
  private Connection connection;
  private LamponeClient client;

  @BeforeAll
  void start() throws Exception {
    hbase =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder)
                .setting("lampone.healer.period", "200ms")
                .setting("lampone.healer.delay", "500ms")
                .build());
    manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .leaseDuration(Duration.ofSeconds(1))
                .leaseRenewInterval(Duration.ofMillis(200))
                .retention(new Retention(Duration.ofSeconds(2), Duration.ofSeconds(2)))
                .build(),
            new MetricRegistry());
    manager.whenPrimary().get(60, TimeUnit.SECONDS);
    connection = ConnectionFactory.createConnection(hbase.configuration());
    client = LamponeClient.connect(hbase.configuration());
  }

  @AfterAll
  void stop() throws IOException {
    client.close();
    connection.close();
    manager.close();
    hbase.close();
  }

  @ParameterizedTest(name = "loaded={0}")
  @ValueSource(booleans = {false, true})
  void aCommitThatNoTransactionManagerHasStatedReachesNoOtherTable(boolean loaded)
      throws Exception {
    TwoRows altered = TwoRows.create(client, connection, "altered-" + loaded);
    TwoRows others = TwoRows.create(client, connection, "others-" + loaded);
    StoredCells other = new StoredCells(hbase, others.table());
    Configuration eager = new Configuration(hbase.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    try (LamponeClient owner = LamponeClient.connect(eager);
        Transaction tx = owner.begin()) {
      altered.put(tx, LEADER, "uncommitted");
      others.put(tx, FOLLOWER, "uncommitted");
      long start = tx.startTimestamp();
      assertThat(other.states(start)).containsExactly("z=PENDING");

      forgeLeader(
          altered,
          loaded,
          new KeyValue(
              bytes(LEADER),
              FAMILY,
              Reserved.TRANSACTION.toArray(),
              start,
              committedLeader(others).encode()));
      assertThat(new StoredCells(hbase, altered.table()).states(start))
          .containsExactly("a=COMMITTED");
      // Some passes of the healer, which begins one each 200 ms.
      await()
          .during(PASSES)
          .atMost(Duration.ofMinutes(2))
          .until(() -> other.states(start).equals(List.of("z=PENDING")));

      long began = System.nanoTime();
      assertThatThrownBy(() -> readOne(others, FOLLOWER))
          .isInstanceOfSatisfying(
              LamponeException.class,
              e -> assertThat(e.code()).isEqualTo(LamponeException.Code.CORRUPT))
          .hasMessageContaining("lampone doctor");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
      assertThat(readOne(others, LEADER)).isEqualTo(TwoRows.NOTHING);
      // A reader without rights on the leader's table queries the server of the row.
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(resolved(others, start))
                      .contains("CORRUPT", "lampone doctor")
                      .doesNotContain("altered-"));
      assertThat(other.states(start)).containsExactly("z=PENDING");
    }
  }

  /** The answer of the follower's server. */
  private String resolved(TwoRows others, long start) throws IOException {
    Get resolve =
        Carrier.resolveGet(
            new RowFamily(
                others.table().getNameAsString(), Bytes.utf8(FOLLOWER), Bytes.wrap(FAMILY)),
            Bytes.wrap(TwoRows.COLUMN),
            new LeaderReadRequest(start, 0, Bytes.wrap(FAMILY)));
    try (Table table = connection.getTable(others.table())) {
      return Carrier.reply(table.get(resolve)).toString();
    } catch (IOException e) {
      return RefusalException.in(e).map(Refusal::toText).orElseThrow(() -> e);
    }
  }

  /** Commits of honest transactions still reach all tables. */
  @Test
  void aCommitOfTheTransactionManagersIsTold() throws Exception {
    TwoRows altered = TwoRows.create(client, connection, "altered");
    TwoRows others = TwoRows.create(client, connection, "others");
    client.run(
        tx -> {
          altered.put(tx, "b", "good");
          others.put(tx, "y", "good");
          return null;
        });
    assertThat(readOne(others, "y") + " " + readOne(altered, "b")).isEqualTo("good good");
  }

  private TransactionCell committedLeader(TwoRows others) throws IOException {
    try (Transaction later = client.begin()) {
      RowFamily follower =
          new RowFamily(others.table().getNameAsString(), Bytes.utf8(FOLLOWER), Bytes.wrap(FAMILY));
      return TransactionCell.leader(List.of(follower), true, 1)
          .withState(TransactionState.COMMITTED, later.startTimestamp());
    }
  }

  private void forgeLeader(TwoRows rows, boolean loaded, KeyValue cell) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      TableDescriptor observed = admin.getDescriptor(rows.table());
      TableDescriptorBuilder bare = TableDescriptorBuilder.newBuilder(observed);
      for (CoprocessorDescriptor each : observed.getCoprocessorDescriptors()) {
        bare.removeCoprocessor(each.getClassName());
      }
      admin.modifyTable(bare.build());
      if (loaded) {
        load(rows, cell);
      } else {
        try (Table table = connection.getTable(rows.table())) {
          table.put(new Put(bytes(LEADER)).add(cell));
        }
      }
      admin.modifyTable(observed);
    }
  }

  private void load(TwoRows rows, KeyValue cell) throws IOException {
    org.apache.hadoop.fs.Path files =
        new org.apache.hadoop.fs.Path(folder.resolve("loaded").toUri());
    Configuration settings = hbase.configuration();
    try (HFile.Writer writer =
        HFile.getWriterFactory(settings, new CacheConfig(settings))
            .withPath(
                files.getFileSystem(settings),
                new org.apache.hadoop.fs.Path(files, Bytes.wrap(FAMILY).toUtf8() + "/forged"))
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      writer.append(cell);
    }
    BulkLoadHFiles.create(settings).bulkLoad(rows.table(), files);
  }

  private String readOne(TwoRows rows, String row) throws IOException {
    try (Transaction tx = client.readOnly()) {
      return rows.get(tx, row);
    }
  }
}
