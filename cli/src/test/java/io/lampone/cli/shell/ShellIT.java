package io.lampone.cli.shell;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.ConnectionOptions;
import io.lampone.cli.DoctorGoesOnIT;
import io.lampone.cli.Lampone;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionCell;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShellIT {

  private static final byte[] FAMILY = {'f'};

  @TempDir private static Path folder;
  private static EmbeddedLampone cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws Exception {
    cluster =
        EmbeddedLampone.start(
            EmbeddedHBaseConfig.builder(folder.resolve("data"))
                // Keep the findings for the doctor.
                .setting("lampone.healer.enabled", "false")
                .build());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aScriptCreatesWritesReadsAndTravels() throws Exception {
    Path script = folder.resolve("script");
    Files.writeString(
        script,
        """
        create 'people', 'p', {SPLITS => ['m']}
        put 'people', 'anna', 'p:town', 'Rome'
        begin
        put 'people', 'anna', 'p:town', 'Milan'
        savepoint moved
        deleteall people anna
        put 'people', 'zoe', 'p:town', "\\x00\\xFF"
        rollback to moved
        put people zoe p:town "\\x00\\xFF"
        incr people zoe p:visits 41
        incr people zoe p:visits
        get 'people', 'anna'
        commit
        scan 'people'
        count people
        """);
    assertThat(shell(script.toString())).as(err.toString()).isZero();
    assertThat(err).hasToString("");
    assertThat(out.toString())
        .containsSubsequence(
            "Created table people",
            "Savepoint moved.",
            "Rolled back to moved.",
            "COUNTER VALUE = 41",
            "COUNTER VALUE = 42",
            "value=Milan\n1 row",
            "Committed at ",
            " anna ",
            "value=Milan",
            " zoe ",
            "value=\\x00\\xFF",
            "2 rows\n2 rows\n");

    String commit = between(out.toString(), "Committed at ", " ");
    String id = between(out.toString(), "\nid ", "\n");
    out.getBuffer().setLength(0);
    assertThat(
            shell(
                "-e",
                "asof %s; get people anna; count people; rollback; status %s"
                    .formatted(commit, id)))
        .as(err.toString())
        .isZero();
    assertThat(out.toString())
        .containsSubsequence("value=Rome\n1 row", "1 row\n", "committed at " + commit);
  }

  @Test
  void twoShellsThatWriteTheSameRowMeetAConflict() throws Exception {
    assertThat(shell("-e", "create fruit f")).as(err.toString()).isZero();
    try (Database database = connection().connect(new PrintWriter(err));
        ShellSession one = new ShellSession(database, new ShellOutput(new PrintWriter(out)));
        ShellSession two = new ShellSession(database, new ShellOutput(new PrintWriter(out)))) {
      assertThat(run(one, "begin; get fruit apple; put fruit apple f:n 1")).isZero();
      assertThat(run(two, "begin; get fruit apple; put fruit apple f:n 2; commit")).isZero();
      assertThat(run(one, "commit")).isEqualTo(1);
      assertThat(err.toString()).contains("LP-101", "begin again and repeat it");
      assertThat(run(one, "get fruit apple")).isZero();
      assertThat(out.toString()).contains("value=2\n1 row");
    }
  }

  @Test
  void tablesAreListedDisabledAndEnabledAgain() {
    assertThat(lampone("table", "create", "--level=cell", "trees", "f")).isZero();
    assertThat(shell("-e", "put trees oak f:height 30; disable trees; list"))
        .as(err.toString())
        .isZero();
    assertThat(shell("-e", "get trees oak")).isEqualTo(1);
    assertThat(err.toString()).contains("LP-402");
    assertThat(lampone("table", "enable", "trees")).as(err.toString()).isZero();
    out.getBuffer().setLength(0);
    assertThat(shell("-e", "get trees oak")).as(err.toString()).isZero();
    assertThat(out.toString()).contains("value=30");
    assertThat(lampone("table", "list", "--json")).isZero();
    assertThat(out.toString())
        .contains("{\"table\":\"trees\",\"level\":\"ROW\",\"changing\":false}");
  }

  /** A change of the rule for plain clients is no reason to disable a table of another level. */
  @Test
  void theLevelOfATableStaysUnlessAnotherIsWanted() {
    assertThat(lampone("table", "create", "--level=cell", "bushes", "f")).isZero();
    assertThat(lampone("table", "enable", "--plain-clients=refused", "bushes"))
        .as(err.toString())
        .isZero();
    assertThat(lampone("table", "enable", "bushes")).as(err.toString()).isZero();
    assertThat(lampone("table", "enable", "--level=row", "bushes")).isEqualTo(1);
    assertThat(err.toString()).contains("disable it first");
    out.getBuffer().setLength(0);
    assertThat(lampone("table", "list", "--json")).isZero();
    assertThat(out.toString())
        .contains("{\"table\":\"bushes\",\"level\":\"CELL\",\"changing\":false}");
  }

  @Test
  void mistakesThatOnlyTheClusterSeesAreReadable() {
    assertThat(shell("-e", "create herbs f")).isZero();
    assertThat(shell("--continue", "-e", "get nothing r\nput herbs r g:q v\ncreate herbs f"))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("ERROR: -e line 1: ", "ERROR: -e line 2: ", "ERROR: -e line 3: ")
        .contains("nothing", "'list' lists", "already")
        .doesNotContain("\tat ");
  }

  @Test
  void theDoctorFindsAndFixesAnIntentThatWasLeftAndASchemaThatWasChanged() throws Exception {
    TableName name = TableName.valueOf("patient");
    assertThat(lampone("table", "create", "patient", "f")).isZero();
    assertThat(lampone("doctor", "--older-than=0", "patient")).as(out.toString()).isZero();
    try (LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin();
        Transaction left = client.begin()) {
      left.table(name).put(new Put(FAMILY).addColumn(FAMILY, FAMILY, FAMILY));
      try (ResultScanner rows = left.table(name).getScanner(new Scan())) {
        assertThat(rows.next()).isNotNull(); // sends the intent
      }
      TableDescriptor right = admin.getDescriptor(name);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(right)
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(right.getColumnFamily(FAMILY))
                      .setMaxVersions(3)
                      .setKeepDeletedCells(KeepDeletedCells.TRUE)
                      .build())
              .build());

      // It may be at work still: only the schema can be fixed.
      assertThat(lampone("doctor", "--older-than=0", "--fix", "patient")).isEqualTo(3);
      assertThat(out.toString())
          .contains(
              "WRONG_SCHEMA", "VERSIONS=all KEEP_DELETED_CELLS=FALSE", "corrected", "OLD_INTENT")
          .contains("left alone");
      ColumnFamilyDescriptor corrected = admin.getDescriptor(name).getColumnFamily(FAMILY);
      assertThat(corrected.getMaxVersions()).isEqualTo(HConstants.ALL_VERSIONS);
      assertThat(corrected.getKeepDeletedCells()).isEqualTo(KeepDeletedCells.FALSE);
      // HBase's setting is a rule of Lampone now.
      assertThat(corrected.getValue(TableRetention.VERSIONS_KEY.getBytes(UTF_8)))
          .isEqualTo("3".getBytes(UTF_8));
      out.getBuffer().setLength(0);
      long now = client.readOnly().startTimestamp();
      assertThat(cluster.advanceSafePoint(now).get(1, TimeUnit.MINUTES)).isEqualTo(now);
      assertThat(lampone("doctor", "--older-than=0", "--fix", "--json", "patient")).isEqualTo(3);
      assertThat(out.toString()).contains("OLD_INTENT", "settled: ").doesNotContain("WRONG");
      assertThat(cluster.pendingIntents(name)).isEmpty();
      out.getBuffer().setLength(0);
      assertThat(lampone("doctor", "--older-than=0", "patient")).as(out.toString()).isZero();
      admin.modifyColumnFamily(
          name,
          ColumnFamilyDescriptorBuilder.newBuilder(corrected)
              .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
              .build());
      assertThat(lampone("doctor", "--older-than=0", "patient")).isEqualTo(3);
      assertThat(out.toString())
          .contains("REPLICATED", "must be REPLICATION_SCOPE=0", "lampone export");
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf("healthy"))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build());
      assertThat(lampone("doctor", "healthy")).isEqualTo(3);
      assertThat(out.toString()).contains("NOT_TRANSACTIONAL", "lampone table enable");
      assertThat(lampone("doctor", "nobody")).isEqualTo(1);
    }
  }

  /** A table without the coprocessor accepts any cell; the coprocessor is added afterwards. */
  @Test
  void theDoctorFindsWhatIsPlantedAndFinishesWhatIsCommitted() throws Exception {
    TableName name = TableName.valueOf("sick");
    TableName other = TableName.valueOf("sick_too");
    try (LamponeClient client = LamponeClient.connect(cluster.configuration());
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin()) {
      TableSettings settings =
          new TableSettings(TableSettings.Phase.ENABLED, ConflictLevel.ROW, now(client));
      createWithoutCoprocessor(admin, settings, name);
      createWithoutCoprocessor(admin, settings, other);
      plantFaults(client, hbase, name, other);
      assertThat(doctor(name)).contains("NO_COPROCESSOR", "class path of every region server");
      addCoprocessor(admin, name);
      addCoprocessor(admin, other);

      assertThat(found(doctor(name, "--json")))
          .isEqualTo(
              "{UNDECODABLE_CELL=1, IMPOSSIBLE_VERSION=1, VERSION_WITHOUT_TRANSACTION=1,"
                  + " OLD_INTENT=1, UNFINISHED_LEADER=2, FOLLOWER_WITHOUT_LEADER=1}");
      assertThat(found(doctor(other, "--json"))).isEqualTo("{OLD_INTENT=1}");
      assertThat(doctor(name, "--fix"))
          .contains("followers healed=1", "left to the healer", "left alone", "what to do:");
      assertThat(found(doctor(name, "--json")))
          .isEqualTo(
              "{UNDECODABLE_CELL=1, IMPOSSIBLE_VERSION=1, VERSION_WITHOUT_TRANSACTION=1,"
                  + " OLD_INTENT=1, UNFINISHED_LEADER=2, FOLLOWER_WITHOUT_LEADER=1}");
      assertThat(lampone("doctor", "--older-than=0", other.getNameAsString()))
          .as("the follower was healed")
          .isZero();
      admin.modifyTable(
          settings
              .in(TableSettings.Phase.CHANGING)
              .applyTo(TableDescriptorBuilder.newBuilder(admin.getDescriptor(name)))
              .build());
      assertThat(doctor(name)).contains("BEING_CHANGED", "phase=CHANGING");
    }
  }

  private static void createWithoutCoprocessor(Admin admin, TableSettings settings, TableName name)
      throws Exception {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(HConstants.ALL_VERSIONS)
            .build();
    admin.createTable(
        settings.applyTo(TableDescriptorBuilder.newBuilder(name).setColumnFamily(family)).build());
  }

  private static void addCoprocessor(Admin admin, TableName name) throws Exception {
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .setCoprocessor(
                CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
                    .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                    .build())
            .build());
  }

  /** As a rule of Lampone the TTL would expire values that are still shown. */
  @Test
  void theDoctorCorrectsASchemaAndLeavesATtlAsItIs() throws Exception {
    TableName name = TableName.valueOf("timed");
    assertThat(lampone("table", "create", "timed", "f")).as(err.toString()).isZero();
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin()) {
      TableDescriptor right = admin.getDescriptor(name);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(right)
              .removeValue(TableSettings.DELETE_EXPIRED_FILES_KEY)
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(right.getColumnFamily(FAMILY))
                      .setTimeToLive(86_400)
                      .setMinVersions(1)
                      .build())
              .build());
      assertThat(doctor(name, "--fix"))
          .contains("TTL=none MIN_VERSIONS=0", "hbase.store.delete.expired.storefile=false")
          .contains("corrected");
      assertThat(err.toString()).as("progress").contains("timed      [", "1/1 regions");
      TableDescriptor corrected = admin.getDescriptor(name);
      assertThat(corrected.getValue(TableSettings.DELETE_EXPIRED_FILES_KEY)).isEqualTo("false");
      ColumnFamilyDescriptor family = corrected.getColumnFamily(FAMILY);
      assertThat(family.getMinVersions()).isZero();
      assertThat(family.getTimeToLive()).isEqualTo(86_400);
      assertThat(TableRetention.of(corrected).of(Bytes.of(FAMILY)).lifetimeMillis())
          .as("no rule of ours")
          .isEqualTo(FamilyRetention.FOREVER);
      assertThat(doctor(name, "--fix")).contains("TTL=none", "left alone: nothing but a TTL");
    }
  }

  private static void plantFaults(
      LamponeClient client, Connection hbase, TableName name, TableName followers)
      throws Exception {
    long unfinished = now(client);
    long other = now(client);
    final long commit = now(client);
    String text = name.getNameAsString();
    Bytes f = Bytes.of(FAMILY);
    RowFamily follower = new RowFamily(followers.getNameAsString(), Bytes.utf8("follower"), f);
    RowFamily leader = new RowFamily(text, Bytes.utf8("leader"), f);
    TransactionCell listed = DoctorGoesOnIT.committed(unfinished, commit, true, follower);
    TransactionCell unlisted = DoctorGoesOnIT.committed(other, commit, false);
    TransactionCell orphan =
        TransactionCell.follower(new RowFamily(text, Bytes.utf8("nowhere"), f), 1);
    try (org.apache.hadoop.hbase.client.Table table = hbase.getTable(name);
        org.apache.hadoop.hbase.client.Table elsewhere = hbase.getTable(followers)) {
      table.put(planted("alone", FAMILY, other, FAMILY));
      table.put(planted("of the future", FAMILY, 1L << 62, FAMILY));
      table.put(transaction("leader", unfinished, listed));
      elsewhere.put(transaction("follower", unfinished, TransactionCell.follower(leader, 1)));
      table.put(transaction("large", other, unlisted));
      table.put(transaction("orphan", other, orphan));
      table.put(planted("undecodable", Reserved.TRANSACTION.toArray(), other, new byte[] {9, 9}));
    }
  }

  private static Put transaction(String row, long start, TransactionCell cell) {
    return planted(row, Reserved.TRANSACTION.toArray(), start, cell.encode())
        .addColumn(FAMILY, FAMILY, start, FAMILY);
  }

  private static Put planted(String row, byte[] qualifier, long version, byte[] value) {
    return new Put(row.getBytes(UTF_8)).addColumn(FAMILY, qualifier, version, value);
  }

  private static long now(LamponeClient client) throws Exception {
    try (Transaction tx = client.readOnly()) {
      return tx.startTimestamp();
    }
  }

  /** Returns the output for a table with findings. */
  private String doctor(TableName name, String... options) {
    List<String> all = new ArrayList<>(List.of("doctor", "--older-than=0"));
    all.addAll(List.of(options));
    all.add(name.getNameAsString());
    out.getBuffer().setLength(0);
    assertThat(lampone(all.toArray(new String[0]))).as(err.toString()).isEqualTo(3);
    return out.toString();
  }

  /** Returns the counts of findings: the summary, which is the last line. */
  private static String found(String json) throws Exception {
    List<String> lines = json.lines().toList();
    return new ObjectMapper()
        .readValue(lines.get(lines.size() - 1), Map.class)
        .get("found")
        .toString();
  }

  @Test
  void aHoldKeepsTheSafePointUntilItIsReleased() throws Exception {
    assertThat(lampone("hold", "take", "night", "--for=60", "--json")).as(err.toString()).isZero();
    long held = new ObjectMapper().readTree(out.toString()).get("timestamp").asLong();
    assertThat(cluster.advanceSafePoint(held + 2_560).get(1, TimeUnit.MINUTES))
        .isLessThanOrEqualTo(held);
    out.getBuffer().setLength(0);
    assertThat(lampone("hold", "list")).isZero();
    assertThat(out.toString()).contains("lampone-cli", "night", String.valueOf(held));
    assertThat(lampone("hold", "renew", "night", "--for=30")).isZero();
    assertThat(lampone("hold", "take", "night", "--timestamp=" + (held + 256))).isEqualTo(1);
    assertThat(err.toString()).contains("exists on another snapshot");
    assertThat(lampone("hold", "release", "night")).isZero();
    assertThat(lampone("hold", "renew", "night")).isEqualTo(1);
    assertThat(err.toString()).contains("no such hold");
    assertThat(cluster.advanceSafePoint(held + 2_560).get(1, TimeUnit.MINUTES)).isGreaterThan(held);
    assertThat(lampone("hold", "take", "late", "--timestamp=" + held)).isEqualTo(1);
    assertThat(err.toString()).contains("below the safe point");
    assertThat(lampone("hold", "take", "a name")).isEqualTo(1);
    assertThat(lampone("hold", "take")).isEqualTo(2);
  }

  @Test
  void aTableKeepsLongerIsFencedAndADryRunChangesNothing() throws Exception {
    assertThat(lampone("table", "create", "kept", "f")).isZero();
    assertThat(lampone("table", "keep-longer", "kept", "3600")).as(err.toString()).isZero();
    assertThat(lampone("table", "keep-longer", "kept", "--", "-1")).isEqualTo(2);
    assertThat(lampone("table", "fence", "kept")).as(err.toString()).isZero();
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin()) {
      TableName plain = TableName.valueOf("dry");
      assertThat(TableRetention.of(admin.getDescriptor(TableName.valueOf("kept"))).extra())
          .isEqualTo(Duration.ofHours(1));
      admin.createTable(
          TableDescriptorBuilder.newBuilder(plain)
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(2).build())
              .build());
      TableDescriptor before = admin.getDescriptor(plain);
      out.getBuffer().setLength(0);
      assertThat(lampone("table", "enable", "dry", "--dry-run")).as(err.toString()).isZero();
      assertThat(out.toString()).contains("VERSIONS=2 becomes a rule", "Nothing stands against it");
      try (org.apache.hadoop.hbase.client.Table table = hbase.getTable(plain)) {
        table.put(new Put(FAMILY).addColumn(FAMILY, FAMILY, 1L << 56, FAMILY));
      }
      out.getBuffer().setLength(0);
      assertThat(lampone("table", "enable", "dry", "--dry-run", "--json")).isEqualTo(3);
      JsonNode report = new ObjectMapper().readTree(out.toString());
      assertThat(report.get("possible").asBoolean()).isFalse();
      assertThat(report.get("obstacles")).hasSize(1);
      assertThat(admin.getDescriptor(plain)).isEqualTo(before);
    }
    assertThat(lampone("table", "keep-longer", "dry", "10")).isEqualTo(1);
    assertThat(lampone("table", "fence", "dry")).isEqualTo(1);
    assertThat(err.toString()).contains("not transactional").doesNotContain("\tat ");
  }

  private static int run(ShellSession session, String script, PrintWriter errors) throws Exception {
    try (LineSource lines = LineSource.script(new StringReader(script))) {
      return new Shell(lines, session, errors, new Shell.Mode("t", false, false)).run();
    }
  }

  private int run(ShellSession session, String script) throws Exception {
    return run(session, script, new PrintWriter(err, true));
  }

  private static ConnectionOptions connection() {
    ConnectionOptions options = new ConnectionOptions();
    options.zooKeeper = cluster.hbase().zooKeeperConnectString();
    return options;
  }

  private int shell(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "shell";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return lampone(all);
  }

  private int lampone(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--zookeeper";
    all[arguments.length + 1] = cluster.hbase().zooKeeperConnectString();
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(all);
  }

  private static String between(String text, String before, String after) {
    int start = text.indexOf(before) + before.length();
    return text.substring(start, text.indexOf(after, start));
  }
}
