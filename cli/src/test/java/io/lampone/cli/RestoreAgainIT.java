package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.backup.BackupException;
import io.lampone.cli.backup.StoredBackup;
import io.lampone.cli.backup.TableRestore;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Restores that were broken off, or that others have been at, and the same command again. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestoreAgainIT {

  private static final byte[] FAMILY = bytes("f");
  private static final TableName LEFT = TableName.valueOf("left");
  private static final TableName RIGHT = TableName.valueOf("right");
  private static final int ROWS = 20;
  private static final Duration LONGER = Duration.ofHours(2);

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient client;
  private static Connection hbase;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private String backup;

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("c")).build());
    client = LamponeClient.connect(cluster.configuration());
    hbase = ConnectionFactory.createConnection(cluster.configuration());
    for (TableName name : List.of(LEFT, RIGHT)) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(name)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                  .build(),
              ConflictLevel.ROW);
    }
    client.admin().keepLonger(RIGHT, LONGER);
    client.run(
        tx -> {
          for (int i = 0; i < ROWS; i++) {
            tx.table(LEFT).put(new Put(bytes("r" + i)).addColumn(FAMILY, FAMILY, FAMILY));
            tx.table(RIGHT).put(new Put(bytes("r" + i)).addColumn(FAMILY, FAMILY, FAMILY));
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
  void export() throws IOException {
    backup = Files.createTempDirectory(folder, "backup").resolve("b").toString();
    assertThat(lampone("export", "left", "right", backup)).as(err.toString()).isZero();
  }

  /** Effect of a kill: no further action, not even that of a failure. */
  private static final class BrokenOff extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenOff(String where) {
      super(where);
    }
  }

  @Test
  void aRestoreThatIsBrokenOffAnywhereInItsOpeningIsGoneOnWith() throws Exception {
    TableName left = TableName.valueOf("opened_left");
    TableName right = TableName.valueOf("opened_right");
    Set<String> seen = new HashSet<>();
    List<String> broken = new ArrayList<>();
    List<Exception> told = new ArrayList<>();
    LamponeAdmin fragile =
        client
            .admin()
            .reportingTo(
                (step, done, total) -> {
                  String place =
                      step + (done < total ? " begun, tables=" : " done, tables=") + open(left);
                  if (seen.add(place)) {
                    broken.add(place);
                    throw new BrokenOff(place);
                  }
                });
    TableRestore restore = new TableRestore(hbase, fragile, 2, Set.of());
    Map<TableName, TableName> names = Map.of(LEFT, left, RIGHT, right);
    int closed = 0;
    while (!open(right)) {
      int before = broken.size();
      try {
        restore.restore(stored(), names, client.readOnly().startTimestamp());
      } catch (IOException | RuntimeException e) {
        assertThat(broken).as(e.toString()).hasSize(before + 1);
        told.add(e);
        if (isIn(TableSettings.Phase.CHANGING, left)) {
          closed++;
          assertThatThrownBy(() -> client.admin().disableTable(left))
              .hasMessageContaining("the table is being restored and not complete");
        }
      }
    }

    assertThat(told)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(BackupException.class)
                    .hasRootCauseInstanceOf(BrokenOff.class)
                    .hasMessageContaining("the tables are full, and not all of them open yet"))
        .allSatisfy(
            failure ->
                assertThat(((BackupException) failure).advice())
                    .contains("the same command again"));
    assertThat(closed).isPositive();
    assertThat(broken).hasSizeGreaterThan(6).contains("Closing to writers done, tables=false");
    assertThat(rows(left)).isEqualTo(ROWS);
    assertThat(rows(right)).isEqualTo(ROWS);
    assertThat(open(left) && open(right)).isTrue();
    try (Admin admin = hbase.getAdmin()) {
      assertThat(TableRetention.of(admin.getDescriptor(right)).extra()).isEqualTo(LONGER);
      assertThat(TableRetention.of(admin.getDescriptor(right)).oldest()).isPositive();
      assertThat(TableRetention.of(admin.getDescriptor(left))).isEqualTo(TableRetention.NONE);
      assertThat(admin.getDescriptor(right).getValue(TableSettings.RESTORING_KEY)).isNull();
    }
    assertThat(restore("opened_left", "opened_right")).isEqualTo(1);
    assertThat(err.toString()).contains("the table exists already, table=opened_left");
  }

  @Test
  void aTableThatIsLeftOfAnEarlierRestoreIsToldAndTheOthersAreNotTakenForFull() throws Exception {
    assertThat(restore("kept", "dropped")).as(err.toString()).isZero();
    try (Admin admin = hbase.getAdmin()) {
      TableName dropped = TableName.valueOf("dropped");
      admin.disableTable(dropped);
      admin.deleteTable(dropped);

      assertThat(restore("kept", "dropped")).isEqualTo(1);
      assertThat(err.toString())
          .contains("ERROR: [kept] is left from an earlier restore", "[dropped] is gone")
          .contains("drop [kept], or use --rename");
      assertThat(admin.tableExists(dropped)).isFalse();
    }
    assertThat(rows(TableName.valueOf("kept"))).isEqualTo(ROWS);
    assertThatThrownBy(() -> rows(TableName.valueOf("dropped"))).isInstanceOf(IOException.class);
  }

  /** The table is from a killed restore of the same backup, with another name for the other. */
  @Test
  void aTableThatSomebodyHasBegunToFillIsNotTakenForFullBesideOneThatIsLeft() throws Exception {
    TableName begun = TableName.valueOf("begun");
    assertThat(restore("ended", "begun")).as(err.toString()).isZero();
    try (Admin admin = hbase.getAdmin()) {
      admin.disableTable(begun);
      admin.deleteTable(begun);
      client.admin().createForRestore(plain(begun, "right"), backupId());

      assertThat(restore("ended", "begun")).isEqualTo(1);
      assertThat(err.toString())
          .contains("ERROR: [ended] is left from an earlier restore", "[begun] is not full")
          .contains("drop [ended], or use --rename");
      assertThat(TableSettings.of(admin.getDescriptor(begun))).isEmpty();
    }
    assertThat(restore("ended2", "begun")).as(err.toString()).isZero();
    assertThat(rows(begun)).isEqualTo(ROWS);
    assertThat(rows(TableName.valueOf("ended2"))).isEqualTo(ROWS);
  }

  @Test
  void whatIsFullWhenARestoreIsBrokenOffSaysSoUntilItIsOpen() throws Exception {
    TableName left = TableName.valueOf("marked_left");
    TableName right = TableName.valueOf("marked_right");
    LamponeAdmin broken =
        client
            .admin()
            .reportingTo(
                (step, done, total) -> {
                  throw new BrokenOff(step);
                });
    Map<TableName, TableName> names = Map.of(LEFT, left, RIGHT, right);
    assertThatThrownBy(() -> restored(broken, names)).hasMessageContaining("the tables are full");
    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.getDescriptor(right).getValue(TableSettings.RESTORING_FULL_KEY))
          .isEqualTo("true");
      assertThat(restore("marked_left", "marked_right")).as(err.toString()).isZero();
      for (TableName name : List.of(left, right)) {
        assertThat(admin.getDescriptor(name).getValue(TableSettings.RESTORING_FULL_KEY)).isNull();
        assertThat(rows(name)).isEqualTo(ROWS);
      }
    }
  }

  @Test
  void aRestoreThatIsGoneOnWithByOtherNamesFillsNoTableIntoAnotherOne() throws Exception {
    TableName begun = TableName.valueOf("begun_left");
    client.admin().createForRestore(plain(begun, "left"), backupId());
    assertThat(restore("fresh", "begun_left")).as(err.toString()).isEqualTo(1);
    assertThat(err.toString()).contains("the table exists already, table=begun_left");
    assertThatThrownBy(() -> client.admin().createForRestore(plain(begun, "right"), backupId()))
        .hasMessageContaining("the table exists already");

    LamponeAdmin broken =
        client
            .admin()
            .reportingTo(
                (step, done, total) -> {
                  throw new BrokenOff(step);
                });
    Map<TableName, TableName> names =
        Map.of(LEFT, TableName.valueOf("full_left"), RIGHT, TableName.valueOf("full_right"));
    assertThatThrownBy(() -> restored(broken, names)).hasMessageContaining("the tables are full");
    assertThat(restore("full_right", "full_left")).as(err.toString()).isEqualTo(1);
    assertThat(err.toString()).contains("the table exists already, table=full_right");
    assertThat(restore("full_left", "full_right")).as(err.toString()).isZero();
    assertThat(restore("begun_left", "fresh")).as(err.toString()).isZero();
    assertThat(rows(begun)).isEqualTo(ROWS);
  }

  @Test
  void aRestoreThatFailsDropsNoTableThatAnotherOneIsFilling() throws Exception {
    TableName same = TableName.valueOf("same");
    client.admin().createForRestore(plain(same, "left"), backupId());
    assertThat(restore("same", "nowhere:right")).isEqualTo(1);
    assertThat(err.toString()).contains("nowhere");

    TableName other = TableName.valueOf("other");
    LamponeAdmin late =
        (LamponeAdmin)
            Proxy.newProxyInstance(
                LamponeAdmin.class.getClassLoader(),
                new Class<?>[] {LamponeAdmin.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("createForRestore");
                  client.admin().createForRestore(plain(other, "left"), "another backup");
                  client.admin().createForRestore(plain(other, "left"), backupId());
                  throw new AssertionError("it was there");
                });
    assertThatThrownBy(() -> restored(late, Map.of(LEFT, other)))
        .hasMessageContaining("the table exists already");
    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.tableExists(same)).isTrue();
      assertThat(admin.tableExists(other)).isTrue();
    }
  }

  /** It had disabled the table in HBase, and not yet deleted it. */
  @Test
  void aRestoreThatIsStoppedWhileItDropsItsTableIsGoneOnWith() throws Exception {
    TableName left = TableName.valueOf("dropping_left");
    client.admin().createForRestore(plain(left, "left"), backupId());
    try (Admin admin = hbase.getAdmin()) {
      admin.disableTable(left);
      assertThat(restore("dropping_left", "dropping_right")).as(err.toString()).isZero();
    }
    assertThat(rows(left)).isEqualTo(ROWS);
  }

  @Test
  void aRestoreThatTheUserStopsKeepsItsTablesForTheNext() throws Exception {
    TableName left = TableName.valueOf("stopped_left");
    TableName right = TableName.valueOf("stopped_right");
    LamponeAdmin stopped =
        (LamponeAdmin)
            Proxy.newProxyInstance(
                LamponeAdmin.class.getClassLoader(),
                new Class<?>[] {LamponeAdmin.class},
                (proxy, method, arguments) -> {
                  Object made = method.invoke(client.admin(), arguments);
                  if (((TableDescriptor) arguments[0]).getTableName().equals(right)) {
                    Thread.currentThread().interrupt();
                  }
                  return made;
                });
    assertThatThrownBy(() -> restored(stopped, Map.of(LEFT, left, RIGHT, right)))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.isTableEnabled(left) && admin.isTableEnabled(right)).isTrue();
    }
    assertThat(restore("stopped_left", "stopped_right")).as(err.toString()).isZero();
    assertThat(rows(left)).isEqualTo(ROWS);
  }

  private void restored(LamponeAdmin admin, Map<TableName, TableName> names) throws IOException {
    Map<TableName, TableName> all = new HashMap<>(names);
    all.putIfAbsent(RIGHT, TableName.valueOf("unused"));
    new TableRestore(hbase, admin, 2, Set.of())
        .restore(stored(), all, client.readOnly().startTimestamp());
  }

  private StoredBackup stored() throws IOException {
    return StoredBackup.open(
        backup, hbase.getConfiguration(), Optional.empty(), (what, parts, of, rows, bytes) -> {});
  }

  private String backupId() throws IOException {
    return new ObjectMapper()
        .readTree(Path.of(backup, "backup.json").toFile())
        .at("/backup/id")
        .asText();
  }

  private static TableDescriptor plain(TableName name, String inBackup) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
        .setValue(TableSettings.RESTORED_TABLE_KEY, inBackup)
        .build();
  }

  private static boolean open(TableName name) {
    return isIn(TableSettings.Phase.ENABLED, name);
  }

  private static boolean isIn(TableSettings.Phase phase, TableName name) {
    try (Admin admin = hbase.getAdmin()) {
      return admin.tableExists(name)
          && TableSettings.of(admin.getDescriptor(name))
              .filter(settings -> settings.phase() == phase)
              .isPresent();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int rows(TableName name) throws IOException {
    int rows = 0;
    try (Transaction tx = client.readOnly();
        ResultScanner scanner = tx.table(name).getScanner(new Scan())) {
      while (scanner.next() != null) {
        rows++;
      }
    }
    return rows;
  }

  private int restore(String left, String right) {
    err.getBuffer().setLength(0);
    return lampone("restore", backup, "--rename=left=" + left, "--rename=right=" + right);
  }

  private int lampone(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--zookeeper=" + cluster.hbase().zooKeeperConnectString());
    all.add("--unsigned");
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
