package io.lampone.coprocessor;

import static io.lampone.coprocessor.FastTable.F;
import static io.lampone.coprocessor.FastTable.Q;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.TableRetention;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Reserved;
import io.lampone.protocol.request.FastCondition.Always;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Where nothing but values that are committed at birth is stored, HBase answers a snapshot by
 * itself; and not where something else is, or comes while it reads. That it then says what the
 * filter says is shown by {@link RandomReadsIT}.
 */
@ExtendWith(ClusterExtension.class)
class RestingReadsIT {

  private static final Bytes G = Bytes.utf8("g");
  private static final Bytes ROW = Bytes.utf8("r");
  private static final Bytes ROW2 = Bytes.utf8("s");

  private final TinyCluster cluster;
  private final Ticks ticks;
  private final long base;

  private TestTable table;
  private FastTable fast;

  RestingReadsIT(TinyCluster cluster) {
    this.cluster = cluster;
    this.ticks = cluster.ticks();
    this.base = ticks.next();
  }

  /** How a row is read. */
  enum Way {
    GET,
    SCAN;

    List<String> read(RestingReadsIT test, long snapshot) throws IOException {
      if (this == GET) {
        return test.fast.snapshot(ROW, snapshot);
      }
      return test.scan(new Scan(), snapshot);
    }
  }

  @BeforeEach
  void createTable() throws Exception {
    cluster.publish(Ticks.record(base, base));
    table = new TestTable(cluster.connection(), "rest-" + System.nanoTime());
    table.createPlain(null, "f", "g");
    table.enable(TestTable.enabled(ConflictLevel.ROW, base));
    fast = new FastTable(cluster, table, base);
  }

  @AfterEach
  void leaveNothing() {
    TestObserver.hasHappened();
  }

  @Test
  void aFamilyIsAtRestBetweenAMajorCompactionAndTheNextWrite() throws Exception {
    fast.put(ROW, "v");
    assertThat(isAtRest(F, G)).isFalse();
    fast.region().flush(true);
    assertThat(isAtRest(F)).as("written by a flush").isFalse();
    rest();
    assertThat(isAtRest(F, G)).isTrue();
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("v");
    assertThat(scan(new Scan(), ticks.next())).containsExactly("v");
    assertThat(isAtRest(F, G)).as("nothing is written by reading").isTrue();
    fast.put(ROW2, "w");
    assertThat(isAtRest(F)).isFalse();
    assertThat(isAtRest(G)).as("has no part in it").isTrue();
    assertThat(scan(new Scan(), ticks.next())).containsExactly("v", "w");
    rest();
    assertThat(isAtRest(F, G)).isTrue();
    assertThat(scan(new Scan(), ticks.next())).containsExactly("v", "w");
  }

  /** The intent is below the snapshot, so HBase alone would show it. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void anIntentThatComesBeforeTheScannerIsNotShown(Way way) throws Exception {
    fast.put(ROW, "old");
    rest();
    final long start = ticks.next();
    final long snapshot = ticks.next();
    assertThat(isAtRest(F, G)).isTrue();
    interfere(() -> table.send(fast.flush(start, ROW)));
    assertThat(way.read(this, snapshot)).containsExactly("pointer");
    assertThat(TestObserver.hasHappened()).isTrue();
  }

  /** As above; but when one looks again, the memstore is empty. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void anIntentThatIsFlushedBeforeTheScannerIsNotShown(Way way) throws Exception {
    fast.put(ROW, "old");
    rest();
    final long start = ticks.next();
    final long snapshot = ticks.next();
    interfere(
        () -> {
          table.send(fast.flush(start, ROW));
          fast.region().flush(true);
        });
    assertThat(way.read(this, snapshot)).containsExactly("pointer");
    assertThat(TestObserver.hasHappened()).isTrue();
    fast.region().compact(true);
    assertThat(isAtRest(F)).as("an intent is compacted").isFalse();
    assertThat(way.read(this, snapshot)).containsExactly("pointer");
  }

  /** It would see what was not there when the scan was found to be at rest. */
  @Test
  void aScannerThatAnotherObserverOpensAnewShowsNoIntent() throws Exception {
    addReopeningObserver();
    fast.put(ROW, "old");
    fast.put(ROW2, "older");
    rest();
    final long start = ticks.next();
    final long snapshot = ticks.next();
    assertThat(isAtRest(F, G)).isTrue();
    assertThat(scan(new Scan().setCaching(1), snapshot)).containsExactly("old", "older");
    ReopeningObserver.behindNextRow(unchecked(() -> table.send(fast.flush(start, ROW2))));
    assertThat(scan(new Scan().setCaching(1), snapshot)).containsExactly("old", "pointer");
  }

  /** The scan is not at rest: its filter is in every scanner that is opened with it. */
  @Test
  void norDoesItWhereTheFilterReads_andItIsCheckedAtEveryBatch() throws Exception {
    addReopeningObserver();
    fast.put(ROW, "old");
    fast.put(ROW2, "older");
    final long start = ticks.next();
    final long snapshot = ticks.next();
    ReopeningObserver.behindNextRow(unchecked(() -> table.send(fast.flush(start, ROW2))));
    assertThat(scan(new Scan().setCaching(1), snapshot)).containsExactly("old", "pointer");
    ReopeningObserver.behindNextRow(this::raiseSafePoint);
    FastTable.refused(Code.BELOW_SAFE_POINT, () -> scan(new Scan().setCaching(1), snapshot));
  }

  private void addReopeningObserver() throws IOException {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.name()))
              .setCoprocessor(ReopeningObserver.class.getName())
              .build());
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aSnapshotThatFallsBelowTheSafePointMeanwhileIsRefused(Way way) throws Exception {
    fast.put(ROW, "v");
    rest();
    long snapshot = ticks.next();
    interfere(() -> raiseSafePoint());
    FastTable.refused(Code.BELOW_SAFE_POINT, () -> way.read(this, snapshot));
    assertThat(TestObserver.hasHappened()).isTrue();
  }

  /** Versions above the safe point are seen by some readable snapshots only: by their number. */
  @Test
  void whatIsCommittedAtBirthAboveTheSafePointIsSeenByThoseAboveIt() throws Exception {
    fast.put(ROW, "old");
    raiseSafePoint();
    final long between = ticks.next();
    assertThat(fast.snapshot(ROW, between)).containsExactly("old");
    fast.put(ROW, "new");
    fast.region().flush(true);
    fast.region().compact(true);
    assertThat(isAtRest(F)).isTrue();
    for (Way way : Way.values()) {
      assertThat(way.read(this, between)).containsExactly("old");
      assertThat(way.read(this, ticks.next())).containsExactly("new");
    }
  }

  /** Its version is no commit timestamp. */
  @Test
  void whatIsCommittedAboveTheSafePointByARegularTransactionIsNotAtRest() throws Exception {
    fast.put(ROW, "old");
    raiseSafePoint();
    final long start = ticks.next();
    final long between = ticks.next();
    table.send(fast.flush(start, ROW));
    long commit = ticks.next();
    table.send(TestTable.commit(start, base, ROW, F, commit));
    fast.region().flush(true);
    fast.region().compact(true);
    assertThat(isAtRest(F)).isFalse();
    for (Way way : Way.values()) {
      assertThat(way.read(this, between)).containsExactly("old");
      assertThat(way.read(this, ticks.next())).containsExactly("tentative");
    }
  }

  /** A tombstone hides what has a lower number. */
  @Test
  void aTombstoneIsNotAtRest() throws Exception {
    fast.put(ROW, "old");
    raiseSafePoint();
    assertThat(fast.snapshot(ROW, ticks.next())).as("raises the clock").containsExactly("old");
    fast.put(ROW2, "w");
    fast.run(
        fast.operation(
            ROW, new Always(), new Mutation(Kind.DELETE_FAMILY, F, Bytes.EMPTY, Bytes.EMPTY)));
    fast.region().flush(true);
    fast.region().compact(true);
    assertThat(isAtRest(F)).isFalse();
    assertThat(scan(new Scan(), ticks.next())).containsExactly("w");
    rest();
    assertThat(isAtRest(F)).isTrue();
    assertThat(scan(new Scan(), ticks.next())).containsExactly("w");
  }

  /** Another server has not written the files, so it does not know what is in them. */
  @Test
  void aRegionThatHasMovedIsAtRestAfterItsNextMajorCompaction() throws Exception {
    fast.put(ROW, "v");
    rest();
    assertThat(isAtRest(F)).isTrue();
    fast.move();
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("v");
    assertThat(isAtRest(F)).isFalse();
    rest();
    assertThat(isAtRest(F)).isTrue();
    assertThat(fast.snapshot(ROW, ticks.next())).containsExactly("v");
  }

  /** Frozen, and still: one snapshot sees the value, a later one does not. */
  @Test
  void aValueThatExpiresIsNotShownByHBaseAlone() throws Exception {
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.modifyColumnFamily(
          table.name(),
          TableRetention.expiring(
                  admin.getDescriptor(table.name()).getColumnFamily(F.toArray()),
                  Duration.ofMillis(1))
              .build());
    }
    fast.put(ROW, "v");
    rest();
    assertThat(isAtRest(F)).as("all of it is frozen").isTrue();
    long soon = ticks.next();
    long late = soon;
    while (late < soon + TimeUnit.MILLISECONDS.toNanos(2)) {
      late = ticks.next();
    }
    for (Way way : Way.values()) {
      assertThat(way.read(this, soon)).containsExactly("v");
      assertThat(way.read(this, late)).isEmpty();
    }
  }

  /** The ticks of these tests are of January 2027, which is not what the server's clock shows. */
  @Test
  void whatHasExpiredStaysInTheFilesWhileTheClocksAreFarApart() throws Exception {
    long apartMillis = Math.abs(System.currentTimeMillis() - Ticks.BASE / 1_000_000);
    assertThat(apartMillis).isGreaterThan(120_000);
    try (Admin admin = cluster.connection().getAdmin()) {
      admin.modifyColumnFamily(
          table.name(),
          TableRetention.expiring(
                  admin.getDescriptor(table.name()).getColumnFamily(F.toArray()),
                  Duration.ofMillis(1))
              .build());
    }
    fast.put(ROW, "v");
    long written = ticks.next();
    long late = written;
    while (late < written + TimeUnit.MILLISECONDS.toNanos(2)) {
      late = ticks.next();
    }
    rest();
    assertThat(fast.snapshot(ROW, ticks.next())).as("readers go by timestamps").isEmpty();
    long stored =
        fast.region().getStore(F.toArray()).getStorefiles().stream()
            .mapToLong(file -> file.getReader().getEntries())
            .sum();
    assertThat(stored).isPositive();
  }

  @Test
  void theApplicationsFilterIsAskedAsEver() throws Exception {
    fast.put(ROW, "v");
    fast.put(ROW2, "w");
    rest();
    assertThat(scan(new Scan().setFilter(new PageFilter(1)), ticks.next())).containsExactly("v");
    assertThat(scan(new Scan().setReversed(true), ticks.next())).containsExactly("w", "v");
  }

  @Test
  void aReservedColumnIsRefusedAtRestToo() throws Exception {
    fast.put(ROW, "v");
    rest();
    Get get = new Get(ROW.toArray()).addColumn(F.toArray(), Reserved.TRANSACTION.toArray());
    FastTable.refused(Code.UNSUPPORTED, () -> table.get(get, fast.at(ticks.next())));
    Scan scan = new Scan().addColumn(F.toArray(), Reserved.TRANSACTION.toArray());
    FastTable.refused(Code.UNSUPPORTED, () -> scan(scan, ticks.next()));
  }

  /** What a client has put under the server's own name counts for nothing. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void whatAClientSaysAboutRestIsNotBelieved(Way way) throws Exception {
    fast.put(ROW, "old");
    table.send(fast.flush(ticks.next(), ROW));
    long snapshot = ticks.next();
    Predicate<String> onlyPointer = "pointer"::equals;
    if (way == Way.GET) {
      Get get = new Get(ROW.toArray());
      get.setAttribute("lampone.resting", new byte[16]);
      assertThat(FastTable.texts(table.get(get, fast.at(snapshot))))
          .isNotEmpty()
          .allMatch(onlyPointer);
    } else {
      Scan scan = new Scan();
      scan.setAttribute("lampone.resting", new byte[16]);
      assertThat(scan(scan, snapshot)).isNotEmpty().allMatch(onlyPointer);
    }
  }

  /** HBase alone answers there; a mark of ours must not make it fail, with a line in the log. */
  @Test
  void whatAClientSaysAboutRestHarmsNoTableThatIsNotTransactional() throws Exception {
    TestTable plain = new TestTable(cluster.connection(), "restless-" + System.nanoTime());
    plain.createPlain(null, "f");
    try (Admin admin = cluster.connection().getAdmin();
        Table client = cluster.connection().getTable(plain.name())) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(plain.name()))
              .setCoprocessor(TransactionObserver.class.getName())
              .build());
      Get get = new Get(ROW.toArray());
      get.setAttribute("lampone.resting", new byte[16]);
      assertThat(client.get(get).isEmpty()).isTrue();
    }
  }

  /** A value of a put in a family of its own. */
  @Test
  void anEmptyFamilyIsAtRest() throws Exception {
    fast.put(ROW, "v");
    assertThat(isAtRest(G)).isTrue();
    fast.run(fast.operation(ROW, new Always(), new Mutation(Kind.PUT, G, Q, Bytes.utf8("in g"))));
    assertThat(isAtRest(G)).isFalse();
    Get get = new Get(ROW.toArray()).addFamily(G.toArray());
    assertThat(FastTable.texts(table.get(get, fast.at(ticks.next())))).containsExactly("in g");
  }

  private List<String> scan(Scan scan, long snapshot) throws IOException {
    List<String> texts = new ArrayList<>();
    for (List<Cell> cells : table.scan(scan, fast.at(snapshot))) {
      texts.addAll(FastTable.texts(cells));
    }
    return texts;
  }

  private interface Interference {
    void happen() throws IOException;
  }

  private static void interfere(Interference what) {
    TestObserver.beforeNextScanner(unchecked(what));
  }

  private static Runnable unchecked(Interference what) {
    return () -> {
      try {
        what.happen();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }

  /** Everything that has been written is frozen, or was committed at birth. */
  private void rest() throws Exception {
    raiseSafePoint();
    HRegion region = fast.region();
    region.flush(true);
    region.compact(true);
  }

  private void raiseSafePoint() {
    long safePoint = ticks.next();
    cluster.publish(Ticks.record(base, safePoint));
    TinyCluster.await(() -> open().safePointOfServer() >= safePoint);
  }

  private boolean isAtRest(Bytes... families) {
    Set<byte[]> names = new TreeSet<>(org.apache.hadoop.hbase.util.Bytes.BYTES_COMPARATOR);
    for (Bytes family : families) {
      names.add(family.toArray());
    }
    return open().committedFiles().look(fast.region(), names) != FrozenFamilies.NOT_AT_REST;
  }

  private OpenRegion open() {
    TestObserver observer =
        (TestObserver) fast.region().getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
    return observer.open();
  }
}
