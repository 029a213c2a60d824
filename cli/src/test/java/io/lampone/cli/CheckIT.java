package io.lampone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The check on a real cluster, whole and broken. How each finding is judged is {@code ChecksTest};
 * a region server without the jar needs a separate process: {@code DistributionIT}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CheckIT {

  private static final TableName TABLE = TableName.valueOf("checked");

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    cluster = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("c")).build());
    try (LamponeClient client = LamponeClient.connect(cluster.configuration())) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(TABLE)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                  .build(),
              ConflictLevel.CELL,
              "m".getBytes(StandardCharsets.UTF_8));
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void aWholeClusterPasses() throws IOException {
    JsonNode report = check(0);

    assertThat(report.get("passed").asBoolean()).isTrue();
    assertThat(kinds(report, "ok"))
        .contains(
            "settings", "zookeeper", "record", "manager", "hbase", "table", "permission", "clock");
    assertThat(kinds(report, "fail")).isEmpty();
    assertThat(text(report)).contains("gives timestamps", "checked", "conflicts by CELL");
    // Both region servers, by our own code there.
    assertThat(report.get("findings"))
        .filteredOn(each -> each.get("check").asText().equals("coprocessor"))
        .hasSize(2)
        .anyMatch(each -> each.get("found").asText().contains("Java 17"));
  }

  @Test
  void peopleGetALineForEachFindingAndWhatToDo() {
    assertThat(run("--zookeeper=" + quorum())).isZero();
    assertThat(out.toString())
        .contains("ok    record", "warn  manager", "there is no backup", "->");
  }

  @Test
  void whatIsOpenForMoreThanASecondIsListed() throws IOException {
    String[] list = {"tm", "transactions", "--zookeeper=" + quorum()};
    try (LamponeClient client = LamponeClient.connect(cluster.configuration());
        Transaction open = client.begin()) {
      open.table(TABLE).get(new Get("row".getBytes(StandardCharsets.UTF_8)));
      String start = String.valueOf(open.startTimestamp());
      await()
          .atMost(1, TimeUnit.MINUTES)
          .until(() -> execute(list) == 0 && out.toString().contains(start));
      assertThat(out.toString()).contains("AGE", "PRINCIPAL", "/127.0.0.1:", "checked");
    }
  }

  private int execute(String... arguments) {
    out.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  @Test
  void aMisspeltAndAWrongPropertyFail() throws IOException {
    assertThat(text(check(1, "-D", "lampone.client.bufer.bytes=1")))
        .contains("did you mean lampone.client.buffer.bytes?");
    assertThat(kinds(check(1, "-D", "lampone.client.request.rows=0"), "fail"))
        .containsExactly("settings");
  }

  /** The client cannot be configured; what needs none is still checked. */
  @Test
  void aPropertyWithoutWhichNoManagerCanBeAsked_isOneFindingOfSeveral() throws IOException {
    JsonNode report = check(1, "-D", "lampone.client.manager.timeout=soon");
    assertThat(text(report))
        .contains("name=lampone.client.manager.timeout value=soon")
        .doesNotContain("written by another");
    assertThat(kinds(report, "fail")).containsExactly("settings", "manager");
    assertThat(kinds(report, "ok")).contains("zookeeper", "hbase", "table", "clock");
    report = check(1, "-D", "lampone.client.manager.timeot=1s");
    assertThat(text(report)).contains("did you mean lampone.client.manager.timeout?");
    assertThat(kinds(report, "ok")).contains("zookeeper", "hbase");
    report = check(1, "-D", "lampone.client.manager.secret.file=/does/not/exist");
    assertThat(text(report)).contains("lampone.client.manager.secret.file");
    assertThat(kinds(report, "fail")).contains("settings");
    assertThat(kinds(report, "ok")).contains("zookeeper", "hbase");
  }

  @Test
  void aTableWhoseSchemaWasChangedByHandFails() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TableDescriptor right = admin.getDescriptor(TABLE);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(right)
              .modifyColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(
                          right.getColumnFamily("f".getBytes(StandardCharsets.UTF_8)))
                      .setMaxVersions(1)
                      .build())
              .build());
      try {
        assertThat(kinds(check(1), "fail")).containsExactly("table");
      } finally {
        admin.modifyTable(right);
      }
    }
  }

  @Test
  void aTableWithAnotherCoprocessorBehindOursFailsAndNamesIt() throws IOException {
    String other = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      TableDescriptor right = admin.getDescriptor(TABLE);
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(right)
              .setCoprocessor(
                  CoprocessorDescriptorBuilder.newBuilder(other)
                      .setPriority(TableSettings.COPROCESSOR_PRIORITY)
                      .build())
              .build());
      try {
        JsonNode report = check(1);
        assertThat(kinds(report, "fail")).containsExactly("table");
        assertThat(text(report)).contains("class=" + other);
      } finally {
        admin.modifyTable(right);
      }
    }
  }

  @Test
  void aMissingZnodeMeansThatNoManagerHasEverRun() throws IOException {
    JsonNode report = check(1, "-D", "lampone.zookeeper.parent=/elsewhere");
    assertThat(kinds(report, "fail")).contains("record", "manager");
    assertThat(text(report))
        .contains("no transaction manager has ever run here", "there is no znode /elsewhere")
        .doesNotContain("may not make");
  }

  @Test
  void anUnreadableRecordFails() throws Exception {
    try (ZooKeeper zooKeeper = new ZooKeeper(quorum(), 10_000, event -> {})) {
      byte[] record = "format=2\n".getBytes(StandardCharsets.UTF_8);
      zooKeeper.create("/other", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      zooKeeper.create("/other/tm", record, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }
    JsonNode report = check(1, "-D", "lampone.zookeeper.parent=/other");
    assertThat(kinds(report, "fail")).contains("record");
    assertThat(text(report)).contains("cannot be read");
  }

  @Test
  void aZooKeeperThatDoesNotAnswerFailsAndEndsTheCheck() throws IOException {
    try (ServerSocket silent = new ServerSocket(0)) {
      assertThat(run("--json", "--zookeeper=127.0.0.1:" + silent.getLocalPort())).isEqualTo(1);
    }
    assertThat(kinds(new ObjectMapper().readTree(out.toString()), "fail"))
        .containsExactly("zookeeper");
  }

  @Test
  void permissionsThatAreMissingFailAndSoDoesAManagerThatIsNotThere() throws Exception {
    String access = "org.apache.hadoop.hbase.security.access.AccessController";
    try (EmbeddedHBase guarded =
        EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(folder.resolve("guarded"))
                .regionServers(1)
                .setting("hbase.security.authorization", "true")
                .setting("hbase.security.exec.permission.checks", "false")
                .setting("hbase.superuser", "somebody-else")
                .setting("hbase.coprocessor.master.classes", access)
                .setting("hbase.coprocessor.region.classes", access)
                .setting("hbase.coprocessor.regionserver.classes", access)
                .build())) {
      try (Connection connection = ConnectionFactory.createConnection(guarded.configuration());
          Admin admin = connection.getAdmin()) {
        admin.createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build());
      }
      // The user that started HBase is a superuser; others are not.
      int exit =
          UserGroupInformation.createRemoteUser("alice")
              .doAs(
                  (PrivilegedExceptionAction<Integer>)
                      () -> run("--json", "--zookeeper=" + guarded.zooKeeperConnectString()));
      assertThat(exit).isEqualTo(1);
    }
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(kinds(report, "fail")).contains("record", "manager");
    assertThat(kinds(report, "warn")).contains("table");
    assertThat(text(report)).contains("hidden from this user: 1").doesNotContain("none is");
    assertThat(report.get("findings"))
        .filteredOn(each -> each.get("check").asText().equals("permission"))
        .singleElement()
        .satisfies(
            each -> {
              assertThat(each.get("level").asText()).isEqualTo("warn");
              assertThat(each.get("found").asText()).contains("may not create");
              assertThat(each.get("advice").asText()).contains("grant 'alice', 'CA'");
            });
  }

  private JsonNode check(int expectedExit, String... options) throws IOException {
    out.getBuffer().setLength(0);
    List<String> arguments = new ArrayList<>(List.of("--json", "--zookeeper=" + quorum()));
    arguments.addAll(List.of(options));
    int exit = run(arguments.toArray(String[]::new));
    assertThat(exit).as(out + "\n" + err).isEqualTo(expectedExit);
    return new ObjectMapper().readTree(out.toString());
  }

  private int run(String... options) {
    List<String> arguments = new ArrayList<>(List.of("check"));
    arguments.addAll(List.of(options));
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  private static List<String> kinds(JsonNode report, String level) {
    List<String> kinds = new ArrayList<>();
    for (JsonNode finding : report.get("findings")) {
      if (finding.get("level").asText().equals(level)
          && !kinds.contains(finding.get("check").asText())) {
        kinds.add(finding.get("check").asText());
      }
    }
    return kinds;
  }

  private static String text(JsonNode report) {
    return report.get("findings").toString();
  }

  private static String quorum() {
    return cluster.hbase().zooKeeperConnectString();
  }
}
