package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.client.LamponeClient;
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
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Backups of tables altered through HBase, or with missing regions. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AlteredBackupIT {

  private static final byte[] FAMILY = bytes("f");
  private static final List<String> ROWS = List.of("a", "m", "z");

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient client;
  private static Connection hbase;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private Path backup;

  @BeforeAll
  static void start() throws IOException {
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

  @BeforeEach
  void aNewFolder() throws IOException {
    backup = Files.createTempDirectory(folder, "backup").resolve("b");
  }

  @Test
  void aTableThatWasGivenReplicasIsExportedOnceAndRestored() throws Exception {
    TableName name = create("replicas");
    try (Admin admin = hbase.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setRegionReplication(2)
              .build());

      assertThat(lampone("export", "replicas", backup.toString())).as(err.toString()).isZero();
      assertThat(parts(manifest())).hasSize(3);
      String renamed = "--rename=replicas=replicas2";
      assertThat(lampone("restore", backup.toString(), renamed, "--expect=another")).isOne();
      assertThat(admin.tableExists(TableName.valueOf("replicas2"))).isFalse();
      String id = manifest().get("id").asText();
      assertThat(out.toString()).contains(", id " + id);
      assertThat(lampone("restore", backup.toString(), renamed, "--expect=" + id))
          .as(err.toString())
          .isZero();

      TableName restored = TableName.valueOf("replicas2");
      assertThat(rows(restored)).isEqualTo(ROWS);
      assertThat(admin.getDescriptor(restored).getRegionReplication()).isEqualTo(1);
    }
  }

  /** Backups of earlier versions, of tables with replicas, have this form. */
  @Test
  void aBackupThatHoldsEachRegionTwiceIsRestored() throws Exception {
    create("twice");
    assertThat(lampone("export", "twice", backup.toString())).as(err.toString()).isZero();
    ObjectNode manifest = manifest();
    ArrayNode parts = parts(manifest);
    for (int i = 2; i >= 0; i--) {
      ObjectNode again = parts.get(i).deepCopy();
      String file = "part-0001" + i;
      Files.copy(
          backup.resolve("twice").resolve(again.get("file").asText()),
          backup.resolve("twice").resolve(file));
      parts.insert(0, again.put("file", file));
    }
    write(manifest);

    assertThat(lampone("restore", backup.toString(), "--rename=twice=twice2"))
        .as(err.toString())
        .isZero();

    assertThat(rows(TableName.valueOf("twice2"))).isEqualTo(ROWS);
    assertThat(parts(manifest).remove(1)).isNotNull();
    assertThat(parts(manifest).remove(3)).isNotNull();
    write(manifest);
    err.getBuffer().setLength(0);
    assertThat(lampone("restore", backup.toString(), "--rename=twice=twice3")).isEqualTo(1);
    assertThat(err.toString()).contains("rows are missing between", "from=g to=p");
  }

  @Test
  void aTtlThatHBaseWasToldOfAnEnabledTableIsNoRuleOfTheRestoredOne() throws Exception {
    TableName name = create("forgotten");
    try (Admin admin = hbase.getAdmin()) {
      admin.modifyColumnFamily(
          name,
          ColumnFamilyDescriptorBuilder.newBuilder(
                  admin.getDescriptor(name).getColumnFamily(FAMILY))
              .setTimeToLive(1)
              .build());
    }
    assertThat(lampone("export", "forgotten", backup.toString())).as(err.toString()).isZero();
    assertThat(lampone("restore", backup.toString(), "--rename=forgotten=forgotten2"))
        .as(err.toString())
        .isZero();

    TableName restored = TableName.valueOf("forgotten2");
    assertThat(rows(name)).isEqualTo(ROWS);
    assertThat(rows(restored)).isEqualTo(ROWS);
    try (Admin admin = hbase.getAdmin()) {
      assertThat(TableRetention.of(admin.getDescriptor(restored))).isEqualTo(TableRetention.NONE);
    }
  }

  /** The writer of a backup must not choose the code of region servers. */
  @Test
  void aRestoreTakesNoCoprocessorAndNoPolicyThatItWasNotToldToTake() throws Exception {
    TableName name = create("attributes");
    String endpoint = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";
    String policy = "org.apache.hadoop.hbase.regionserver.BusyRegionSplitPolicy";
    assertThat(lampone("export", "attributes", backup.toString())).as(err.toString()).isZero();
    ObjectNode manifest = manifest();
    ObjectNode table = (ObjectNode) manifest.at("/tables/0");
    TableDescriptor forged =
        TableDescriptorBuilder.newBuilder(
                TableDescriptorBuilder.parseFrom(
                    Base64.getDecoder().decode(table.get("descriptor").asText())))
            .setCoprocessor(endpoint)
            .setRegionSplitPolicyClassName(policy)
            .setMaxFileSize(1L << 33)
            .setValue("custom", "value")
            .modifyColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setBlocksize(1 << 15)
                    .setConfiguration("hbase.hstore.engine.class", "a.foreign.Engine")
                    .build())
            .build();
    table.put(
        "descriptor",
        Base64.getEncoder().encodeToString(TableDescriptorBuilder.toByteArray(forged)));
    write(manifest);

    assertThat(lampone("restore", backup.toString(), "--rename=attributes=attributes2"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString())
        .contains("coprocessor$", "SPLIT_POLICY", "custom", "hbase.hstore.engine.class");
    TableDescriptor restored = descriptor("attributes2");
    assertThat(restored.getCoprocessors()).containsExactly(TableSettings.COPROCESSOR);
    assertThat(restored.getRegionSplitPolicyClassName()).isNull();
    assertThat(restored.getValue("custom")).isNull();
    assertThat(restored.getColumnFamily(FAMILY).getConfiguration()).isEmpty();
    assertThat(restored.getMaxFileSize()).isEqualTo(1L << 33);
    assertThat(restored.getColumnFamily(FAMILY).getBlocksize()).isEqualTo(1 << 15);
    assertThat(rows(TableName.valueOf("attributes2"))).isEqualTo(rows(name)).isEqualTo(ROWS);

    String[] taking = {
      "restore",
      backup.toString(),
      "--rename=attributes=attributes3",
      "--take-attributes=SPLIT_POLICY,custom"
    };
    assertThat(lampone(taking)).as(err.toString()).isZero();
    restored = descriptor("attributes3");
    assertThat(restored.getRegionSplitPolicyClassName()).isEqualTo(policy);
    assertThat(restored.getValue("custom")).isEqualTo("value");
    assertThat(restored.getCoprocessors()).containsExactly(TableSettings.COPROCESSOR);
  }

  /** All checksums are right: a writer of the folder can compute them without a key. */
  @Test
  void aSignedBackupWithForgedFilesIsNotRestored() throws Exception {
    SignedBackups signed = new SignedBackups(folder.resolve("key"));
    TableName name = create("signed");
    long at = client.readOnly().startTimestamp();
    Path forged = folder.resolve("forged");
    assertThat(lampone("export", "--at=" + at, "signed", forged.toString())).isZero();
    String[] export = {"export", "--at=" + at, "signed", backup.toString()};
    assertThat(run(signed.command(zooKeeper(), export))).as(err.toString()).isZero();
    String[] restore = {"restore", backup.toString(), "--rename=signed=signed2"};

    Path part = backup.resolve("signed").resolve("part-00001");
    byte[] sound = Files.readAllBytes(part);
    replace(part, forged.resolve("signed").resolve("part-00001"));
    assertThat(run(signed.command(zooKeeper(), restore))).isEqualTo(1);
    assertThat(err.toString()).contains("damaged", part.toString(), "not signed");
    Files.write(part, sound);

    Path manifest = backup.resolve("backup.json");
    byte[] soundManifest = Files.readAllBytes(manifest);
    err.getBuffer().setLength(0);
    replace(manifest, forged.resolve("backup.json"));
    assertThat(run(signed.command(zooKeeper(), restore))).isEqualTo(1);
    assertThat(err.toString()).contains("the backup is not signed");
    Files.write(manifest, soundManifest);

    try (Admin admin = hbase.getAdmin()) {
      assertThat(admin.tableExists(TableName.valueOf("signed2"))).isFalse();
    }
    assertThat(run(signed.command(zooKeeper(), restore))).as(err.toString()).isZero();
    assertThat(rows(TableName.valueOf("signed2"))).isEqualTo(rows(name)).isEqualTo(ROWS);
  }

  private static void replace(Path file, Path by) throws IOException {
    Files.copy(by, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static TableDescriptor descriptor(String table) throws IOException {
    try (Admin admin = hbase.getAdmin()) {
      return admin.getDescriptor(TableName.valueOf(table));
    }
  }

  /** The rows of a region that HBase has lost are unknown. */
  @Test
  void anExportDoesNotPassOverAHoleBetweenTheRegions() throws Exception {
    TableName name = create("hole");
    try (Table meta = hbase.getTable(TableName.META_TABLE_NAME);
        Admin admin = hbase.getAdmin()) {
      RegionInfo lost = admin.getRegions(name).get(1);
      Result row = meta.get(new Get(lost.getRegionName()));
      Put back = new Put(lost.getRegionName());
      for (var cell : row.rawCells()) {
        back.add(cell);
      }
      meta.delete(new Delete(lost.getRegionName()));
      hbase.clearRegionLocationCache();
      try {
        assertThat(lampone("export", "hole", backup.toString())).isEqualTo(1);
        assertThat(backup.resolve("backup.json")).doesNotExist();
      } finally {
        meta.put(back);
      }
    }
  }

  /** HBase counts it in the restored table as in the one from which it comes. */
  @Test
  void aTtlFromBeforeTheTableWasAdoptedIsRestored() throws Exception {
    long hour = TimeUnit.HOURS.toMillis(1);
    TableName name = TableName.valueOf("adopted");
    try (Admin admin = hbase.getAdmin();
        Table plain = hbase.getTable(name)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
      plain.put(new Put(bytes("a")).addColumn(FAMILY, FAMILY, FAMILY).setTTL(hour));
    }
    client.admin().enableTable(name, ConflictLevel.ROW);

    assertThat(lampone("export", "adopted", backup.toString())).as(err.toString()).isZero();
    assertThat(lampone("restore", backup.toString(), "--rename=adopted=adopted2"))
        .as(err.toString())
        .isZero();

    try (LamponeClient told =
            LamponeClient.connect(CellLifetimes.showing(cluster.configuration()));
        Transaction tx = told.readOnly();
        Table restored = tx.table(TableName.valueOf("adopted2"))) {
      assertThat(CellLifetimes.millis(restored.get(new Get(bytes("a"))).rawCells()[0]))
          .isEqualTo(hour);
    }
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
            bytes("g"),
            bytes("p"));
    client.run(
        tx -> {
          for (String row : ROWS) {
            tx.table(name).put(new Put(bytes(row)).addColumn(FAMILY, FAMILY, bytes("now")));
          }
          return null;
        });
    return name;
  }

  private static List<String> rows(TableName name) throws IOException {
    return client.run(
        tx -> {
          List<String> found = new ArrayList<>();
          try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
            rows.forEach(row -> found.add(Bytes.toString(row.getRow())));
          }
          return found;
        });
  }

  private ObjectNode manifest() throws IOException {
    JsonNode file = new ObjectMapper().readTree(backup.resolve("backup.json").toFile());
    return (ObjectNode) file.get("backup");
  }

  private static ArrayNode parts(ObjectNode manifest) {
    return (ArrayNode) manifest.at("/tables/0/parts");
  }

  private void write(ObjectNode manifest) throws IOException {
    String content = manifest.toString();
    CRC32C crc = new CRC32C();
    crc.update(bytes(content));
    Files.writeString(
        backup.resolve("backup.json"),
        "{\"crc\":" + (int) crc.getValue() + ",\"backup\":" + content + "}");
  }

  private int lampone(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--zookeeper=" + zooKeeper());
    all.add("--unsigned");
    return run(all);
  }

  private static String zooKeeper() {
    return cluster.hbase().zooKeeperConnectString();
  }

  private int run(List<String> arguments) {
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
