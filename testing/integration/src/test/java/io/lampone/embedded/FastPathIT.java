package io.lampone.embedded;

import static io.lampone.embedded.RunningCluster.COLUMN;
import static io.lampone.embedded.RunningCluster.FAMILY;
import static io.lampone.embedded.RunningCluster.OTHER_FAMILY;
import static io.lampone.embedded.RunningCluster.bytes;
import static io.lampone.embedded.RunningCluster.get;
import static io.lampone.embedded.RunningCluster.put;
import static io.lampone.embedded.RunningCluster.putOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.client.CausalToken;
import io.lampone.client.ClientMetrics;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathResult.Committed;
import io.lampone.client.fastpath.FastPathResult.ConditionFalse;
import io.lampone.client.fastpath.FastPathResult.Conflict;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.fastpath.RowRead;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The fast path as applications use it, on real region servers, each operation by itself. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FastPathIT {

  /** Longest wait on a busy machine. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Rows below it are on the first server, the others on the second. */
  private static final String BORDER = "m";

  @TempDir private static Path directory;

  private static RunningCluster cluster;
  private static LamponeClient client;

  private TableName table;
  private FastPathTable fast;

  @BeforeAll
  static void start() throws IOException {
    cluster = RunningCluster.start(directory);
    client = cluster.client();
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void createTable(TestInfo test) throws IOException {
    String name = test.getTestMethod().orElseThrow().getName();
    table = twoServers(name.substring(0, Math.min(name.length(), 40)), ConflictLevel.ROW);
    fast = client.fastPath().table(table);
    // Regions that have just opened wait for the transaction manager; later ones do not. A region's
    // opening timestamp is the newest tick at its first write: older transactions do not commit
    // there in one call.
    fast.put(putOf("0warm", "1"));
    fast.put(putOf("zwarm", "1"));
  }

  private static TableName twoServers(String name, ConflictLevel level) throws IOException {
    TableName created = cluster.createTable(name, level, BORDER);
    try (Connection connection =
        ConnectionFactory.createConnection(cluster.hbase().configuration())) {
      List<RegionInfo> regions = connection.getAdmin().getRegions(created);
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i);
      }
    }
    return created;
  }

  @Test
  void whatIsPutIsReadAndSeenByTransactionsAndDeletedAgain() throws IOException {
    Committed put = fast.put(putOf("a", "1"));
    assertThat(Timestamps.local(put.version())).isGreaterThanOrEqualTo(128);
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("1");
    try (Transaction tx = client.begin()) {
      assertThat(get(tx, table, "a")).isEqualTo("1");
    }
    Committed delete = fast.delete(new Delete(bytes("a")));
    assertThat(delete.version()).isGreaterThan(put.version());
    assertThat(fast.get(new Get(bytes("a"))).isEmpty()).isTrue();
    try (Transaction tx = client.begin()) {
      assertThat(get(tx, table, "a")).isEqualTo("-");
    }
  }

  @Test
  void aDeleteOfAColumnOrAFamilyLeavesTheRest() throws IOException {
    fast.put(
        new Put(bytes("a"))
            .addColumn(FAMILY, COLUMN, bytes("1"))
            .addColumn(FAMILY, bytes("kept"), bytes("2"))
            .addColumn(OTHER_FAMILY, COLUMN, bytes("3")));
    fast.delete(new Delete(bytes("a")).addColumns(FAMILY, COLUMN));
    Result left = fast.get(new Get(bytes("a")));
    assertThat(left.size()).isEqualTo(2);
    fast.delete(new Delete(bytes("a")).addFamily(OTHER_FAMILY));
    assertThat(fast.get(new Get(bytes("a"))).getValue(FAMILY, bytes("kept"))).isEqualTo(bytes("2"));
    assertThat(fast.get(new Get(bytes("a"))).size()).isOne();
  }

  @Test
  void incrementsAndAppendsReturnWhatTheyLeft() throws IOException {
    for (long expected = 1; expected <= 3; expected++) {
      Committed done = fast.increment(new Increment(bytes("n")).addColumn(FAMILY, COLUMN, 1));
      assertThat(Bytes.toLong(done.result().getValue(FAMILY, COLUMN))).isEqualTo(expected);
    }
    fast.append(new Append(bytes("t")).addColumn(FAMILY, COLUMN, bytes("ab")));
    Committed appended = fast.append(new Append(bytes("t")).addColumn(FAMILY, COLUMN, bytes("c")));
    assertThat(value(appended.result())).isEqualTo("abc");
    assertThat(value(fast.get(new Get(bytes("t"))))).isEqualTo("abc");
  }

  @Test
  void aColumnThatHoldsNoNumberIsNotIncrementedAndTheMessageSaysWhy() throws IOException {
    fast.put(putOf("a", "text"));
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(() -> fast.increment(new Increment(bytes("a")).addColumn(FAMILY, COLUMN, 1)))
        .withMessageContaining("8 bytes")
        .extracting(LamponeException::code)
        .isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void aConditionalWriteGoesThroughOnceAndFindsAnyLaterCommit() throws IOException {
    RowRead absent = fast.readForUpdate(new Get(bytes("a")));
    assertThat(absent.version().timestamp()).isZero();
    assertThat(fast.putIf(putOf("a", "1"), absent.version())).isInstanceOf(Committed.class);
    FastPathResult again = fast.putIf(putOf("a", "2"), absent.version());
    assertThat(again).isInstanceOf(Conflict.class);

    RowRead read = fast.readForUpdate(new Get(bytes("a")));
    assertThat(value(read.result())).isEqualTo("1");
    assertThat(((Conflict) again).version()).isEqualTo(read.version().timestamp());
    client.run(
        tx -> {
          put(tx, table, "a", "by a transaction");
          return null;
        });
    assertThat(fast.deleteIf(new Delete(bytes("a")), read.version())).isInstanceOf(Conflict.class);
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("by a transaction");
  }

  @Test
  void aVersionOfAnotherRowIsRefused() throws IOException {
    RowRead read = fast.readForUpdate(new Get(bytes("a")));
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(() -> fast.putIf(putOf("b", "1"), read.version()))
        .withMessageContaining("another row");
  }

  @Test
  void atLevelCellAConditionCoversWhatWasRead() throws IOException {
    FastPathTable cells = client.fastPath().table(twoServers("cells", ConflictLevel.CELL));
    cells.put(putOf("a", "1"));
    RowRead column = cells.readForUpdate(new Get(bytes("a")).addColumn(FAMILY, COLUMN));
    RowRead row = cells.readForUpdate(new Get(bytes("a")));
    cells.put(new Put(bytes("a")).addColumn(FAMILY, bytes("other"), bytes("2")));
    assertThat(cells.putIf(putOf("a", "3"), row.version())).isInstanceOf(Conflict.class);
    assertThat(cells.putIf(putOf("a", "4"), column.version())).isInstanceOf(Committed.class);
  }

  @Test
  void checkAndMutateComparesAColumn() throws IOException {
    CheckAndMutate absent =
        CheckAndMutate.newBuilder(bytes("a")).ifNotExists(FAMILY, COLUMN).build(putOf("a", "1"));
    assertThat(fast.checkAndMutate(absent)).isInstanceOf(Committed.class);
    assertThat(fast.checkAndMutate(absent)).isEqualTo(new ConditionFalse());
    CheckAndMutate equal =
        CheckAndMutate.newBuilder(bytes("a"))
            .ifMatches(FAMILY, COLUMN, CompareOperator.EQUAL, bytes("1"))
            .build(
                RowMutations.of(
                    List.of(
                        putOf("a", "2"),
                        new Delete(bytes("a")).addColumns(FAMILY, bytes("other")))));
    assertThat(fast.checkAndMutate(equal)).isInstanceOf(Committed.class);
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("2");
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(
            () ->
                fast.checkAndMutate(
                    CheckAndMutate.newBuilder(bytes("a"))
                        .ifMatches(new PrefixFilter(bytes("a")))
                        .build(putOf("a", "3"))))
        .withMessageContaining("regular transaction");
  }

  @Test
  void aBatchHasOneResultForEachOperationInTheirOrder() throws IOException {
    fast.put(putOf("bad", "text"));
    List<FastPathResult> results =
        fast.applyAll(
            List.of(
                FastPathOperation.of(putOf("z", "1")),
                FastPathOperation.of(new Increment(bytes("bad")).addColumn(FAMILY, COLUMN, 1)),
                FastPathOperation.of(putOf("a", "1")),
                FastPathOperation.of(putOf("a", "2")),
                FastPathOperation.of(new Delete(bytes("z")))));
    assertThat(results.get(0).isCommitted()).isTrue();
    assertThat(results.get(1)).isInstanceOf(FastPathResult.Failed.class);
    assertThat(results.subList(2, 5)).allMatch(FastPathResult::isCommitted);
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("2");
    List<Result> read =
        fast.getAll(List.of(new Get(bytes("z")), new Get(bytes("a")), new Get(bytes("none"))));
    assertThat(read.get(0).isEmpty()).isTrue();
    assertThat(value(read.get(1))).isEqualTo("2");
    assertThat(read.get(2).isEmpty()).isTrue();
  }

  @Test
  void rowsOfOneRegionAreChangedTogetherOrNotAtAll() throws IOException {
    Committed together =
        (Committed)
            fast.applyTogether(
                List.of(
                    FastPathOperation.of(putOf("b", "1")), FastPathOperation.of(putOf("a", "1"))));
    RowRead a = fast.readForUpdate(new Get(bytes("a")));
    RowRead b = fast.readForUpdate(new Get(bytes("b")));
    assertThat(List.of(a.version().timestamp(), b.version().timestamp()))
        .containsOnly(together.version());
    fast.put(putOf("b", "2"));
    assertThat(
            fast.applyTogether(
                List.of(
                    FastPathOperation.of(putOf("a", "3")).ifUnchanged(a.version()),
                    FastPathOperation.of(putOf("b", "3")).ifUnchanged(b.version()))))
        .isInstanceOf(Conflict.class);
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("1");
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(
            () ->
                fast.applyTogether(
                    List.of(
                        FastPathOperation.of(putOf("a", "4")),
                        FastPathOperation.of(putOf("z", "4")))))
        .withMessageContaining("several regions")
        .extracting(LamponeException::code)
        .isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void nobodyAsksTheTransactionManagerOnTheWay() throws IOException {
    RowRead read = fast.readForUpdate(new Get(bytes("a")));
    long asked = client.metrics().managerRequests();
    for (int i = 0; i < 50; i++) {
      fast.put(putOf("b" + i, "1"));
      fast.increment(new Increment(bytes("z")).addColumn(FAMILY, COLUMN, 1));
      fast.getAll(List.of(new Get(bytes("b" + i)), new Get(bytes("z"))));
    }
    assertThat(fast.putIf(putOf("a", "1"), read.version())).isInstanceOf(Committed.class);
    fast.readForUpdate(new Get(bytes("a")));
    assertThat(client.metrics().managerRequests()).isEqualTo(asked);
    assertThat(client.metrics().operationLookups()).isZero();
    client.fastPath().strict().table(table).put(putOf("a", "2"));
    assertThat(client.metrics().managerRequests() - asked).isOne();
  }

  @Test
  void anOperationCostsOneCallAndABatchOneForEachServer() throws IOException {
    // A session with a mark below a region's opening needs one more call for it [E4].
    fast.putAll(List.of(putOf("a", "0"), putOf("z", "0")));
    ClientMetrics before = client.metrics();
    long[] calls = calls();
    fast.put(putOf("a", "1"));
    assertThat(calls()[2] - calls[2]).isOne();
    fast.get(new Get(bytes("a")));
    assertThat(calls()[0] - calls[0]).isOne();
    fast.putAll(List.of(putOf("a", "2"), putOf("b", "2"), putOf("y", "2"), putOf("z", "2")));
    assertThat(calls()[1] - calls[1]).isEqualTo(2);
    fast.getAll(List.of(new Get(bytes("a")), new Get(bytes("b")), new Get(bytes("z"))));
    assertThat(calls()[1] - calls[1]).isEqualTo(4);
    assertThat(client.metrics().fastWrites() - before.fastWrites()).isEqualTo(3);
    assertThat(client.metrics().fastReads() - before.fastReads()).isEqualTo(2);
  }

  private static long[] calls() {
    long[] sums = new long[3];
    for (int i = 0; i < 2; i++) {
      var server = cluster.hbase().regionServer(i).getMetrics().getRegionServerWrapper();
      sums[0] += server.getRpcGetRequestsCount();
      sums[1] += server.getRpcMultiRequestsCount();
      sums[2] += server.getRpcMutateRequestsCount();
    }
    return sums;
  }

  @Test
  void aTransactionOfOneRegionCommitsInOneCallWithoutTheManagerAndItsStatusIsKnown()
      throws IOException {
    Transaction tx = client.begin();
    // The manager's status counts prove nothing: healers query about leftovers of other tests.
    long validations = cluster.validationsAsked();
    ClientMetrics before = client.metrics();
    put(tx, table, "a", "1");
    put(tx, table, "b", "1");
    tx.commit();
    ClientMetrics after = client.metrics();
    assertThat(cluster.validationsAsked()).isEqualTo(validations);
    assertThat(after.managerRequests()).isEqualTo(before.managerRequests());
    assertThat(after.oneRegionCommits() - before.oneRegionCommits()).isOne();
    assertThat(after.flushRequests()).isEqualTo(before.flushRequests());
    assertThat(client.status(tx.id().orElseThrow()))
        .isEqualTo(new TransactionOutcome.Committed(tx.commitTimestamp().orElseThrow()));
    try (Transaction later = client.begin()) {
      assertThat(get(later, table, "a") + get(later, table, "b")).isEqualTo("11");
    }
  }

  @Test
  void aTransactionOfTwoRegionsOrWithTheOptionOffCommitsByIntents() throws IOException {
    ClientMetrics before = client.metrics();
    client.run(
        tx -> {
          put(tx, table, "a", "1");
          put(tx, table, "z", "1");
          return null;
        });
    client.run(
        TransactionOptions.DEFAULT.withoutOneRegionCommit(),
        tx -> {
          put(tx, table, "a", "2");
          return null;
        });
    assertThat(client.metrics().oneRegionCommits()).isEqualTo(before.oneRegionCommits());
    assertThat(client.metrics().flushBatches() - before.flushBatches()).isEqualTo(2);
  }

  @Test
  void aOneRegionCommitFindsAConflictAndTakesTheOrdinaryWayRoundAnIntent() throws IOException {
    try (Transaction late = client.begin()) {
      put(late, table, "a", "late");
      fast.put(putOf("a", "fast"));
      assertThatExceptionOfType(ConflictException.class).isThrownBy(late::commit);
    }
    // An intent without an end: the regular path adds its own next to it.
    try (LamponeClient streaming = cluster.connect("lampone.client.buffer.bytes", "0");
        Transaction open = streaming.begin();
        Transaction tx = client.begin()) {
      put(open, table, "a", "open");
      put(tx, table, "a", "through");
      tx.commit();
    }
    try (Transaction tx = client.begin()) {
      assertThat(get(tx, table, "a")).isEqualTo("through");
    }
  }

  /** After a regular commit the same client sees it, even before any healing. */
  @Test
  void aClientSeesItsOwnRegularCommitsAtOnce() throws IOException {
    for (int i = 0; i < 30; i++) {
      String value = Integer.toString(i);
      client.run(
          tx -> {
            put(tx, table, "a", value);
            put(tx, table, "z", value);
            return null;
          });
      assertThat(value(fast.get(new Get(bytes("z"))))).isEqualTo(value);
      assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo(value);
    }
  }

  /** Trap E5. */
  @Test
  void anIntentOfADeadClientDelaysAWriteForItsPatienceAndNoLonger() throws Exception {
    Transaction dead;
    try (LamponeClient streaming = cluster.connect("lampone.client.buffer.bytes", "0")) {
      dead = streaming.begin();
      put(dead, table, "a", "dead");
    }
    assertThat(fast.get(new Get(bytes("a"))).isEmpty()).isTrue();
    fast.put(putOf("a", "alive"));
    assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("alive");
    assertThat(client.status(dead.id().orElseThrow())).isEqualTo(new TransactionOutcome.Aborted());
  }

  @Test
  void aBlockedWriteSaysWhatToDo() throws IOException {
    try (LamponeClient streaming = cluster.connect("lampone.client.buffer.bytes", "0");
        LamponeClient patient =
            cluster.connect(
                "lampone.client.fast.path.patience",
                "1h",
                "lampone.client.operation.timeout",
                "1s");
        Transaction open = streaming.begin()) {
      put(open, table, "a", "open");
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> patient.fastPath().table(table).put(putOf("a", "blocked")))
          .withMessageContaining("regular transaction is in the way")
          .extracting(LamponeException::code)
          .isEqualTo(Code.BLOCKED);
      open.commit();
    }
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(value(fast.get(new Get(bytes("a"))))).isEqualTo("open"));
  }

  @Test
  void aTokenOrdersTwoClientsAndOneFromTheFutureIsRefused() throws IOException {
    try (LamponeClient other = cluster.connect()) {
      client.run(
          tx -> {
            put(tx, table, "a", "told");
            put(tx, table, "z", "told");
            return null;
          });
      other.observe(CausalToken.parse(client.causalToken().toString()));
      FastPathTable others = other.fastPath().table(table);
      assertThat(value(others.get(new Get(bytes("z"))))).isEqualTo("told");
      long version = others.put(putOf("a", "after")).version();
      assertThat(version).isGreaterThan(client.causalToken().timestamp());
      CausalToken forged = new CausalToken(Timestamps.MAX - Timestamps.TICK);
      assertThatExceptionOfType(LamponeException.class)
          .isThrownBy(() -> other.observe(forged))
          .withMessageContaining("future");
      others.put(putOf("a", "unharmed"));
    }
  }

  @Test
  void requestsThatMakeNoSenseSayWhatToDo() {
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(() -> fast.put(new Put(bytes("a")).addColumn(FAMILY, COLUMN, 1L, bytes("1"))))
        .extracting(LamponeException::code)
        .isEqualTo(Code.BAD_REQUEST);
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(
            () -> fast.put(new Put(bytes("a")).addColumn(bytes("none"), COLUMN, bytes("1"))))
        .withMessageContaining("no such column family");
    assertThatExceptionOfType(LamponeException.class)
        .isThrownBy(() -> client.fastPath().table("absent").put(putOf("a", "1")))
        .extracting(LamponeException::code)
        .isEqualTo(Code.TABLE_NOT_TRANSACTIONAL);
  }

  private static String value(Result row) {
    byte[] value = row.getValue(FAMILY, COLUMN);
    return value == null ? "-" : new String(value, StandardCharsets.UTF_8);
  }
}
