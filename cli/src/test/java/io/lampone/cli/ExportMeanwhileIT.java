package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.TableRetention;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Exports resumed after their tables have changed. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExportMeanwhileIT {

  private static final byte[] FAMILY = bytes("f");

  @TempDir private static Path folder;

  private static SignedBackups backups;

  private static EmbeddedLampone cluster;
  private static LamponeClient client;
  private static Connection hbase;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    backups = new SignedBackups(folder.resolve("key"));
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("c")).build());
    client = LamponeClient.connect(cluster.configuration());
    hbase = ConnectionFactory.createConnection(cluster.configuration());
  }

  @AfterAll
  static void stop() throws IOException {
    hbase.close();
    client.close();
    cluster.close();
  }

  @Test
  void anExportOfATableThatWasPlainMeanwhileIsNotEnded() throws Exception {
    TableName name = create("once_plain");
    Path backup = unfinished(name);
    client.admin().disableTable(name);
    try (Table plain = hbase.getTable(name)) {
      plain.put(new Put(bytes("row")).addColumn(FAMILY, FAMILY, bytes("later")));
    }
    client.admin().enableTable(name, ConflictLevel.ROW);
    failsToResume("the table became transactional after this snapshot", backup);
  }

  @Test
  void anExportOfATableThatWasDroppedOrMadeAnewMeanwhileIsNotEnded() throws Exception {
    TableName name = create("once_dropped");
    Path backup = unfinished(name);
    try (Admin admin = hbase.getAdmin()) {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
    failsToResume("a table was dropped while it was exported, table=once_dropped", backup);
    create("once_dropped");
    failsToResume("the table became transactional after this snapshot", backup);
  }

  @Test
  void anExportThatIsRefusedHoldsNothingUnlessItIsOfTheSnapshotThatLiesThere() throws Exception {
    TableName name = create("refused");
    Path backup = unfinished(name);
    long timestamp =
        new ObjectMapper()
            .readTree(backup.resolve("plan.json").toFile())
            .at("/backup/timestamp")
            .asLong();
    Path complete = Files.createTempDirectory(folder, "backup").resolve("b");
    assertThat(lampone("export", "refused", complete.toString())).as(err.toString()).isZero();

    List<String> before = holds(); // of other exports that may be resumed
    failsToExport("there is a complete backup in this folder", "refused", complete.toString());
    assertThat(holds()).isEqualTo(before);
    failsToExport("there is an unfinished backup in this folder", "refused", backup.toString());
    assertThat(holds()).isEqualTo(before);

    String at = "--at=" + timestamp;
    failsToExport("there is an unfinished backup", at, "refused", backup.toString());
    // The interrupted export may have left this very hold.
    assertThat(holds())
        .hasSize(before.size() + 1)
        .anyMatch(hold -> hold.startsWith("export-" + timestamp + "-"));
    assertThat(lampone("export", "--resume", backup.toString())).as(err.toString()).isZero();
    assertThat(holds()).isEqualTo(before);
  }

  /** A backup may have been copied to a place without a cluster. */
  @Test
  void aBackupIsVerifiedWithoutACluster() throws Exception {
    create("carried");
    Path backup = Files.createTempDirectory(folder, "backup").resolve("b");
    assertThat(lampone("export", "carried", backup.toString())).as(err.toString()).isZero();
    out.getBuffer().setLength(0);

    assertThat(lamponeAt("127.0.0.1:1", "restore", "--verify-only", backup.toString()))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).startsWith("Verified the snapshot ");
    Path part = backup.resolve("carried").resolve("part-00000");
    byte[] content = Files.readAllBytes(part);
    content[content.length / 2] ^= 1;
    Files.write(part, content);
    assertThat(lamponeAt("127.0.0.1:1", "restore", "--verify-only", backup.toString()))
        .isEqualTo(1);
    assertThat(err.toString()).contains("damaged", part.toString());
  }

  private void failsToExport(String message, String... arguments) {
    String[] all = Stream.concat(Stream.of("export"), Stream.of(arguments)).toArray(String[]::new);
    err.getBuffer().setLength(0);
    assertThat(lampone(all)).as(out + "\n" + err).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ", message).doesNotContain("\tat ");
  }

  /** Names of the holds that there are. */
  private List<String> holds() throws IOException {
    out.getBuffer().setLength(0);
    assertThat(lampone("hold", "list", "--json")).as(err.toString()).isZero();
    List<String> names = new ArrayList<>();
    new ObjectMapper()
        .readTree(out.toString())
        .path("holds")
        .forEach(hold -> names.add(hold.path("name").asText()));
    return names;
  }

  @Test
  void anExportOfATableThatWasTruncatedMeanwhileIsNotEnded() throws Exception {
    TableName name = create("once_truncated");
    Path backup = unfinished(name);
    try (Admin admin = hbase.getAdmin()) {
      admin.disableTable(name);
      admin.truncateTable(name, true);
    }
    failsToResume("the table was disabled in HBase while it was exported", backup);
  }

  @Test
  void anExportOfATableThatWasPutBackMeanwhileIsNotEnded() throws Exception {
    TableName name = create("once_put_back");
    try (Admin admin = hbase.getAdmin()) {
      admin.snapshot("before", name);
      client.run(
          tx -> {
            tx.table(name).put(new Put(bytes("later")).addColumn(FAMILY, FAMILY, bytes("now")));
            return null;
          });
      Path backup = unfinished(name);
      admin.disableTable(name);
      admin.restoreSnapshot("before");
      admin.enableTable(name);
      admin.deleteSnapshot("before");
      failsToResume("the table was disabled in HBase while it was exported", backup);
    }
  }

  @Test
  void anExportOfATableThatHasLostAFamilyMeanwhileIsNotEnded() throws Exception {
    TableName name = create("once_wider");
    try (Admin admin = hbase.getAdmin()) {
      admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("g"));
      Path backup = unfinished(name);
      admin.addColumnFamily(name, ColumnFamilyDescriptorBuilder.of("h"));
      admin.deleteColumnFamily(name, bytes("g"));
      failsToResume("a family was deleted while its table was exported, family=g", backup);
    }
  }

  /** The remaining work needs no snapshot. */
  @Test
  void anExportThatLacksNothingButItsEndIsEndedThoughItsSnapshotIsTooOld() throws Exception {
    TableName name = create("once_read");
    Path backup = unfinished(name);
    assertThat(lampone("export", "--resume", backup.toString())).as(err.toString()).isZero();
    Files.delete(backup.resolve("backup.json"));
    long now = client.readOnly().startTimestamp();
    assertThat(cluster.advanceSafePoint(now).get(1, TimeUnit.MINUTES)).isGreaterThan(1);

    assertThat(lampone("export", "--resume", backup.toString())).as(err.toString()).isZero();

    assertThat(backup.resolve("backup.json")).exists();
    Files.delete(backup.resolve("backup.json"));
    Files.delete(backup.resolve(name.getNameAsString()).resolve("part-00000"));
    failsToResume("LP-104 the snapshot is too old", backup);
  }

  /** The transaction manager holds no snapshot below its safe point. */
  @Test
  void aSnapshotThatOnlyTheTableKeepsIsExported() throws Exception {
    TableName name = create("kept_longer");
    long at;
    try (Admin admin = hbase.getAdmin()) {
      at = client.readOnly().startTimestamp();
      admin.modifyTable(
          TableRetention.keepLonger(
                  TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)),
                  Duration.ofDays(1),
                  at)
              .build());
    }
    long now = client.readOnly().startTimestamp();
    assertThat(cluster.advanceSafePoint(now).get(1, TimeUnit.MINUTES)).isGreaterThan(1);

    Path backup = Files.createTempDirectory(folder, "backup").resolve("b");
    assertThat(lampone("export", "--at=" + at, "kept_longer", backup.toString()))
        .as(err.toString())
        .isZero();
    Files.delete(backup.resolve("backup.json"));
    Files.delete(backup.resolve("kept_longer").resolve("part-00000"));
    assertThat(lampone("export", "--resume", backup.toString())).as(err.toString()).isZero();
    assertThat(out.toString()).contains("Exported the snapshot " + at + ", ");
    TableName other = create("kept_as_long");
    failsToExport(
        "LP-104 the snapshot is too old",
        "--at=" + at,
        "kept_longer",
        other.getNameAsString(),
        backup.resolveSibling("c").toString());
  }

  private void failsToResume(String message, Path backup) {
    err.getBuffer().setLength(0);
    assertThat(lampone("export", "--resume", backup.toString())).as(out + "\n" + err).isEqualTo(1);
    assertThat(err.toString()).contains("ERROR: ", message).doesNotContain("\tat ");
    assertThat(backup.resolve("backup.json")).doesNotExist();
  }

  private static TableName create(String text) throws IOException {
    TableName name = TableName.valueOf(text);
    client
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            ConflictLevel.ROW,
            bytes("s"));
    client.run(
        tx -> {
          tx.table(name).put(new Put(bytes("row")).addColumn(FAMILY, FAMILY, bytes("now")));
          tx.table(name).put(new Put(bytes("two")).addColumn(FAMILY, FAMILY, bytes("now")));
          return null;
        });
    return name;
  }

  /** Leaves a backup that was interrupted before its first part was complete. */
  private Path unfinished(TableName name) throws IOException {
    Path backup = Files.createTempDirectory(folder, "backup").resolve("b");
    assertThat(lampone("export", name.getNameAsString(), backup.toString()))
        .as(err.toString())
        .isZero();
    Files.delete(backup.resolve("backup.json"));
    Files.delete(backup.resolve(name.getNameAsString()).resolve("part-00000"));
    return backup;
  }

  private int lampone(String... arguments) {
    return lamponeAt(cluster.hbase().zooKeeperConnectString(), arguments);
  }

  private int lamponeAt(String zooKeeper, String... arguments) {
    List<String> all = backups.command(zooKeeper, arguments);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
