package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.codahale.metrics.MetricRegistry;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.TransactionCell;
import io.lampone.protocol.TransactionState;
import io.lampone.protocol.connect.SecurityFiles;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.trust.DelegationToken;
import io.lampone.protocol.trust.InspectionPass;
import io.lampone.protocol.trust.Proofs;
import io.lampone.tm.TransactionManagerConfig;
import io.lampone.tm.TransactionManagerServer;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import io.lampone.tmclient.CommandAnswer;
import io.lampone.tmclient.CommandClient;
import io.lampone.tmclient.TransactionManagerClientConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A user with the right to read one table inspects it, while a transaction is open whose commit
 * entry lies in a table that the user may not read.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InspectionIT {

  private static final TableName SHOWN = TableName.valueOf("shown");
  private static final TableName SECRET = TableName.valueOf("secret");
  private static final String ROW = "row";
  private static final String SECRET_ROW = "key-of-the-leader";
  private static final String VALUE = "uncommitted";
  private static final byte[] F = bytes("f");
  private static final byte[] Q = bytes("q");

  @TempDir private static Path folder;

  private static Path clusterKey;
  private static EmbeddedHBase hbase;
  private static TransactionManagerServer manager;
  private static LamponeClient owner;
  private static Transaction open;

  @BeforeAll
  static void start() throws Throwable {
    clusterKey = folder.resolve("cluster.key");
    SecurityFiles.createClusterKey(clusterKey);
    hbase =
        EmbeddedHBase.start(
            RunningCluster.authorizing(folder.resolve("data"))
                .setting("lampone.region.cluster.key.file", clusterKey.toString())
                .build());
    manager =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .zookeeperQuorum(hbase.zooKeeperConnectString())
                .security(
                    new SecuritySettings(
                        Mode.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(clusterKey),
                        Optional.empty()))
                .build(),
            new MetricRegistry());
    manager.whenPrimary().get(60, TimeUnit.SECONDS);
    Configuration eager = new Configuration(hbase.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    owner = LamponeClient.connect(eager);
    for (TableName name : List.of(SHOWN, SECRET)) {
      owner
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(name)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                  .build(),
              ConflictLevel.ROW);
    }
    owner.admin().enableTable(SHOWN, ConflictLevel.ROW, PlainClients.PHOENIX);
    try (Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      AccessControlClient.grant(connection, SHOWN, "reader", null, null, Action.READ);
    }
    open = owner.begin();
    put(open, SECRET, SECRET_ROW);
    put(open, SHOWN, ROW);
    await()
        .atMost(Duration.ofMinutes(2))
        .ignoreExceptionsMatching(e -> e.toString().contains("AccessDeniedException"))
        .untilAsserted(() -> assertThat(inspect(InspectionPass.none(), new Scan())).isNotEmpty());
  }

  @AfterAll
  static void stop() throws IOException {
    open.close();
    owner.close();
    manager.close();
    hbase.close();
  }

  @Test
  void withoutAPass_noRowOfAnotherTableIsNamed_andNoValueShown() throws Exception {
    List<Cell> cells = inspect(InspectionPass.none(), new Scan());
    assertThat(text(cells))
        .doesNotContain(SECRET_ROW)
        .doesNotContain("secret")
        .doesNotContain(VALUE);
    TransactionCell intent = intent(cells);
    assertThat(intent.state()).isEqualTo(TransactionState.PENDING);
    assertThat(intent.leader().orElseThrow().table()).isEmpty();
    assertThat(intent.leader().orElseThrow().row().length()).isEqualTo(16);
  }

  @Test
  void withoutAPass_aFilterOfTheReadersOwnSeesNoMore() throws Exception {
    for (String searched : List.of(SECRET_ROW, VALUE)) {
      Scan scan =
          new Scan()
              .setFilter(new ValueFilter(CompareOperator.EQUAL, new SubstringComparator(searched)));
      assertThat(inspect(InspectionPass.none(), scan)).isEmpty();
      assertThat(inspect(pass(), scan)).isNotEmpty();
    }
  }

  /** Phoenix aggregates stored cells by such a scan, in a region; a client receives the cells. */
  @Test
  void aScanThatCollectsStatistics_showsLengthsOnly() throws Exception {
    Scan statistics = new Scan().setAttribute("_ANALYZETABLE", new byte[] {1});
    List<Cell> cells = read(SHOWN, statistics.readAllVersions().addFamily(F));
    assertThat(text(cells)).doesNotContain(SECRET_ROW).doesNotContain(VALUE);
    assertThat(cells)
        .filteredOn(cell -> CellUtil.matchingQualifier(cell, Q))
        .allMatch(cell -> cell.getValueLength() == VALUE.length())
        .isNotEmpty();
  }

  @Test
  void byAPassCellsAreShownAsTheyAreStored() throws Exception {
    List<Cell> cells = inspect(pass(), new Scan());
    assertThat(text(cells)).contains(SECRET_ROW).contains(VALUE);
    assertThat(intent(cells).leader().orElseThrow().table()).isEqualTo("secret");
  }

  @Test
  void aPassIsNoRightToReadATable() {
    assertThatThrownBy(() -> inspect(SECRET, pass(), new Scan()))
        .hasStackTraceContaining("AccessDeniedException");
  }

  @Test
  void aPassThatHasExpiredOrIsOfAnotherKeyIsRefused() throws Exception {
    long now = SystemClock.INSTANCE.wallMillis();
    Proofs proofs = new Proofs(SecurityFiles.clusterKey(clusterKey));
    for (byte[] wrong :
        List.of(
            proofs.inspection("reader", now - 1000).encode().toArray(),
            Proofs.OPEN.inspection("reader", now + 60_000).encode().toArray())) {
      assertThatThrownBy(() -> inspect(wrong, new Scan())).hasStackTraceContaining("UNPROVED");
    }
  }

  /** From the transaction manager, of which a process of this machine is an administrator here. */
  private static byte[] pass() throws Exception {
    try (CommandClient commands =
        new CommandClient(TransactionManagerClientConfig.builder().build())) {
      CommandAnswer answer =
          commands
              .ask(new InetSocketAddress("127.0.0.1", manager.port()), "inspection-pass", "")
              .get(60, TimeUnit.SECONDS);
      String begin = "{\"pass\":\"";
      assertThat(answer.text()).startsWith(begin);
      String pass = answer.text().substring(begin.length());
      return DelegationToken.bytes(pass.substring(0, pass.indexOf('"'))).toArray();
    }
  }

  private static List<Cell> inspect(byte[] shown, Scan scan) throws Exception {
    return inspect(SHOWN, shown, scan);
  }

  private static List<Cell> inspect(TableName name, byte[] shown, Scan scan) throws Exception {
    Scan inspection = new Scan(scan).readAllVersions().addFamily(F);
    inspection.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, shown);
    return read(name, inspection);
  }

  private static List<Cell> read(TableName name, Scan scan) throws Exception {
    PrivilegedExceptionAction<List<Cell>> reading =
        () -> {
          List<Cell> cells = new ArrayList<>();
          try (Connection connection = ConnectionFactory.createConnection(hbase.configuration());
              Table table = connection.getTable(name);
              ResultScanner scanner = table.getScanner(scan)) {
            for (Result row : scanner) {
              cells.addAll(row.listCells());
            }
          }
          return cells;
        };
    return UserGroupInformation.createRemoteUser("reader").doAs(reading);
  }

  private static TransactionCell intent(List<Cell> cells) {
    Cell found =
        cells.stream()
            .filter(cell -> CellUtil.matchingQualifier(cell, Reserved.TRANSACTION.toArray()))
            .findFirst()
            .orElseThrow();
    return TransactionCell.decode(CellUtil.cloneValue(found));
  }

  private static String text(List<Cell> cells) {
    StringBuilder text = new StringBuilder();
    for (Cell cell : cells) {
      text.append(cell).append(new String(CellUtil.cloneValue(cell), ISO_8859_1));
    }
    return text.toString();
  }

  private static void put(Transaction tx, TableName name, String row) throws IOException {
    try (Table table = tx.table(name)) {
      table.put(new Put(bytes(row)).addColumn(F, Q, bytes(VALUE)));
    }
  }
}
