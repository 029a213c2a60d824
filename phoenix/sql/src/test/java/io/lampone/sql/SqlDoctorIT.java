package io.lampone.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.benchmarks.ChildProcess;
import io.lampone.benchmarks.Cores;
import io.lampone.benchmarks.compare.ClusterProcess;
import io.lampone.cli.Lampone;
import io.lampone.cli.check.Finding;
import io.lampone.cli.check.Finding.Level;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.hbase.KeptSchema;
import io.lampone.hbase.TableSettings;
import io.lampone.phoenix.LamponePhoenix;
import io.lampone.protocol.Timestamps;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.omid.tso.InMemoryCommitTableStorageModule;
import org.apache.omid.tso.TSOServer;
import org.apache.omid.tso.TSOServerConfig;
import org.apache.phoenix.transaction.OmidTransactionProvider;
import org.apache.phoenix.transaction.TransactionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each thing that can be wrong with SQL is made wrong, and found. */
@Timeout(value = 6, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqlDoctorIT {

  private static final int MEGABYTES = 768;

  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int doctor(String address, String... more) {
    List<String> arguments = new ArrayList<>(List.of("doctor", "--sql", "--zookeeper=" + address));
    arguments.addAll(List.of(more));
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return Lampone.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  /** Without Phoenix's jar, the master observer and a transaction manager, in another process. */
  @Test
  void aClusterThatHasNothingForSqlIsToldAllOfIt() throws Exception {
    String without =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !new File(entry).getName().startsWith("phoenix-"))
            .collect(Collectors.joining(File.pathSeparator));
    try (ChildProcess cluster =
        ChildProcess.startServer(
            new ChildProcess.Program(
                "HBase",
                without,
                ClusterProcess.class.getName(),
                MEGABYTES,
                ClusterProcess.arguments(
                    EmbeddedHBaseConfig.builder(folder.resolve("bare")).regionServers(1).build())),
            new Cores(false, 0, 0))) {
      String address = cluster.ready().text(ClusterProcess.ZOOKEEPER);
      createAltered(address);
      assertThat(doctor(address)).as(out + " " + err).isEqualTo(3);
      assertThat(out.toString())
          .contains(
              "Phoenix's jar is not on the class path of this server",
              "does not run Lampone's master observer",
              "begins no transaction of this client",
              "has no catalogue here yet",
              "fail  table        ALTERED: ",
              "SQL lacks something: ")
          .doesNotContain("\tat ");
      assertThat(tables(address)).noneMatch(name -> name.startsWith("SYSTEM"));
    }
  }

  /** A table as Phoenix and the master observer make it, then altered where there is none. */
  private static void createAltered(String address) throws Exception {
    try (var hbase = ConnectionFactory.createConnection(configuration(address));
        Admin admin = hbase.getAdmin()) {
      TableDescriptor plain =
          TableDescriptorBuilder.newBuilder(TableName.valueOf("ALTERED"))
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder("0".getBytes())
                      .setMaxVersions(1)
                      .setTimeToLive(60)
                      .build())
              .build();
      admin.createTable(
          TableSettings.ofPhoenix(Timestamps.PLAIN_LIMIT)
              .applyTo(TableDescriptorBuilder.newBuilder(KeptSchema.withObserver(plain)))
              .build());
    }
  }

  private static List<String> tables(String address) throws Exception {
    try (var hbase = ConnectionFactory.createConnection(configuration(address));
        Admin admin = hbase.getAdmin()) {
      return Arrays.stream(admin.listTableNames()).map(TableName::getNameAsString).toList();
    }
  }

  private static Configuration configuration(String address) {
    Configuration configuration = new Configuration();
    int colon = address.lastIndexOf(':');
    configuration.set("hbase.zookeeper.quorum", address.substring(0, colon));
    configuration.set("hbase.zookeeper.property.clientPort", address.substring(colon + 1));
    configuration.set(
        "hbase.client.registry.impl", "org.apache.hadoop.hbase.client.ZKConnectionRegistry");
    return configuration;
  }

  @Test
  void whatIsMadeWrongIsFound_andNothingBefore() throws Exception {
    EmbeddedHBaseConfig.Builder config =
        EmbeddedHBaseConfig.builder(folder.resolve("whole")).regionServers(1);
    new BankStory().configure(config);
    try (EmbeddedLampone cluster = EmbeddedLampone.start(config.build())) {
      String address = cluster.hbase().zooKeeperConnectString();
      CommandConfiguration.use(cluster.configuration());
      LamponePhoenix.install();
      try (Connection connection = DriverManager.getConnection(CommandConfiguration.url());
          var statement = connection.createStatement()) {
        connection.setAutoCommit(true);
        statement.execute(
            "CREATE TABLE s.t (id BIGINT NOT NULL PRIMARY KEY, a VARCHAR) TRANSACTIONAL=true");
        statement.execute("CREATE INDEX t_a ON s.t (a)");
        statement.execute("UPSERT INTO s.t VALUES (1, 'x')");
        statement.execute("CREATE TABLE p (id BIGINT NOT NULL PRIMARY KEY)");
      }
      assertThat(doctor(address, "-D", "phoenix.transactions.enabled=true"))
          .as(out + " " + err)
          .isZero();
      assertThat(out.toString())
          .contains("S.T.T_A: 1 rows agree", "version 5.2 on the servers", "SQL has what it needs.")
          .doesNotContain("warn ", "fail ");
      assertThat(doctor(address)).isZero();
      assertThat(out.toString()).contains("phoenix.transactions.enabled is not true");

      anIndexRowIsLost(cluster, address);
      aTableIsOmids(cluster, address);
      omidsOracleRuns(cluster);
      theProviderIsNotReplaced(address);
    }
  }

  private void anIndexRowIsLost(EmbeddedLampone cluster, String address) throws Exception {
    try (LamponeClient client = LamponeClient.connect(cluster.clientConfiguration());
        Transaction transaction = client.begin()) {
      Table index = transaction.table("S.T_A");
      try (ResultScanner rows = index.getScanner(new Scan().setLimit(1))) {
        index.delete(new Delete(rows.next().getRow()));
      }
      transaction.commit();
    }
    assertThat(doctor(address, "--json", "s.t")).isEqualTo(3);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : out.toString().split("\n")) {
      lines.add(new ObjectMapper().readTree(line));
    }
    assertThat(lines)
        .anySatisfy(
            line -> {
              assertThat(line.path("level").asText()).isEqualTo("fail");
              assertThat(line.path("found").asText()).contains("missing 1");
              assertThat(line.path("advice").asText())
                  .contains("check-index s.t T_A", "under another name, then drop this one");
            });
    assertThat(lines.get(lines.size() - 1).path("fail").asInt()).isEqualTo(1);
    assertThat(doctor(address, "none")).isEqualTo(3);
    assertThat(out.toString()).contains("none: could not be compared");
  }

  private void aTableIsOmids(EmbeddedLampone cluster, String address) throws Exception {
    try (var hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TableName.valueOf("OF_OMID"))
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("0"))
              .setCoprocessor(OmidTransactionProvider.getInstance().getCoprocessorClassName())
              .build());
    }
    assertThat(doctor(address)).isEqualTo(3);
    assertThat(out.toString()).contains("OF_OMID: is a table of Omid's");
  }

  private void omidsOracleRuns(EmbeddedLampone cluster) throws Exception {
    TSOServerConfig config = new TSOServerConfig();
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket free = new ServerSocket(0, 1, here)) {
      config.setPort(free.getLocalPort());
    }
    config.setNetworkIfaceName(NetworkInterface.getByInetAddress(here).getName());
    config.setConflictMapSize(1000);
    config.setCommitTableStoreModule(new InMemoryCommitTableStorageModule());
    String address = here.getHostAddress() + ":" + config.getPort();
    List<Finding> findings = new ArrayList<>();
    SqlExamination examination = new SqlExamination(() -> address);
    examination.examine(cluster.configuration(), List.of("p"), findings::add);
    assertThat(findings).noneMatch(found -> found.check().equals("omid"));
    TSOServer oracle = TSOServer.getInitializedTsoServer(config);
    oracle.startAsync().awaitRunning();
    try {
      examination.examine(cluster.configuration(), List.of("p"), findings::add);
    } finally {
      oracle.stopAsync().awaitTerminated();
    }
    assertThat(findings)
        .anyMatch(
            found ->
                found.check().equals("omid")
                    && found.level() == Level.FAIL
                    && found.subject().equals(address));
  }

  private void theProviderIsNotReplaced(String address) throws Exception {
    Field provider = TransactionFactory.Provider.class.getDeclaredField("provider");
    provider.setAccessible(true);
    provider.set(TransactionFactory.Provider.OMID, OmidTransactionProvider.getInstance());
    try {
      assertThat(doctor(address)).isEqualTo(3);
      assertThat(out.toString())
          .contains(
              "not Lampone's in this process, provider=OmidTransactionProvider",
              "LamponePhoenix.install()");
    } finally {
      LamponePhoenix.install();
    }
  }
}
