package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.lampone.client.AdoptionReport;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that were there before, in use, and become plain again; and HBase's own tools on them. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdoptionIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final byte[] SPLIT = Bytes.toBytes("row-5");
  private static final int WRITERS = 3;
  private static final int ACKNOWLEDGED_WRITES = 50;

  private final LamponeClient client;
  private final LamponeAdmin lampone;
  private final EmbeddedLampone cluster;
  private final Connection connection;
  private final Admin hbase;

  @TempDir private java.nio.file.Path folder;

  AdoptionIT(LamponeClient client, EmbeddedLampone cluster) throws IOException {
    this.client = client;
    this.lampone = client.admin();
    this.cluster = cluster;
    Configuration patient = cluster.configuration();
    // Rejected requests are retried soon, and often: a pause of HBase's default may take ten
    // seconds.
    patient.setLong(HConstants.HBASE_CLIENT_PAUSE, 50);
    patient.setLong("hbase.client.pause.server.overloaded", 50);
    patient.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 30);
    this.connection = ConnectionFactory.createConnection(patient);
    this.hbase = connection.getAdmin();
  }

  @AfterAll
  void disconnect() throws IOException {
    connection.close();
  }

  /** The place at which a change was broken off. */
  private static final class BrokenOff extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenOff(String where) {
      super(where);
    }
  }

  /** A change. */
  private interface Change {
    void on(LamponeAdmin admin) throws IOException;
  }

  /**
   * Interrupts a change at each of its steps once; each attempt resumes from the last one, until
   * the change is complete.
   *
   * @return the steps at which it was interrupted
   */
  private List<String> brokenOffEverywhere(Change change) throws IOException {
    Set<String> seen = new HashSet<>();
    List<String> places = new ArrayList<>();
    LamponeAdmin fragile =
        lampone.reportingTo(
            (step, done, total) -> {
              String place = step + " " + (done < total ? "begun" : "done");
              if (seen.add(place)) {
                throw new BrokenOff(place);
              }
            });
    while (true) {
      try {
        change.on(fragile);
        return places;
      } catch (BrokenOff e) {
        places.add(e.getMessage());
      }
    }
  }

  @Test
  void whatWasThereIsReadAsBeforeAndWhatTransactionsLeaveAsTheyLeftItThoughBrokenOffEverywhere()
      throws Exception {
    TableName name = createPlain("adopted_everything");
    fillWithEverything(name);
    List<String> before = plainContents(name);
    AdoptionReport report = lampone.inspectTable(name);
    assertThat(report.obstacles()).isEmpty();
    assertThat(report.notes())
        .anyMatch(note -> note.startsWith("2 versions in the future"))
        .anyMatch(note -> note.startsWith("4 deletes of HBase"));
    assertThat(report.changes()).anyMatch(change -> change.contains("VERSIONS=1 becomes a rule"));
    assertThat(report.rows()).isEqualTo(7);
    assertThat(plainContents(name)).isEqualTo(before);

    List<String> broken = brokenOffEverywhere(admin -> admin.enableTable(name, ConflictLevel.ROW));
    assertThat(broken)
        .contains("Checking begun", "Closing to writers done", "Opening begun", "Opening done");

    assertThat(contents(name)).isEqualTo(before);
    client.run(
        tx -> {
          Table table = tx.table(name);
          for (String row :
              List.of("row-1 versions", "row-2 future", "row-6 hidden by the future")) {
            table.put(new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes("new")));
          }
          table.delete(new Delete(Bytes.toBytes("row-4 hidden")));
          table.put(
              new Put(Bytes.toBytes("row-9 added")).addColumn(FAMILY, COLUMN, Bytes.toBytes("a")));
          return null;
        });
    client
        .fastPath()
        .table(name)
        .put(new Put(Bytes.toBytes("row-8 empty")).addColumn(FAMILY, COLUMN, Bytes.toBytes("p")));
    List<String> last = client.run(tx -> contents(tx, name));
    assertThat(last).isNotEqualTo(before).contains("row-2 future=new", "row-9 added=a");
    Transaction undecided = client.begin();
    undecided
        .table(name)
        .put(new Put(Bytes.toBytes("row-1 versions")).addColumn(FAMILY, COLUMN, COLUMN));
    contents(undecided, name); // sends the intent

    broken = brokenOffEverywhere(admin -> admin.disableTable(name));
    assertThat(broken)
        .contains("Settling begun", "Settling done", "Rewriting begun", "Rewriting done");

    assertThatThrownBy(undecided::commit).hasMessageContaining("LP-");
    assertThat(lampone.inspectTable(name).obstacles()).isEmpty();
    assertThat(plainContents(name)).as(stored(name)).isEqualTo(last);
    assertPlainForGood(name, last);
  }

  private void assertPlainForGood(TableName name, List<String> last) throws IOException {
    String stored = stored(name);
    cluster.compact(name);
    assertThat(plainContents(name)).as("before %s\nafter %s", stored, stored(name)).isEqualTo(last);
    try (Table table = connection.getTable(name);
        ResultScanner rows = table.getScanner(new Scan().setRaw(true).readAllVersions())) {
      for (Result row : rows) {
        assertThat(row.rawCells()).allMatch(cell -> cell.getTimestamp() < 1L << 56);
      }
      table.put(new Put(Bytes.toBytes("row-9 added")).addColumn(FAMILY, COLUMN, COLUMN));
      assertThat(table.get(new Get(Bytes.toBytes("row-9 added"))).getValue(FAMILY, COLUMN))
          .isEqualTo(COLUMN);
    }
  }

  private void fillWithEverything(TableName name) throws IOException {
    long future = System.currentTimeMillis() + Duration.ofDays(365).toMillis();
    try (Table table = connection.getTable(name)) {
      for (int version = 1; version <= 3; version++) {
        table.put(put("row-1 versions", version, "v" + version));
      }
      table.put(put("row-2 future", future, "later"));
      table.put(put("row-3 deleted", 10, "gone"));
      table.delete(new Delete(Bytes.toBytes("row-3 deleted")));
      table.put(put("row-4 hidden", 10, "gone"));
      table.put(put("row-4 hidden", 30, "stays"));
      table.delete(new Delete(Bytes.toBytes("row-4 hidden")).addColumns(FAMILY, COLUMN, 20));
      table.put(put("row-6 hidden by the future", 10, "gone"));
      table.delete(
          new Delete(Bytes.toBytes("row-6 hidden by the future"))
              .addColumns(FAMILY, COLUMN, future));
      table.put(put("row-7 one version", 10, "stays"));
      table.put(put("row-7 one version", 20, "gone"));
      table.delete(new Delete(Bytes.toBytes("row-7 one version")).addColumn(FAMILY, COLUMN, 20));
      table.put(put("row-8 empty", 5, ""));
    }
  }

  @Test
  void aFamilyThatKeepsAllVersionsKeepsAndShowsThem() throws Exception {
    TableName name = createPlain("adopted_history");
    hbase.modifyColumnFamily(
        name,
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(HConstants.ALL_VERSIONS)
            .build());
    Get three = new Get(Bytes.toBytes("row-1")).readVersions(3);
    try (Table table = connection.getTable(name)) {
      for (int version = 1; version <= 3; version++) {
        table.put(put("row-1", version, "v" + version));
      }
      AdoptionReport report = lampone.inspectTable(name);
      lampone.enableTable(name, ConflictLevel.ROW);
      cluster.compact(name);
      assertThat((int) client.run(tx -> tx.table(name).get(three).size())).isEqualTo(3);
      lampone.disableTable(name);
      cluster.compact(name);
      assertThat(table.get(three).size()).isEqualTo(3);
      assertThat(report.changes()).anyMatch(told -> told.contains("lampone.versions=2147483647"));
    }
  }

  @ParameterizedTest
  @EnumSource(PlainClients.class)
  void noAcknowledgedWriteOfAPlainClientIsLostWhileTheTableIsEnabled(PlainClients choice)
      throws Exception {
    TableName name = createPlain("adopted_under_load_" + choice);
    AtomicLongArray acknowledged = new AtomicLongArray(WRITERS);
    AtomicInteger afterwards = new AtomicInteger();
    AtomicBoolean enabled = new AtomicBoolean();
    AtomicBoolean ended = new AtomicBoolean();
    Queue<String> failures = new ConcurrentLinkedQueue<>();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int row = i;
      writers.add(
          new Thread(
              () -> {
                try (Table table = connection.getTable(name)) {
                  for (long value = 1; !ended.get(); value++) {
                    table.put(
                        new Put(Bytes.toBytes("row-" + row * 4))
                            .addColumn(FAMILY, COLUMN, Bytes.toBytes(value)));
                    acknowledged.set(row, value);
                    if (enabled.get()) {
                      afterwards.incrementAndGet();
                    }
                  }
                } catch (IOException e) {
                  failures.add(e.toString());
                }
              }));
    }
    writers.forEach(Thread::start);
    try {
      await()
          .atMost(PATIENCE)
          .until(() -> acknowledged.get(0) + acknowledged.get(2) > ACKNOWLEDGED_WRITES);

      lampone.enableTable(name, ConflictLevel.ROW, choice);

      enabled.set(true);
      if (choice == PlainClients.FAST_PATH) {
        await()
            .atMost(120, TimeUnit.SECONDS)
            .until(() -> afterwards.get() > ACKNOWLEDGED_WRITES || !failures.isEmpty());
      }
    } finally {
      ended.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }
    assertThat(failures)
        .hasSize(choice == PlainClients.FAST_PATH ? 0 : WRITERS)
        .allMatch(failure -> failure.contains("PLAIN_CLIENT"));
    for (int row = 0; row < WRITERS; row++) {
      Get get = new Get(Bytes.toBytes("row-" + row * 4));
      assertThat((long) client.run(tx -> Bytes.toLong(tx.table(name).get(get).value())))
          .isEqualTo(acknowledged.get(row));
    }
  }

  @Test
  void whatStandsAgainstATableIsToldAndAVersionThatSlipsInUndoesTheEnabling() throws Exception {
    TableName name = createPlain("adopted_never");
    try (Table table = connection.getTable(name)) {
      table.put(put("row-1", 1L << 56, "nanoseconds"));
      table.put(
          new Put(Bytes.toBytes("row-2"))
              .addColumn(FAMILY, new byte[] {0, 'l', 'p', '9'}, Bytes.toBytes("12345678901")));
    }
    AdoptionReport report = lampone.inspectTable(name);
    assertThat(report.obstacles())
        .hasSize(2)
        .anyMatch(each -> each.contains("2^56") && each.contains("row-1"))
        .anyMatch(each -> each.contains("Lampone's own") && each.contains("row-2"));
    assertThat(report.largestValueBytes()).isEqualTo(11);

    TableName late = createPlain("adopted_too_late");
    AtomicBoolean written = new AtomicBoolean();
    LamponeAdmin slow =
        lampone.reportingTo(
            (step, done, total) -> {
              // After the first scan, before any region has the observer.
              if (step.equals("Closing to writers") && written.compareAndSet(false, true)) {
                try (Table table = connection.getTable(late)) {
                  table.put(put("row-1", 1L << 57, "nanoseconds"));
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              }
            });
    assertThatThrownBy(() -> slow.enableTable(late, ConflictLevel.ROW))
        .hasMessageContaining("2^56");
    assertThat(TableSettings.of(hbase.getDescriptor(late))).isEmpty();
    assertThat(plainContents(late)).containsExactly("row-1=nanoseconds");
  }

  @Test
  void aBulkLoadIsRefusedWithWhatToDoAndIntoAPlainTableItIsTheWay() throws Exception {
    TableName name = createPlain("bulk_loaded");
    assertThat(loadedBeforeAndAfterEnabling(name))
        .hasStackTraceContaining("load into a plain table and enable that one");
  }

  @Test
  void aBulkLoadThatIsRefusedLoadsNothing() throws Exception {
    TableName name = createPlain("bulk_loaded_twice");
    assertThat(loadedBeforeAndAfterEnabling(name)).isNotNull();
    assertThat(contents(name)).containsExactly("row-1=loaded");
  }

  /** Returns the exception of the second load. */
  private Throwable loadedBeforeAndAfterEnabling(TableName name) throws IOException {
    Path files = new Path(folder.resolve(name.getNameAsString()).toUri());
    BulkLoadHFiles loader = BulkLoadHFiles.create(cluster.configuration());
    writeFile(new Path(files, "f/one"), "row-1", 1_000);
    loader.bulkLoad(name, files);
    lampone.enableTable(name, ConflictLevel.ROW);
    assertThat(contents(name)).containsExactly("row-1=loaded");
    writeFile(new Path(files, "f/two"), "row-2", 1_000);
    return catchThrowable(() -> loader.bulkLoad(name, files));
  }

  @Test
  void aSnapshotOfHBaseTakenAtRestIsClonedAndRestoredAndOldTransactionsAreFenced()
      throws Exception {
    TableName name = createPlain("snapshotted");
    lampone.enableTable(name, ConflictLevel.ROW);
    write(name, "first");
    write(name, "second");
    List<String> then = client.run(tx -> contents(tx, name));
    await().atMost(PATIENCE).until(() -> cluster.pendingIntents(name).isEmpty());
    hbase.disableTable(name);
    hbase.snapshot("at-rest", name);
    hbase.enableTable(name);
    write(name, "third");
    List<String> later = client.run(tx -> contents(tx, name));

    TableName clone = TableName.valueOf("snapshotted_clone");
    hbase.cloneSnapshot("at-rest", clone);
    lampone.fenceTable(clone);
    assertThat(contents(clone)).isEqualTo(then);
    write(clone, "in the clone");
    cluster.compact(clone);
    assertThat(contents(clone)).containsExactly("row-1=in the clone", "row-7=in the clone");
    assertThat(contents(name)).isEqualTo(later);

    Transaction early = client.begin();
    assertThat(contents(early, name)).isEqualTo(later);
    hbase.disableTable(name);
    hbase.restoreSnapshot("at-rest");
    hbase.enableTable(name);
    lampone.fenceTable(name);
    early
        .table(name)
        .put(new Put(Bytes.toBytes("row-1")).addColumn(FAMILY, COLUMN, Bytes.toBytes("early")));
    assertThatThrownBy(early::commit).hasMessageContaining("LP-");
    assertThat(contents(name)).isEqualTo(then);
    write(name, "fourth");
    cluster.compact(name);
    assertThat(contents(name)).containsExactly("row-1=fourth", "row-7=fourth");
    hbase.deleteSnapshot("at-rest");
  }

  /** One transaction over both regions. */
  private void write(TableName name, String value) throws IOException {
    client.run(
        tx -> {
          for (String row : List.of("row-1", "row-7")) {
            tx.table(name)
                .put(new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value)));
          }
          return null;
        });
  }

  private void writeFile(Path file, String row, long version) throws IOException {
    FileSystem files = file.getFileSystem(cluster.configuration());
    try (HFile.Writer writer =
        HFile.getWriterFactory(cluster.configuration(), new CacheConfig(cluster.configuration()))
            .withPath(files, file)
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      writer.append(
          new KeyValue(Bytes.toBytes(row), FAMILY, COLUMN, version, Bytes.toBytes("loaded")));
    }
  }

  private TableName createPlain(String text) throws IOException {
    TableName name = TableName.valueOf(text);
    hbase.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .build(),
        new byte[][] {SPLIT});
    return name;
  }

  private static Put put(String row, long version, String value) {
    return new Put(Bytes.toBytes(row)).addColumn(FAMILY, COLUMN, version, Bytes.toBytes(value));
  }

  private List<String> plainContents(TableName name) throws IOException {
    try (Table table = connection.getTable(name)) {
      return contents(table);
    }
  }

  /** Returns all cells stored by HBase, for messages. */
  private String stored(TableName name) throws IOException {
    List<String> stored = new ArrayList<>();
    try (Table table = connection.getTable(name);
        ResultScanner rows = table.getScanner(new Scan().setRaw(true).readAllVersions())) {
      rows.forEach(row -> stored.add(row.listCells().toString()));
    }
    return String.join("\n", stored);
  }

  private List<String> contents(TableName name) throws IOException {
    return client.run(tx -> contents(tx, name));
  }

  private static List<String> contents(Transaction tx, TableName name) throws IOException {
    return contents(tx.table(name));
  }

  private static List<String> contents(Table table) throws IOException {
    List<String> contents = new ArrayList<>();
    try (ResultScanner rows = table.getScanner(new Scan())) {
      for (Result row : rows) {
        for (Cell cell : row.rawCells()) {
          contents.add(
              Bytes.toString(CellUtil.cloneRow(cell))
                  + "="
                  + Bytes.toString(CellUtil.cloneValue(cell)));
        }
      }
    }
    return contents;
  }
}
