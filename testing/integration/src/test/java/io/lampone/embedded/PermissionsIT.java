package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.ConflictException;
import io.lampone.client.Isolation;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.spi.EngineTransaction;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.RefusalException;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.UndecidedIntents;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proofs;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.AccessControlClient;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the client library as a user with minimal permissions in HBase. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PermissionsIT {

  private static final TableName TABLE = TableName.valueOf("guarded");
  private static final TableName SECRET = TableName.valueOf("secret");
  private static final byte[] F = bytes("f");
  private static final byte[] G = bytes("g");
  private static final byte[] Q = bytes("q");

  @TempDir private static Path folder;

  private static EmbeddedLampone cluster;
  private static LamponeClient owner;

  @BeforeAll
  static void start() throws Throwable {
    cluster = EmbeddedLampone.start(RunningCluster.authorizing(folder.resolve("c")).build());
    owner = LamponeClient.connect(cluster.configuration());
    try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration())) {
      for (TableName name : List.of(TABLE, SECRET)) {
        owner
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(name)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
                    .build(),
                ConflictLevel.CELL,
                bytes("m"));
        FaultyObserver.install(hbase, name);
      }
      AccessControlClient.grant(hbase, TABLE, "family", F, null, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "column", F, Q, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "reader", F, null, Action.READ);
      AccessControlClient.grant(hbase, TABLE, "mixed", F, null, Action.READ, Action.WRITE);
      AccessControlClient.grant(hbase, TABLE, "mixed", G, null, Action.READ);
    }
    for (String user : List.of("family", "column", "reader", "mixed")) {
      awaitGrant(user);
    }
  }

  /**
   * Waits for a grant. Each region server receives it through ZooKeeper, some time after it was
   * made; meanwhile, the table's other grants are missing for a moment.
   */
  private static void awaitGrant(String user) throws Exception {
    try (LamponeClient client = clientOf(user)) {
      for (String row : List.of("a", "z")) {
        Get allowed = new Get(bytes(row)).addColumn(F, Q);
        await()
            .atMost(Duration.ofMinutes(2))
            .ignoreExceptionsMatching(e -> e.toString().contains("AccessDeniedException"))
            .untilAsserted(
                () -> assertThat(client.fastPath().table(TABLE).get(allowed).isEmpty()).isTrue());
      }
    }
  }

  @AfterAll
  static void stop() throws IOException {
    owner.close();
    cluster.close();
  }

  @Test
  void theRightToReadAndWriteAFamilyIsEnoughForTransactionsOnIt() throws Exception {
    try (LamponeClient client = clientOf("family")) {
      writeInTwoRegions(client, "family");
      fastPath(client, "family");
      AtomicInteger attempts = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  client.run(
                      tx -> {
                        put(tx, "a", G);
                        return attempts.incrementAndGet();
                      }))
          .hasMessageStartingWith("LP-401")
          .hasStackTraceContaining("AccessDeniedException");
      assertThat(attempts).as("a new transaction would be denied, too").hasValue(1);
    }
  }

  @Test
  void theRightToReadAndWriteAColumnIsEnoughForTransactionsOnIt() throws Exception {
    try (LamponeClient client = clientOf("column")) {
      writeInTwoRegions(client, "column");
      fastPath(client, "column");
    }
  }

  @Test
  void theRightToReadAFamilyIsEnoughToReadIt() throws Exception {
    owner.run(
        tx -> {
          put(tx, "reader-1", F);
          put(tx, "reader-1", G);
          return null;
        });
    try (LamponeClient client = clientOf("reader")) {
      byte[] row = bytes("reader-1");
      assertThat(client.fastPath().table(TABLE).get(new Get(row).addFamily(F)).size()).isOne();
      try (Transaction tx = client.readOnly();
          Table table = tx.table(TABLE)) {
        assertThat(table.get(new Get(row).addFamily(F)).size()).isOne();
        // As in HBase: unreadable columns are left out.
        assertThat(table.get(new Get(row)).size()).isOne();
        try (ResultScanner scanner =
            table.getScanner(new Scan().addFamily(F).withStartRow(row).withStopRow(row, true))) {
          Result result = scanner.next();
          assertThat(result.size()).isOne();
          assertThat(scanner.next()).isNull();
        }
      }
      assertThatThrownBy(() -> client.fastPath().table(TABLE).put(new Put(row).addColumn(F, Q, Q)))
          .hasStackTraceContaining("AccessDeniedException");
    }
  }

  /** It is certified by a read of the same columns: no right to write them is needed. */
  @Test
  void theRightToReadIsEnoughForASerializableTransactionToReadARow() throws Exception {
    TransactionOptions serializable =
        TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);
    try (LamponeClient client = clientOf("mixed")) {
      for (Get get :
          List.of(
              new Get(bytes("certified")).addFamily(G),
              new Get(bytes("certified")).addColumn(G, Q))) {
        try (Transaction tx = client.begin(serializable)) {
          tx.table(TABLE).get(get);
          put(tx, "other", F);
          tx.commit();
        }
        try (Transaction tx = client.begin(serializable)) {
          tx.table(TABLE).get(get);
          owner.fastPath().table(TABLE).put(new Put(get.getRow()).addColumn(G, Q, Q));
          put(tx, "other", F);
          assertThatThrownBy(tx::commit).isInstanceOf(ConflictException.class);
        }
      }
    }
    Map<Bytes, Set<Bytes>> unreadable = Map.of(Bytes.of(G), Set.of());
    CertifyRequest request =
        new CertifyRequest(
            Timestamps.PLAIN_LIMIT,
            Timestamps.PLAIN_LIMIT + Timestamps.TICK,
            0,
            ConflictLevel.CELL,
            IssueProof.NONE);
    PrivilegedExceptionAction<Result> asking =
        () -> {
          try (Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
              Table table = hbase.getTable(TABLE)) {
            return table.get(Carrier.certifyGet(Bytes.of(bytes("a")), unreadable, request));
          }
        };
    assertThatThrownBy(() -> UserGroupInformation.createRemoteUser("column").doAs(asking))
        .hasStackTraceContaining("AccessDeniedException");
  }

  /** A scan that may omit columns that its user may not read, and a certification that may not. */
  @Test
  void theRightToReadIsEnoughForASerializableTransactionToScan() throws Exception {
    Scan family = new Scan().withStartRow(bytes("r")).withStopRow(bytes("s"));
    for (Map.Entry<String, Scan> reader :
        Map.of(
                "mixed", new Scan(family).addFamily(G),
                "column", new Scan(family).addColumn(F, Q))
            .entrySet()) {
      byte[] read = reader.getValue().getFamilies()[0];
      try (LamponeClient client = clientOf(reader.getKey())) {
        for (boolean changes : new boolean[] {false, true}) {
          try (Transaction tx =
              client.begin(TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE))) {
            assertThat(tx.table(TABLE).getScanner(reader.getValue()).next()).isNull();
            put(tx, "scanned", F);
            Put phantom = new Put(bytes("r-" + reader.getKey())).addColumn(read, Q, Q);
            if (changes) {
              owner.fastPath().table(TABLE).put(phantom);
              assertThatThrownBy(tx::commit).isInstanceOf(ConflictException.class);
            } else {
              tx.commit();
            }
          }
        }
      }
    }
    try (LamponeClient client = clientOf("column");
        Transaction tx =
            client.begin(TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE))) {
      // As HBase does, it shows the column that may be read; that is not the whole range.
      tx.table(TABLE).getScanner(new Scan(family).addFamily(F)).next();
      put(tx, "scanned", F);
      assertThatThrownBy(tx::commit).hasStackTraceContaining("AccessDeniedException");
    }
  }

  /**
   * A transaction that was validated and not committed when its client died is below every later
   * snapshot. Its commit entry lies in a table that the reader may not read; the readable row
   * contains all that the reader needs.
   */
  @Test
  void whoMayReadMeetsADeadWritersIntentWhoseLeaderLiesElsewhere() throws Exception {
    TransactionId id = dieHavingPassed(SECRET, "secret-row", "reader-2");
    try (LamponeClient client = clientOf("reader");
        Transaction tx = client.readOnly();
        Table table = tx.table(TABLE)) {
      Get get = new Get(bytes("reader-2")).addColumn(F, Q);
      assertThat(pointedTo("reader", get, tx.startTimestamp())).doesNotContain("secret");
      long begun = System.nanoTime();
      assertThat(table.get(get).value()).isEqualTo(bytes("v"));
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(9));
      Get denied = new Get(bytes("secret-row")).addColumn(F, Q);
      assertThatThrownBy(() -> client.fastPath().table(SECRET).get(denied))
          .hasStackTraceContaining("AccessDeniedException");
    }
    assertThat(owner.status(id)).isInstanceOf(TransactionOutcome.Committed.class);
  }

  /** Returns a region server's whole reply to a reader that has not resolved any intent. */
  private static String pointedTo(String user, Get get, long snapshot) throws Exception {
    Get asked = new Get(get);
    IssueProof issued = IssueProof.Begun.of(Proofs.OPEN.grant(snapshot, 0));
    ReadRequest request = new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of(), issued);
    asked.setAttribute(ReadRequest.ATTRIBUTE, request.encode());
    try (Connection hbase = connectionOf(user);
        Table table = hbase.getTable(TABLE)) {
      StringBuilder answer = new StringBuilder();
      for (Cell cell : table.get(asked).rawCells()) {
        assertThat(Carrier.isPointer(cell) || Carrier.isProof(cell)).isTrue();
        answer.append(cell).append(new String(CellUtil.cloneValue(cell), ISO_8859_1));
      }
      return answer.toString();
    }
  }

  /** A user with the right to read the leader and not to write it. */
  @Test
  void whoMayReadOnlyMeetsADeadWritersLeader() throws Exception {
    TransactionId id = dieHavingPassed(TABLE, "reader-3", "reader-4");
    try (LamponeClient client = clientOf("reader");
        Transaction tx = client.readOnly();
        Table table = tx.table(TABLE)) {
      for (String row : List.of("reader-3", "reader-4")) {
        assertThat(table.get(new Get(bytes(row)).addColumn(F, Q)).value()).isEqualTo(bytes("v"));
      }
    }
    assertThat(owner.status(id)).isInstanceOf(TransactionOutcome.Committed.class);
  }

  /** Leaves a transaction validated, without an end. */
  private static TransactionId dieHavingPassed(TableName table, String leader, String follower)
      throws IOException {
    Configuration eager = new Configuration(cluster.configuration());
    eager.set("lampone.client.buffer.bytes", "0");
    eager.set("lampone.client.close.timeout", "0");
    TransactionOptions hasty =
        TransactionOptions.DEFAULT.withTimeout(Duration.ofSeconds(5)).withRetries(0);
    try (Faults.Active fault = Faults.add(refusing());
        LamponeClient doomed = LamponeClient.connect(eager);
        Transaction tx = doomed.begin(hasty)) {
      put(tx, table, leader);
      put(tx, TABLE, follower);
      assertThatThrownBy(tx::commit).isInstanceOf(CommitOutcomeUnknownException.class);
      return tx.id().orElseThrow();
    }
  }

  /** Every commit of a leader, and every abort. */
  private static Faults.Fault refusing() {
    return new Faults.Fault() {
      @Override
      public void before(RegionInfo region, RegionRequest request) throws IOException {
        if (request instanceof CommitLeader || request instanceof AbortLeader) {
          throw Faults.refusal();
        }
      }
    };
  }

  private static void put(Transaction tx, TableName name, String row) throws IOException {
    try (Table table = tx.table(name)) {
      table.put(new Put(bytes(row)).addColumn(F, Q, bytes("v")));
    }
  }

  @Test
  void aStrangerLearnsNothing() throws Exception {
    try (LamponeClient client = clientOf("stranger")) {
      assertThatThrownBy(() -> client.fastPath().table(TABLE).get(new Get(F)))
          .hasStackTraceContaining("AccessDeniedException");
    }
  }

  private static void writeInTwoRegions(LamponeClient client, String user) throws IOException {
    client.run(
        tx -> {
          put(tx, "a-" + user, F);
          put(tx, "z-" + user, F);
          return null;
        });
    try (Transaction tx = client.begin();
        Table table = tx.table(TABLE)) {
      assertThat(table.get(new Get(bytes("z-" + user)).addColumn(F, Q)).size()).isOne();
      put(tx, "y-" + user, F);
      tx.rollback();
    }
    try (Transaction tx = owner.readOnly();
        Table table = tx.table(TABLE)) {
      assertThat(table.get(new Get(bytes("a-" + user))).size()).isOne();
      assertThat(table.get(new Get(bytes("y-" + user))).isEmpty()).isTrue();
    }
  }

  private static void fastPath(LamponeClient client, String user) throws IOException {
    byte[] row = bytes("fast-" + user);
    client.fastPath().table(TABLE).put(new Put(row).addColumn(F, Q, bytes("v")));
    assertThat(client.fastPath().table(TABLE).get(new Get(row).addColumn(F, Q)).value())
        .isEqualTo(bytes("v"));
  }

  private static void put(Transaction tx, String row, byte[] family) throws IOException {
    try (Table table = tx.table(TABLE)) {
      table.put(new Put(bytes(row)).addColumn(family, Q, bytes("v")));
    }
  }

  /** A scan that forbids pointers: its refusal reveals no more than a pointer would. */
  @Test
  void aRefusedScanNamesTheIntentThatCameByAndNoRowElsewhere() throws Exception {
    Transaction writer = owner.begin();
    for (TableName name : List.of(SECRET, TABLE)) {
      for (String row : List.of("refused-1", "refused-2")) {
        writer.table(name).put(new Put(bytes(row)).addColumn(F, Q, bytes("v")));
      }
      try (ResultScanner flushing = writer.table(name).getScanner(new Scan().addFamily(F))) {
        assertThat(flushing.next()).isNotNull();
      }
    }
    Scan scan =
        new Scan().addFamily(F).withStartRow(bytes("refused-")).withStopRow(bytes("refused-9"));
    try (LamponeClient client = clientOf("reader");
        Connection hbase = connectionOf("reader");
        Table table = hbase.getTable(TABLE)) {
      EngineTransaction reader = client.engine().begin(TransactionOptions.DEFAULT);
      try (ResultScanner scanner = reader.getScanner(table, scan, 0, true)) {
        assertThat(scanner.next()).isNull();
      }
      List<UndecidedIntents.Met> named = refused(table, scan, reader.startTimestamp());
      assertThat(named).hasSize(1);
      assertThat(named.get(0).row().toUtf8()).isEqualTo("refused-1");
      assertThat(named.get(0).leader().orElseThrow().row().toUtf8()).doesNotContain("refused");
    }
    writer.rollback();
  }

  /** Returns the intents for which a scan that forbids pointers is refused. */
  private static List<UndecidedIntents.Met> refused(Table table, Scan scan, long snapshot)
      throws IOException {
    ReadRequest unjudged = new ReadRequest(snapshot, false, 0, SlotSet.NONE, Map.of());
    Scan raw = new Scan(scan).addFamily(Reserved.PROOF_FAMILY.toArray());
    raw.setAttribute(ReadRequest.ATTRIBUTE, unjudged.encode());
    raw.setAttribute(ReadRequest.REFUSE_ATTRIBUTE, new byte[] {1});
    try (ResultScanner scanner = table.getScanner(raw)) {
      return UndecidedIntents.in(RefusalException.in(catchThrowable(scanner::next)).orElseThrow())
          .all();
    }
  }

  /** HBase hides a column by a filter, which sees only visible cells and so not these. */
  @Test
  void anIntentInAColumnThatMayNotBeReadIsNotPointedTo() throws Exception {
    byte[] salary = bytes("salary");
    try (Transaction writer = owner.begin();
        Table written = writer.table(TABLE)) {
      written.put(new Put(bytes("hidden-1")).addColumn(F, salary, bytes("v")));
      written.put(new Put(bytes("hidden-2")).addColumn(F, Q, bytes("v")));
      try (ResultScanner flushing = written.getScanner(new Scan().addFamily(F))) {
        assertThat(flushing.next()).isNotNull();
      }
      long snapshot = owner.begin().startTimestamp();
      Get hidden = new Get(bytes("hidden-1")).addFamily(F);
      assertThat(pointedTo("reader", hidden, snapshot)).contains("salary");
      assertThat(pointedTo("column", hidden, snapshot)).doesNotContain("salary");
      Get shown = new Get(bytes("hidden-2")).addFamily(F);
      assertThat(pointedTo("column", shown, snapshot)).contains("/f:q/");
      Scan scan =
          new Scan().addFamily(F).withStartRow(bytes("hidden-")).withStopRow(bytes("hidden-9"));
      try (Connection hbase = connectionOf("column");
          Table table = hbase.getTable(TABLE)) {
        List<UndecidedIntents.Met> named = refused(table, scan, snapshot);
        assertThat(named).extracting(met -> met.row().toUtf8()).containsExactly("hidden-2");
        // The version of the row and a leader elsewhere reveal hidden columns, too.
        Get version = new Get(bytes("a")).addFamily(F);
        version.setAttribute(FastReadRequest.ATTRIBUTE, FastReadRequest.of(0, 0, true).encode());
        assertThatThrownBy(() -> table.get(version)).isInstanceOf(AccessDeniedException.class);
        Get leader = new Get(bytes("a")).addColumn(F, Q);
        leader.setAttribute(
            LeaderReadRequest.ATTRIBUTE,
            new LeaderReadRequest(snapshot, 0, Bytes.wrap(G)).encode());
        assertThatThrownBy(() -> table.get(leader)).isInstanceOf(AccessDeniedException.class);
      }
    }
  }

  private static Connection connectionOf(String user) throws Exception {
    return UserGroupInformation.createRemoteUser(user)
        .doAs(
            (PrivilegedExceptionAction<Connection>)
                () -> ConnectionFactory.createConnection(cluster.configuration()));
  }

  private static LamponeClient clientOf(String user) throws Exception {
    return UserGroupInformation.createRemoteUser(user)
        .doAs(
            (PrivilegedExceptionAction<LamponeClient>)
                () -> LamponeClient.connect(cluster.configuration()));
  }
}
