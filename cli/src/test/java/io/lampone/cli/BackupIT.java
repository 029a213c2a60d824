package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.CellLifetimes;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
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
import org.apache.hadoop.hbase.util.Bytes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups by the commands, concurrently with writers, and their failures. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackupIT {

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER_FAMILY = Bytes.toBytes("g");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final TableName LEFT = TableName.valueOf("left");
  private static final TableName RIGHT = TableName.valueOf("right");
  private static final int ACCOUNTS = 20;
  private static final long OPENING = 1_000;
  private static final int WRITERS = 3;

  @TempDir private static Path folder;

  private static SignedBackups backups;
  private static EmbeddedLampone cluster;
  private static LamponeClient client;
  private static Connection hbase;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path backup;

  @BeforeAll
  static void start() throws IOException {
    backups = new SignedBackups(folder.resolve("key"));
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("c")).build());
    client = LamponeClient.connect(cluster.configuration());
    hbase = ConnectionFactory.createConnection(cluster.configuration());
    create(LEFT, "account-05", "account-10");
    create(RIGHT);
    client.run(
        tx -> {
          for (int i = 0; i < ACCOUNTS; i++) {
            tx.table(LEFT).put(balance(i, OPENING));
            tx.table(RIGHT).put(balance(i, OPENING));
          }
          return null;
        });
  }

  @AfterAll
  static void stop() throws IOException {
    hbase.close();
    client.close();
    cluster.close();
  }

  @BeforeEach
  void aNewFolder() throws IOException {
    backup = Files.createTempDirectory(folder, "backup").resolve("b");
  }

  @AfterEach
  void releaseHolds() throws Exception {
    for (JsonNode hold : json("hold", "list", "--json").path("holds")) {
      lampone("hold", "release", hold.path("name").asText());
    }
  }

  @Test
  void twoTablesAreRestoredAsOneSnapshotShowedThemWhileMoneyMovesBetweenThem() throws Exception {
    long seed = System.nanoTime();
    AtomicBoolean ended = new AtomicBoolean();
    AtomicLong transfers = new AtomicLong();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      writers.add(new Thread(() -> move(random, ended, transfers)));
    }
    writers.forEach(Thread::start);
    JsonNode snapshot;
    JsonNode exported;
    try {
      awaitMore(transfers);
      snapshot = json("snapshot", "--json", "left", "right");
      awaitMore(transfers);
      exported =
          json(
              "export",
              "--json",
              "--snapshot",
              snapshot.get("name").asText(),
              "left",
              "right",
              backup.toString());
      assertThat(exported.get("timestamp").asLong()).isEqualTo(snapshot.get("timestamp").asLong());
      json("restore", "--json", backup.toString(), "--rename=left=left2", "--rename=right=right2");
      awaitMore(transfers);
    } finally {
      ended.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }

    TableName left2 = TableName.valueOf("left2");
    TableName right2 = TableName.valueOf("right2");
    long sum = client.run(tx -> sum(tx, left2) + sum(tx, right2));
    assertThat(sum).as("seed=" + seed).isEqualTo(2 * ACCOUNTS * OPENING);
    try (Transaction past = client.asOf(snapshot.get("timestamp").asLong());
        Transaction now = client.begin()) {
      assertThat(contents(now, left2)).isEqualTo(contents(past, LEFT));
      assertThat(contents(now, right2)).isEqualTo(contents(past, RIGHT));
      assertThat(contents(now, left2)).isNotEqualTo(contents(now, LEFT));
    }
    // The restored table is an ordinary table.
    client.run(
        tx -> {
          tx.table(left2).put(balance(0, value(tx, left2, 0) + 7));
          tx.table(right2).put(balance(0, value(tx, right2, 0) - 7));
          return null;
        });
    assertThat(client.<Long, RuntimeException>run(tx -> sum(tx, left2) + sum(tx, right2)))
        .isEqualTo(2 * ACCOUNTS * OPENING);
    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.getRegions(left2)).hasSize(3);
    }
    assertThat(json("hold", "list", "--json").toString()).contains(snapshot.get("name").asText());
    String name = snapshot.get("name").asText();
    assertThat(json("snapshot", "--json", "--release", name).get("released").asBoolean()).isTrue();
    assertThat(json("snapshot", "--json", "--release", name).get("released").asBoolean()).isFalse();
    assertThat(json("hold", "list", "--json").toString()).doesNotContain("export-", name);
  }

  @Test
  void deletesEmptyValuesWideRowsAndEveryKindOfVersionAreRestored() throws Exception {
    TableName odd = TableName.valueOf("odd");
    createPlain(odd);
    try (Table table = hbase.getTable(odd)) {
      table.put(new Put(bytes("old")).addColumn(FAMILY, COLUMN, 5, bytes("plain")));
      table.put(new Put(bytes("gone")).addColumn(FAMILY, COLUMN, 6, bytes("plain")));
    }
    client.admin().enableTable(odd, ConflictLevel.CELL);
    client.run(
        tx -> {
          Table table = tx.table(odd);
          table.delete(new Delete(bytes("gone")));
          table.put(new Put(bytes("empty")).addColumn(FAMILY, new byte[0], new byte[0]));
          table.put(
              new Put(new byte[] {0, -1}).addColumn(OTHER_FAMILY, new byte[] {0}, bytes("b")));
          Put wide = new Put(bytes("wide"));
          for (int i = 0; i < 2_500; i++) {
            wide.addColumn(FAMILY, Bytes.toBytes(i), bytes("w" + i));
          }
          table.put(wide);
          var point = tx.savepoint();
          table.put(new Put(bytes("slot")).addColumn(FAMILY, COLUMN, bytes("never")));
          tx.rollbackTo(point);
          table.put(new Put(bytes("slot")).addColumn(FAMILY, COLUMN, bytes("last")));
          return null;
        });
    client.fastPath().table(odd).put(new Put(bytes("fast")).addColumn(FAMILY, COLUMN, bytes("p")));
    try (Transaction undecided = client.begin()) {
      undecided.table(odd).put(new Put(bytes("old")).addColumn(FAMILY, COLUMN, bytes("never")));
      contents(undecided, odd); // sends the intent

      json("export", "--json", "odd", backup.toString());
    }
    json("restore", "--json", backup.toString(), "--rename", "odd=odd2");

    TableName odd2 = TableName.valueOf("odd2");
    try (Transaction tx = client.begin()) {
      List<String> restored = contents(tx, odd2);
      assertThat(restored).isEqualTo(contents(tx, odd));
      assertThat(restored).hasSize(2_505);
    }
    try (Table raw = hbase.getTable(odd2)) {
      assertThatThrownBy(() -> raw.get(new Get(bytes("old")))).hasMessageContaining("PLAIN_CLIENT");
    }
    assertThat(lampone("doctor", "--older-than=0", "odd2")).as(out.toString()).isZero();
    cluster.compact(odd2);
    try (Transaction tx = client.begin()) {
      assertThat(contents(tx, odd2)).isEqualTo(contents(tx, odd));
    }
  }

  /** ADR 26: the clients' wire format omits the TTL unless it is requested. */
  @Test
  void aValueIsRestoredWithItsTtl() throws Exception {
    TableName name = TableName.valueOf("expiring");
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setValue(TableRetention.CELL_TTL_KEY, "true")
                        .build())
                .build(),
            ConflictLevel.ROW);
    long hour = Duration.ofHours(1).toMillis();
    client.run(
        tx -> {
          Put put = new Put(bytes("both")).addColumn(FAMILY, COLUMN, bytes("expires")).setTTL(hour);
          tx.table(name).put(put);
          tx.table(name).put(new Put(bytes("both")).addColumn(FAMILY, bytes("r"), bytes("stays")));
          return null;
        });
    Put fast = new Put(bytes("fast")).addColumn(FAMILY, COLUMN, bytes("p")).setTTL(2 * hour);
    client.fastPath().table(name).put(fast);

    json("export", "--json", "expiring", backup.toString());
    json("restore", "--json", backup.toString(), "--rename", "expiring=expiring2");

    try (LamponeClient told =
            LamponeClient.connect(CellLifetimes.showing(cluster.configuration()));
        Transaction tx = told.begin();
        ResultScanner rows = tx.table(TableName.valueOf("expiring2")).getScanner(new Scan())) {
      List<Long> lifetimes = new ArrayList<>();
      rows.forEach(row -> row.listCells().forEach(c -> lifetimes.add(CellLifetimes.millis(c))));
      assertThat(lifetimes).containsExactly(hour, 0L, 2 * hour);
    }
  }

  @Test
  void aDamagedByteAMissingFileAndAMissingFolderAreToldBeforeAnyTableIsMade() throws Exception {
    json("export", "--json", "left", "right", backup.toString());
    Path part = backup.resolve("left").resolve("part-00001");
    byte[] sound = Files.readAllBytes(part);
    byte[] changed = sound.clone();
    changed[changed.length / 2] ^= 1;
    Files.write(part, changed);

    failsWith("damaged", "restore", backup.toString(), "--rename=left=l3", "--rename=right=r3");
    assertThat(err.toString()).contains(part.toString(), "another copy");
    Files.delete(part);
    failsWith("missing", "restore", backup.toString(), "--rename=left=l3", "--rename=right=r3");
    Files.write(part, sound);
    Path manifest = backup.resolve("backup.json");
    Files.writeString(manifest, Files.readString(manifest).replaceFirst("\"rows\" : ", "$01"));
    failsWith("damaged", "restore", backup.toString());
    failsWith("no backup in this folder", "restore", backup.resolve("elsewhere").toString());

    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.tableExists(TableName.valueOf("l3"))).isFalse();
      assertThat(admin.tableExists(TableName.valueOf("r3"))).isFalse();
    }
  }

  @Test
  void existingTablesAreNotTouchedAndWhatFailsHalfwayLeavesNothing() throws Exception {
    json("export", "--json", "left", "right", backup.toString());

    failsWith("exists already, table=left", "restore", backup.toString());
    assertThat(err.toString()).contains("--rename left=NEWNAME");
    failsWith("two tables", "restore", backup.toString(), "--rename=left=x", "--rename=right=x");
    failsWith("no such table in the backup", "restore", backup.toString(), "--rename=lef=x");
    // The second table cannot be created: the first one is removed.
    failsWith(
        "namespace", "restore", backup.toString(), "--rename=left=l4", "--rename=right=nowhere:r4");
    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.tableExists(TableName.valueOf("l4"))).isFalse();
    }
  }

  @Test
  void aRestoreThatWasKilledIsNoTableForAnybodyAndIsDoneAgain() throws Exception {
    json("export", "--json", "right", backup.toString());
    JsonNode written = new ObjectMapper().readTree(backup.resolve("backup.json").toFile());
    TableName half = TableName.valueOf("half");
    TableDescriptorBuilder begun =
        descriptor(half).setValue(TableSettings.RESTORED_TABLE_KEY, "right");
    client.admin().createForRestore(begun.build(), written.at("/backup/id").asText());

    assertThatThrownBy(() -> client.run(tx -> sum(tx, half))).hasMessageStartingWith("LP-402");
    failsWith("being restored", "table", "enable", "half");
    json("restore", "--json", backup.toString(), "--rename=right=half");

    assertThat((int) client.run(tx -> contents(tx, half).size())).isEqualTo(ACCOUNTS);
    failsWith("exists already", "restore", backup.toString(), "--rename=right=half");
  }

  @Test
  void aFullDiskIsToldAndTheExportGoesOnWhereItWas() throws Exception {
    String full = "full://" + backup;
    String[] disk = {
      "-Dfs.full.impl=" + FullDisk.class.getName(), "-Dfs.full.impl.disable.cache=true"
    };
    TableName large = TableName.valueOf("large");
    create(large);
    client.run(
        tx -> {
          tx.table(large).put(new Put(row(0)).addColumn(FAMILY, COLUMN, new byte[20_000]));
          return null;
        });
    // Enough for the plan and the first table.
    failsWith(
        "No space left",
        "export",
        "--threads=1",
        disk[0],
        disk[1],
        "-Dtest.full.bytes=15000",
        "left",
        "large",
        full);
    assertThat(err.toString()).contains("--resume", "cannot write the backup");
    failsWith("not complete", "restore", backup.toString());
    failsWith("unfinished backup", "export", "left", backup.toString());
    // The time to free space exceeds the retention of snapshots.
    long later = client.readOnly().startTimestamp();
    assertThat(cluster.advanceSafePoint(later).get(1, TimeUnit.MINUTES)).isLessThan(later);
    Path first = backup.resolve("left").resolve("part-00000");
    var written = Files.getLastModifiedTime(first);
    json("export", "--json", "--resume", disk[0], disk[1], "-Dtest.full.bytes=1000000000", full);

    assertThat(Files.getLastModifiedTime(first)).isEqualTo(written);
    assertThat(SignedBackups.modes(backup)).containsOnly(2).hasSizeGreaterThan(1);
    assertThat(lampone("restore", "--verify-only", backup.toString())).as(err.toString()).isZero();
    failsWith("complete backup", "export", "left", backup.toString());
  }

  @Test
  void aSnapshotBelowTheSafePointIsRefusedByItsName() throws Exception {
    long old = client.readOnly().startTimestamp();
    long now = client.readOnly().startTimestamp();
    long safePoint = cluster.advanceSafePoint(now).get(1, TimeUnit.MINUTES);
    assertThat(safePoint).isGreaterThan(old);

    failsWith("LP-104 the snapshot is too old", "export", "--at=" + old, "left", backup.toString());
    failsWith("no snapshot has this timestamp", "export", "--at=5", "left", backup.toString());
    failsWith("named twice", "export", "left", "left", backup.toString());
    failsWith("no snapshot of this name", "export", "--snapshot=x", "left", backup.toString());
    createPlain(TableName.valueOf("plain"));
    create(TableName.valueOf("late"));
    failsWith("not transactional", "snapshot", "--name=n", "left", "plain");
    failsWith("became transactional after", "export", "--at=" + now, "late", backup.toString());
    assertThat(Files.exists(backup)).isFalse();
  }

  private static void move(SplittableRandom random, AtomicBoolean ended, AtomicLong transfers) {
    while (!ended.get()) {
      int from = random.nextInt(ACCOUNTS);
      int to = random.nextInt(ACCOUNTS);
      try {
        client.run(
            tx -> {
              tx.table(LEFT).put(balance(from, value(tx, LEFT, from) - 1));
              tx.table(RIGHT).put(balance(to, value(tx, RIGHT, to) + 1));
              return null;
            });
        transfers.incrementAndGet();
      } catch (LamponeException e) {
        assertThat(e.code()).isIn(LamponeException.Code.CONFLICT, LamponeException.Code.ABORTED);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void awaitMore(AtomicLong transfers) {
    long before = transfers.get();
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> transfers.get() >= before + 20);
  }

  private static long sum(Transaction tx, TableName name) throws IOException {
    long sum = 0;
    try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
      for (Result row : rows) {
        sum += Bytes.toLong(row.getValue(FAMILY, COLUMN));
      }
    }
    return sum;
  }

  private static long value(Transaction tx, TableName name, int account) throws IOException {
    return Bytes.toLong(tx.table(name).get(new Get(row(account))).getValue(FAMILY, COLUMN));
  }

  private static Put balance(int account, long value) {
    return new Put(row(account)).addColumn(FAMILY, COLUMN, Bytes.toBytes(value));
  }

  private static byte[] row(int account) {
    return bytes(String.format("account-%02d", account));
  }

  /** All cells, printable, without their versions. */
  private static List<String> contents(Transaction tx, TableName name) throws IOException {
    List<String> contents = new ArrayList<>();
    try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
      for (Result row : rows) {
        for (Cell cell : row.rawCells()) {
          contents.add(
              Bytes.toStringBinary(CellUtil.cloneRow(cell))
                  + " "
                  + Bytes.toStringBinary(CellUtil.cloneFamily(cell))
                  + " "
                  + Bytes.toStringBinary(CellUtil.cloneQualifier(cell))
                  + " "
                  + Bytes.toStringBinary(CellUtil.cloneValue(cell)));
        }
      }
    }
    return contents;
  }

  private static void create(TableName name, String... splits) throws IOException {
    byte[][] keys = new byte[splits.length][];
    for (int i = 0; i < splits.length; i++) {
      keys[i] = bytes(splits[i]);
    }
    client.admin().createTable(descriptor(name).build(), ConflictLevel.ROW, keys);
  }

  private static void createPlain(TableName name) throws IOException {
    try (Admin admin = hbase.getAdmin()) {
      admin.createTable(descriptor(name).build());
    }
  }

  private static TableDescriptorBuilder descriptor(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(OTHER_FAMILY));
  }

  private JsonNode json(String... arguments) throws IOException {
    out.getBuffer().setLength(0);
    assertThat(lampone(arguments)).as(out + "\n" + err).isZero();
    return new ObjectMapper().readTree(out.toString());
  }

  private void failsWith(String message, String... arguments) {
    err.getBuffer().setLength(0);
    assertThat(lampone(arguments)).as(out + "\n" + err).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ", message).doesNotContain("\tat ");
  }

  private int lampone(String... arguments) {
    List<String> all = backups.command(cluster.hbase().zooKeeperConnectString(), arguments);
    if (arguments[0].equals("export") && !List.of(arguments).contains("--resume")) {
      all.add("--encrypt");
    }
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
