package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Unreadable tables and unlimited findings do not stop the rest of the doctor's work. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public class DoctorGoesOnIT {

  private static final byte[] FAMILY = bytes("f");

  /** Number of intents above that of findings treated together. */
  private static final int INTENTS = 1_100;

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient client;
  private static Connection hbase;
  private static Admin admin;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    cluster =
        EmbeddedLampone.start(
            EmbeddedHBaseConfig.builder(folder.resolve("c"))
                // Only the doctor heals in this test.
                .setting("lampone.healer.enabled", "false")
                .build());
    client = LamponeClient.connect(cluster.configuration());
    hbase = ConnectionFactory.createConnection(cluster.configuration());
    admin = hbase.getAdmin();
  }

  @AfterAll
  static void stop() throws IOException {
    admin.close();
    hbase.close();
    client.close();
    cluster.close();
  }

  @Test
  void whatCannotBeReadIsToldAndTheOthersAreLookedAtAndMended() throws Exception {
    TableName plain = TableName.valueOf("plain");
    admin.createTable(described(plain).build());
    TableName bare = TableName.valueOf("bare");
    createWithoutCoprocessor(bare);
    TableName broken = TableName.valueOf("broken");
    admin.createTable(described(broken).setValue(TableSettings.PHASE_KEY, "ENABLED").build());
    TableName sick = TableName.valueOf("sick");
    createWithoutCoprocessor(sick);
    long start = now();
    long other = now();
    try (Table table = hbase.getTable(sick)) {
      table.put(follower("elsewhere", start, new RowFamily("bare", Bytes.utf8("r"), f())));
      table.put(follower("nowhere", other, new RowFamily("plain", Bytes.utf8("r"), f())));
      table.put(transaction("leader", start, committed(start, now(), true)));
    }
    addCoprocessor(sick);

    assertThat(doctor("--fix", "broken", "missing", "sick")).as(err.toString()).isEqualTo(1);
    assertThat(err.toString())
        .contains("ERROR: table=missing: no such table")
        .doesNotContain("\tat ");
    assertThat(out.toString())
        .contains("BROKEN_SETTINGS", "table=broken table descriptor lacks a value")
        .contains("NO_COPROCESSOR", "table=bare commit entries, startTimestamp=" + start)
        .contains("aborted: its commit entry is gone, its table was dropped or made plain")
        .contains("followers healed=0: table=sick place=leader/f")
        .contains("; not all of [missing]");
    assertThat(doctor("broken", "sick")).isEqualTo(3);
  }

  /** Rows whose every request is refused become usable again, and their visible content stays. */
  @Test
  void whatIsQuarantinedIsEndedWhenThatIsAskedFor() throws Exception {
    TableName sick = TableName.valueOf("quarantined");
    createWithoutCoprocessor(sick);
    long before = now();
    long start = now();
    long future = start + TimeUnit.DAYS.toNanos(1) / 256 * 256;
    byte[] reserved = Reserved.TRANSACTION.toArray();
    try (Table table = hbase.getTable(sick)) {
      for (String row : List.of("garbage", "illegal", "future")) {
        table.put(new Put(bytes(row)).addColumn(FAMILY, FAMILY, before + 128, bytes("old")));
      }
      table.put(
          new Put(bytes("garbage"))
              .addColumn(FAMILY, reserved, start, bytes("\u0009garbage"))
              .addColumn(FAMILY, FAMILY, start, bytes("bad")));
      table.put(follower("illegal", start, new RowFamily("no table!", Bytes.utf8("r"), f())));
      table.put(new Put(bytes("future")).addColumn(FAMILY, FAMILY, future + 128, bytes("bad")));
    }
    addCoprocessor(sick);
    assertThatThrownBy(() -> read(sick, "garbage")).hasStackTraceContaining("CORRUPT");
    assertThatThrownBy(() -> read(sick, "illegal")).hasStackTraceContaining("CORRUPT");
    assertThatThrownBy(() -> client.fastPath().table(sick).get(new Get(bytes("future"))))
        .hasStackTraceContaining("CORRUPT");

    assertThat(doctor("--quarantine", "quarantined")).isEqualTo(2);
    assertThat(err.toString()).contains("--fix");
    assertThat(doctor("--fix", "quarantined")).isEqualTo(3);
    assertThat(out.toString())
        .contains("UNDECODABLE_CELL", "ILLEGAL_LEADER", "IMPOSSIBLE_VERSION", "--quarantine");
    assertThatThrownBy(() -> read(sick, "garbage")).hasStackTraceContaining("CORRUPT");

    assertThat(doctor("--fix", "--quarantine", "quarantined")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString())
        .contains("aborted: table=quarantined place=garbage/f")
        .contains("aborted: table=quarantined place=illegal/f")
        .contains("deleted: table=quarantined place=future/f");
    assertThat(doctor("quarantined")).as(out.toString()).isZero();
    for (String row : List.of("garbage", "illegal", "future")) {
      assertThat(read(sick, row)).isEqualTo("old");
      client
          .fastPath()
          .table(sick)
          .put(new Put(bytes(row)).addColumn(FAMILY, FAMILY, bytes("new")));
      assertThat(read(sick, row)).isEqualTo("new");
    }
  }

  /** An unproved commit is reported at its leader and at the rows that depend on it. */
  @Test
  void aCommitWithoutAProofIsToldAndEndedWhenThatIsAskedFor() throws Exception {
    TableName forged = TableName.valueOf("forged");
    TableName victim = TableName.valueOf("victim");
    createWithoutCoprocessor(forged);
    createWithoutCoprocessor(victim);
    long start = now();
    TransactionCell commit =
        committed(start, now(), true, new RowFamily("victim", Bytes.utf8("r"), f()));
    try (Table leaders = hbase.getTable(forged);
        Table followers = hbase.getTable(victim)) {
      leaders.put(transaction("l", start, commit.provedBy(Tag.NONE)));
      leaders.put(transaction("wrong", start, commit.provedBy(new Tag(1, 2))));
      followers.put(follower("r", start, new RowFamily("forged", Bytes.utf8("l"), f())));
    }
    addCoprocessor(forged);
    addCoprocessor(victim);

    assertThat(doctor("--fix", "victim")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString())
        .contains("UNPROVED_LEADER", "table=forged place=l/f start=" + start)
        .contains("could not: ");
    assertThat(cluster.pendingIntents(victim)).hasSize(1);
    assertThat(doctor("--fix", "forged")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString())
        .contains("UNPROVED_LEADER", "table=forged place=l/f", "table=forged place=wrong/f")
        .doesNotContain("UNFINISHED_LEADER");
    assertThat(cluster.pendingIntents(victim)).hasSize(1);

    assertThat(doctor("--fix", "--quarantine", "forged")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString()).contains("aborted: table=forged place=l/f");
    assertThat(doctor("--fix", "victim")).as(err.toString()).isEqualTo(3);
    assertThat(cluster.pendingIntents(victim)).isEmpty();
    assertThat(doctor("forged", "victim")).as(out.toString()).isZero();
  }

  private static String read(TableName name, String row) throws IOException {
    return client.run(
        tx -> {
          try (Table table = tx.table(name)) {
            byte[] value = table.get(new Get(bytes(row))).getValue(FAMILY, FAMILY);
            return new String(value, StandardCharsets.UTF_8);
          }
        });
  }

  /** ADR 47: a commit entry whose table was dropped is absent. */
  @Test
  void whatWasDroppedIsAskedForOnceAndKeepsNothingFromBeingMended() throws Exception {
    TableName gone = TableName.valueOf("gone");
    TableName left = TableName.valueOf("left");
    createWithoutCoprocessor(gone);
    createWithoutCoprocessor(left);
    long start = now();
    final long commit = now();
    try (Table table = hbase.getTable(left)) {
      for (int i = 0; i < INTENTS; i++) {
        table.put(follower("intent" + i, start, new RowFamily("gone", Bytes.utf8("r" + i), f())));
      }
      RowFamily dropped = new RowFamily("gone", Bytes.utf8("follower"), f());
      table.put(transaction("leader", start, committed(start, commit, true, dropped)));
    }
    addCoprocessor(left);
    admin.disableTable(gone);
    admin.deleteTable(gone);

    assertThat(doctor("--fix", "left")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString().lines().filter(line -> line.contains("  aborted: ")))
        .as("%s", out.toString().lines().skip(100).limit(20).toList())
        .hasSize(INTENTS);
    assertThat(out.toString()).contains("followers healed=0 in dropped tables=1");
    assertThat(cluster.pendingIntents(left)).isEmpty();
    assertThat(doctor("left")).as(out.toString()).isEqualTo(3);
    assertThat(out.toString()).contains("UNFINISHED_LEADER").doesNotContain("OLD_INTENT");
  }

  @Test
  void aCoprocessorThatOthersComeBehindIsFoundAndMovedToTheEnd() throws Exception {
    TableName name = TableName.valueOf("early");
    String other = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";
    client.admin().createTable(described(name).build(), ConflictLevel.ROW);
    assertThat(lampone("table", "upgrade", "early")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("early is up to date");
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .removeCoprocessor(TableSettings.COPROCESSOR)
            .setCoprocessor(other)
            .setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
                    .setPriority(536_870_911)
                    .build())
            .build());
    assertThat(doctor("early")).as(err.toString()).isEqualTo(3);
    assertThat(out.toString())
        .contains("MISPLACED_COPROCESSOR", "class=" + other)
        .contains("priority must be " + Integer.MAX_VALUE);
    assertThat(lampone("table", "upgrade", "--all")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("early upgraded");
    assertThat(admin.getDescriptor(name).getCoprocessorDescriptors())
        .filteredOn(TableSettings::isObserver)
        .hasSize(1);
    assertThat(doctor("early")).as(out.toString()).isZero();
    assertThat(lampone("table", "upgrade")).isEqualTo(2);
  }

  private int doctor(String... options) {
    List<String> all = new ArrayList<>(List.of("doctor", "--older-than=0"));
    all.addAll(List.of(options));
    return lampone(all.toArray(String[]::new));
  }

  private int lampone(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--zookeeper=" + cluster.hbase().zooKeeperConnectString());
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all.toArray(String[]::new));
  }

  /** Returns the cell of a commit by the transaction manager of a cluster without a key. */
  public static TransactionCell committed(
      long start, long commit, boolean listed, RowFamily... followers) {
    return TransactionCell.leader(List.of(followers), listed, 1)
        .withState(TransactionState.COMMITTED, commit)
        .provedBy(Proofs.OPEN.pass(start, commit));
  }

  private static Put follower(String row, long start, RowFamily leader) {
    return transaction(row, start, TransactionCell.follower(leader, 1));
  }

  private static Put transaction(String row, long start, TransactionCell cell) {
    return new Put(bytes(row))
        .addColumn(FAMILY, Reserved.TRANSACTION.toArray(), start, cell.encode())
        .addColumn(FAMILY, FAMILY, start, FAMILY);
  }

  /** Creates a table without the coprocessor, which accepts any cell. */
  private static void createWithoutCoprocessor(TableName name) throws IOException {
    admin.createTable(
        new TableSettings(TableSettings.Phase.ENABLED, ConflictLevel.ROW, now())
            .applyTo(described(name))
            .build());
  }

  private static void addCoprocessor(TableName name) throws IOException {
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
                    .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                    .build())
            .build());
  }

  private static TableDescriptorBuilder described(TableName name) {
    return TableDescriptorBuilder.newBuilder(name)
        .setColumnFamily(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setMaxVersions(HConstants.ALL_VERSIONS)
                .build());
  }

  private static long now() throws IOException {
    try (Transaction tx = client.readOnly()) {
      return tx.startTimestamp();
    }
  }

  private static Bytes f() {
    return Bytes.of(FAMILY);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
