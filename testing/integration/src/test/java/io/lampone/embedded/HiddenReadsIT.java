package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.hbase.Carrier;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.FastReadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certifications, descriptions and changes of tables of which an authorizer hides a part. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HiddenReadsIT {

  private static final TableName TABLE = TableName.valueOf("hidden");
  private static final TableName FILTERED = TableName.valueOf("filtered");
  private static final TableName WIDE = TableName.valueOf("wide");
  private static final byte[] F = bytes("f");
  private static final byte[] G = bytes("g");
  private static final byte[] Q = bytes("q");
  private static final byte[] SALARY = bytes("salary");
  private static final String CLERK = "clerk";
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient owner;

  /** An authorizer that hides rows from scans only. */
  public static final class RowAuthorizer implements RegionCoprocessor, RegionObserver {

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) {
      if (context.getCaller().map(User::getShortName).filter(CLERK::equals).isPresent()) {
        scan.setFilter(new PrefixFilter(bytes("r-shown")));
      }
    }
  }

  @BeforeAll
  static void start() throws Throwable {
    cluster = EmbeddedLampone.start(RunningCluster.authorizing(folder.resolve("c")).build());
    owner = LamponeClient.connect(cluster.configuration());
    create(
        TableDescriptorBuilder.newBuilder(TABLE)
            .setValue("hbase.security.access.early_out", "false"));
    create(
        TableDescriptorBuilder.newBuilder(FILTERED).setCoprocessor(RowAuthorizer.class.getName()));
    create(
        TableDescriptorBuilder.newBuilder(WIDE)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G)));
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      AccessControlClient.grant(hbase, WIDE, "cell", F, Q, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "family", F, null, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "column", F, Q, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "writer", null, null, Action.WRITE);
      for (String user : List.of(CLERK, "other")) {
        AccessControlClient.grant(hbase, FILTERED, user, null, null, Action.READ, Action.WRITE);
      }
    }
    for (Map.Entry<String, TableName> reader :
        Map.of("family", TABLE, "column", TABLE, CLERK, FILTERED, "other", FILTERED, "cell", WIDE)
            .entrySet()) {
      awaitGrant(reader.getKey(), reader.getValue());
    }
  }

  private static void create(TableDescriptorBuilder table) throws IOException {
    owner
        .admin()
        .createTable(
            table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)).build(),
            ConflictLevel.ROW,
            bytes("m"));
  }

  /** Waits until region servers have received a grant through ZooKeeper. */
  private static void awaitGrant(String user, TableName table) throws Exception {
    try (LamponeClient client = clientOf(user)) {
      for (String row : List.of("a", "z")) {
        await()
            .atMost(Duration.ofMinutes(2))
            .ignoreExceptionsMatching(e -> e.toString().contains("AccessDeniedException"))
            .untilAsserted(
                () ->
                    assertThat(
                            client
                                .fastPath()
                                .table(table)
                                .get(new Get(bytes(row)).addColumn(F, Q))
                                .isEmpty())
                        .isTrue());
      }
    }
  }

  @AfterAll
  static void stop() throws IOException {
    owner.close();
    cluster.close();
  }

  /** HBase answers with an empty result then, and a description is no cell of the table. */
  @Test
  void aTableIsDescribedToItsReadersAlone_alsoWithoutEarlyOut() throws Exception {
    for (String user : List.of("family", "column")) {
      assertThat(described(user)).isEqualTo(TABLE);
    }
    for (String user : List.of("stranger", "writer")) {
      Get plain = new Get(bytes("a"));
      plain.setAttribute(FastReadRequest.ATTRIBUTE, FastReadRequest.of(0, 0, false).encode());
      try (Connection hbase = connectionOf(user);
          Table table = hbase.getTable(TABLE)) {
        assertThat(table.get(plain).rawCells()).as("the proof alone").hasSize(1);
      }
      assertThatThrownBy(() -> described(user)).isInstanceOf(AccessDeniedException.class);
    }
  }

  private static TableName described(String user) throws Exception {
    try (Connection hbase = connectionOf(user);
        Table table = hbase.getTable(TABLE)) {
      return Carrier.described(table.get(Carrier.describeGet())).getTableName();
    }
  }

  /** At level ROW regular ones count for users that may read them. */
  @Test
  void commitsToAHiddenColumnAreNoConflictInARange() throws Exception {
    Scan scan = new Scan().addColumn(F, Q).withStartRow(bytes("r")).withStopRow(bytes("s"));
    for (boolean fast : new boolean[] {false, true}) {
      write("r-" + fast, SALARY, fast); // the row is there
      assertThat(isCertified("column", TABLE, scan, () -> write("r-" + fast, SALARY, fast)))
          .isTrue();
      // Versions committed at birth in a column that was not named are not checked.
      assertThat(isCertified("family", TABLE, scan, () -> write("r-" + fast, SALARY, fast)))
          .isEqualTo(fast);
      assertThat(isCertified("column", TABLE, scan, () -> write("r-" + fast, Q, fast))).isFalse();
    }
  }

  /** The transaction manager checks regular ones; it has no columns at level ROW. */
  @Test
  void aBirthInAHiddenColumnIsNoConflictInARow() throws Exception {
    for (Map.Entry<String, Boolean> reader : Map.of("column", true, "family", false).entrySet()) {
      try (LamponeClient client = clientOf(reader.getKey());
          Transaction tx = client.begin(SERIALIZABLE)) {
        tx.table(TABLE).get(new Get(bytes("p")).addColumn(F, Q));
        tx.table(TABLE).put(new Put(bytes("written")).addColumn(F, Q, Q));
        write("p", SALARY, true);
        if (reader.getValue()) {
          tx.commit();
        } else {
          assertThatThrownBy(tx::commit).isInstanceOf(ConflictException.class);
        }
      }
    }
  }

  /** A conflict would name the row. */
  @Test
  void aRangeOfWhichRowsAreHiddenIsNotCertified() throws Exception {
    Scan scan = new Scan().addFamily(F).withStartRow(bytes("r")).withStopRow(bytes("s"));
    Writing hidden =
        () -> owner.fastPath().table(FILTERED).put(new Put(bytes("r-secret")).addColumn(F, Q, Q));
    for (Writing writing : List.of(hidden, () -> {})) {
      assertThatThrownBy(() -> isCertified(CLERK, FILTERED, scan, writing))
          .hasStackTraceContaining("AccessDeniedException")
          .hasStackTraceContaining("not all of the range may be read");
    }
    assertThat(isCertified("other", FILTERED, scan, hidden)).isFalse();
    assertThat(isCertified("other", FILTERED, scan, () -> {})).isTrue();
  }

  /** At level ROW a writer of one column meets intents in families that it may not read. */
  @Test
  void aWriterOfOneColumnIsToldNoRowOfAnotherTable() throws Exception {
    Put leader = new Put(bytes("leader-row")).addColumn(F, Q, Q);
    Put met = new Put(bytes("busy-row")).addColumn(G, Q, Q);
    Configuration hasty = new Configuration(cluster.configuration());
    hasty.set("lampone.client.operation.timeout", "3s");
    try (Transaction other = owner.begin();
        LamponeClient client = as("cell", () -> LamponeClient.connect(hasty))) {
      other.table(FILTERED).put(leader);
      other.table(WIDE).put(met);
      for (TableName name : List.of(FILTERED, WIDE)) {
        try (ResultScanner flushing = other.table(name).getScanner(new Scan())) {
          assertThat(flushing.next()).isNotNull();
        }
      }
      String id = other.id().orElseThrow().toString();
      Put own = new Put(bytes("busy-row")).addColumn(F, Q, Q);
      assertThatThrownBy(() -> client.fastPath().table(WIDE).put(own))
          .hasStackTraceContaining("blocker=")
          .satisfies(e -> assertThat(Throwables.getStackTrace(e)).doesNotContain(id));
      other.rollback();
      client.fastPath().table(WIDE).put(own);
    }
  }

  /** What is hidden would be left as transactions have written it. */
  @Test
  void aTableIsMadePlainByThoseOnlyWhoMayReadAllOfIt() throws Exception {
    TableName name = ofClerk("disabled");
    for (String row : List.of("a-hidden", "r-shown")) {
      owner.fastPath().table(name).put(new Put(bytes(row)).addColumn(F, Q, Q));
    }
    StoredCells stored = new StoredCells(cluster.hbase(), name);
    List<Cell> before = stored.all();
    try (LamponeClient client = clientOf(CLERK)) {
      assertThatThrownBy(() -> client.admin().disableTable(name))
          .isInstanceOf(LamponeException.class)
          .hasMessageContaining("not all of the range may be read");
    }
    assertThat(stored.all()).isEqualTo(before);
    owner.admin().disableTable(name);
    assertThat(stored.all()).hasSize(2).allMatch(cell -> Timestamps.isPlain(cell.getTimestamp()));
  }

  @Test
  void aTableIsEnabledByThoseOnlyWhoMayReadAllOfIt() throws Exception {
    TableName name = ofClerk("enabled");
    owner.admin().disableTable(name);
    Put put = new Put(bytes("a-hidden")).addColumn(F, Q, Timestamps.PLAIN_LIMIT, Q);
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Table plain = hbase.getTable(name);
        LamponeClient client = clientOf(CLERK)) {
      plain.put(put);
      assertThatThrownBy(() -> client.admin().enableTable(name, ConflictLevel.ROW))
          .isInstanceOf(LamponeException.class)
          .hasMessageContaining("not all of the range may be read");
    }
    assertThat(owner.admin().listTables()).noneMatch(table -> table.name().equals(name));
  }

  /** Creates a table that the clerk may change; HBase gives all rights to the last to do so. */
  private static TableName ofClerk(String what) throws Exception {
    TableName name = TableName.valueOf(what);
    create(TableDescriptorBuilder.newBuilder(name).setCoprocessor(RowAuthorizer.class.getName()));
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      AccessControlClient.grant(hbase, name, CLERK, null, null, Action.values());
    } catch (Throwable e) {
      throw new IOException(e);
    }
    awaitGrant(CLERK, name);
    return name;
  }

  /** Write of another transaction. */
  private interface Writing {
    void run() throws IOException;
  }

  /** Scans, lets another one write, writes elsewhere, and commits. */
  private static boolean isCertified(String user, TableName name, Scan scan, Writing between)
      throws Exception {
    try (LamponeClient client = clientOf(user);
        Transaction tx = client.begin(SERIALIZABLE);
        Table table = tx.table(name)) {
      try (ResultScanner scanner = table.getScanner(scan)) {
        scanner.forEach(row -> {});
      }
      table.put(new Put(bytes("written")).addColumn(F, Q, Q));
      between.run();
      tx.commit();
      return true;
    } catch (ConflictException e) {
      assertThat(e.kind()).isEqualTo(ConflictException.Kind.RANGE);
      return false;
    }
  }

  private static void write(String row, byte[] column, boolean fast) throws IOException {
    Put put = new Put(bytes(row)).addColumn(F, column, bytes("v"));
    if (fast) {
      owner.fastPath().table(TABLE).put(put);
      return;
    }
    owner.run(
        tx -> {
          tx.table(TABLE).put(put);
          tx.table(TABLE).put(new Put(bytes("a")).addColumn(F, SALARY, bytes("v")));
          return null;
        });
  }

  private static LamponeClient clientOf(String user) throws Exception {
    return as(user, () -> LamponeClient.connect(cluster.configuration()));
  }

  private static Connection connectionOf(String user) throws Exception {
    return as(user, () -> ConnectionFactory.createConnection(cluster.configuration()));
  }

  private static <T> T as(String user, PrivilegedExceptionAction<T> action) throws Exception {
    return UserGroupInformation.createRemoteUser(user).doAs(action);
  }
}
