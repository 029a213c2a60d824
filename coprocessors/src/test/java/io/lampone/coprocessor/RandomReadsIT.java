package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.Carrier;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.trust.Fate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random transactions leave all that can be left behind in a table. Then every read of it at a
 * snapshot must give what HBase itself gives for a plain table that holds the visible cells.
 */
@ExtendWith(ClusterExtension.class)
class RandomReadsIT {

  /**
   * What is run unless another seed is asked for: a build fails for what has changed, not by
   * chance.
   */
  private static final long SEED = 8_933_599_720_557L;

  /** Asks for a seed that nobody has run yet. */
  private static final long ANY_SEED = 0;

  private static final int TRANSACTIONS = 60;
  private static final int OPEN_AT_ONCE = 4;
  private static final int SNAPSHOTS = Integer.getInteger("lampone.test.snapshots", 8);
  private static final int READS = Integer.getInteger("lampone.test.reads", 60);

  private final TinyCluster cluster;
  private Ticks ticks = new Ticks();
  private final long seed = seed();
  private final Random random = new Random(seed);
  private final List<RandomTransaction> all = new ArrayList<>();
  private final Map<Bytes, Long> lastCommit = new HashMap<>();
  private final List<Put> plain = new ArrayList<>();

  RandomReadsIT(TinyCluster cluster) {
    this.cluster = cluster;
  }

  private static long seed() {
    long asked = Long.getLong("lampone.test.seed", SEED);
    return asked == ANY_SEED ? new Random().nextLong() : asked;
  }

  @Test
  void readsGiveWhatAPlainTableOfTheVisibleCellsGives() throws Exception {
    System.out.println("lampone.test.seed=" + seed);
    cluster.publish(Ticks.record(Ticks.BASE, Ticks.BASE));
    TestTable table = new TestTable(cluster.connection(), "random");
    table.createPlain(null, "a", "b");
    writePlain(table, 20);
    table.enable(TestTable.enabled(ConflictLevel.ROW, Ticks.BASE));
    long first = countFrom(table);
    runTransactions(table);
    for (int i = 0; i < SNAPSHOTS; i++) {
      RandomTransaction own = random.nextInt(3) == 0 ? pending() : null;
      long snapshot =
          own != null
              ? own.start
              : first + 256L * (1 + random.nextInt((int) ((ticks.next() - first) / 256)));
      compare(table, snapshot, own, 1, i);
      compare(table, snapshot, own, 3, i);
    }
  }

  /** All of it is frozen by a compaction, so HBase answers without our filter where it may. */
  @Test
  void readsAtRestGiveWhatAPlainTableGives() throws Exception {
    System.out.println("lampone.test.seed=" + seed);
    cluster.publish(Ticks.record(Ticks.BASE, Ticks.BASE));
    TestTable table = new TestTable(cluster.connection(), "resting");
    table.createPlain(null, "a", "b");
    writePlain(table, 200);
    table.enable(TestTable.enabled(ConflictLevel.ROW, Ticks.BASE));
    countFrom(table);
    FastTable fast = new FastTable(cluster, table, Ticks.BASE);
    fast.snapshot(RandomTransaction.row(0), ticks.next());
    fast.region().flush(true);
    fast.region().compact(true);
    TestObserver observer =
        (TestObserver) fast.region().getCoprocessorHost().findCoprocessor(TestTable.OBSERVER);
    FrozenFamilies files = observer.open().committedFiles();
    Set<byte[]> families = fast.region().getTableDescriptor().getColumnFamilyNames();
    long look = files.look(fast.region(), families);
    assertThat(look).isNotEqualTo(FrozenFamilies.NOT_AT_REST);
    for (int versions : new int[] {1, 3, 5}) {
      compare(table, ticks.next(), null, versions, SNAPSHOTS + versions);
    }
    assertThat(files.look(fast.region(), families)).as("at rest all the time").isEqualTo(look);
  }

  /**
   * What began before the table was enabled reads nothing of it. So timestamps are counted from one
   * at which it can be read; by this test alone, so that a seed repeats everything.
   */
  private long countFrom(TestTable table) throws IOException {
    long first = cluster.ticks().next();
    ReadRequest request =
        new ReadRequest(first, false, Ticks.BASE, SlotSet.NONE, Map.of(), Ticks.begun(first));
    table.get(new Get(RandomTransaction.row(0).toArray()), request);
    ticks = new Ticks(first);
    return first;
  }

  private void writePlain(TestTable table, int puts) throws IOException {
    for (int i = 0; i < puts; i++) {
      Bytes row = RandomTransaction.row(random.nextInt(RandomTransaction.ROWS));
      Bytes family = RandomTransaction.FAMILIES.get(random.nextInt(2));
      Bytes qualifier = RandomTransaction.QUALIFIERS.get(random.nextInt(8));
      plain.add(
          new Put(row.toArray())
              .addColumn(family.toArray(), qualifier.toArray(), 1000 + i, new byte[] {(byte) i}));
    }
    try (Table plainTable = table.connection().getTable(table.name())) {
      plainTable.put(plain);
    }
  }

  private void runTransactions(TestTable table) throws IOException {
    List<RandomTransaction> open = new ArrayList<>();
    for (int begun = 0; begun < TRANSACTIONS || !open.isEmpty(); ) {
      if (begun < TRANSACTIONS && open.size() < OPEN_AT_ONCE) {
        RandomTransaction fresh = new RandomTransaction(table, ticks.next());
        all.add(fresh);
        open.add(fresh);
        begun++;
        if (begun == TRANSACTIONS / 2) {
          flushStores(table);
        }
      }
      RandomTransaction transaction = open.get(random.nextInt(open.size()));
      if (step(transaction)) {
        open.remove(transaction);
      }
    }
  }

  private void flushStores(TestTable table) throws IOException {
    try (Admin admin = table.connection().getAdmin()) {
      admin.flush(table.name());
    }
  }

  /** Returns whether nothing more happens to the transaction. */
  private boolean step(RandomTransaction transaction) throws IOException {
    int what = random.nextInt(20);
    if (what < 11) {
      transaction.write(random);
    } else if (what < 13) {
      transaction.savepoint();
    } else if (what < 14) {
      transaction.rollBack();
    } else if (what < 17) {
      return !transaction.flush(false) && end(transaction);
    } else if (what < 18) {
      return end(transaction);
    }
    return false;
  }

  private boolean end(RandomTransaction transaction) throws IOException {
    if (transaction.dead || !transaction.flush(true) || conflicts(transaction)) {
      transaction.abortLeader();
    } else if (transaction.hasWrites()) {
      int fate = random.nextInt(10);
      if (fate == 0) {
        transaction.abortLeader();
      } else if (fate == 1) {
        return true; // its client has died: pending for good
      } else {
        transaction.commit = ticks.next();
        transaction.rows().forEach(row -> lastCommit.put(row, transaction.commit));
        if (fate > 2) {
          transaction.commitLeader();
        }
      }
    }
    if ((transaction.dead || transaction.commit != 0) && random.nextBoolean()) {
      transaction.heal();
    }
    return true;
  }

  private boolean conflicts(RandomTransaction transaction) {
    return transaction.rows().stream()
        .anyMatch(row -> lastCommit.getOrDefault(row, 0L) > transaction.start);
  }

  private RandomTransaction pending() {
    return all.stream()
        .filter(t -> t.commit == 0 && !t.dead && t.hasWrites())
        .findAny()
        .orElse(null);
  }

  private void compare(
      TestTable table, long snapshot, RandomTransaction own, int maxVersions, int number)
      throws IOException {
    TestTable oracle = new TestTable(cluster.connection(), "oracle-" + number + "-" + maxVersions);
    oracle.createPlain(null, "a", "b");
    TableName name = oracle.name();
    VisibleTable visible = visible(snapshot, own);
    try (Table plainTable = cluster.connection().getTable(name)) {
      plainTable.put(visible.puts(maxVersions));
      SlotSet rolledBack = own == null ? SlotSet.NONE : own.rolledBack;
      Map<TransactionId, Fate> judgments = new HashMap<>();
      for (int i = 0; i < READS; i++) {
        long readSeed = random.nextLong();
        if (random.nextInt(4) == 0) {
          judgments.clear();
        }
        ReadRequest request =
            new ReadRequest(
                snapshot, own != null, Ticks.BASE, rolledBack, judgments, Ticks.begun(snapshot));
        Get get = RandomReads.get(readSeed, maxVersions);
        assertThat(show(List.of(resolvedGet(table, readSeed, maxVersions, request, judgments))))
            .as("seed=%d snapshot=%d get=%s", seed, snapshot, get)
            .isEqualTo(show(List.of(List.of(plainTable.get(get).rawCells()))));
        Scan scan = RandomReads.scan(readSeed, maxVersions);
        assertThat(show(resolvedScan(table, readSeed, maxVersions, request, judgments)))
            .as("seed=%d snapshot=%d scan=%s", seed, snapshot, scan)
            .isEqualTo(show(TestTable.plainScan(cluster.connection(), name, scan)));
      }
    }
  }

  private VisibleTable visible(long snapshot, RandomTransaction own) {
    VisibleTable visible = new VisibleTable();
    for (Put put : plain) {
      put.getFamilyCellMap()
          .values()
          .forEach(
              cells ->
                  cells.forEach(
                      cell ->
                          visible.plain(
                              Bytes.of(put.getRow()),
                              Bytes.wrap(CellUtil.cloneFamily(cell)),
                              Bytes.wrap(CellUtil.cloneQualifier(cell)),
                              cell.getTimestamp(),
                              Bytes.wrap(CellUtil.cloneValue(cell)))));
    }
    all.stream()
        .filter(t -> t.commit != 0 && t.commit < snapshot)
        .sorted(Comparator.comparingLong(t -> t.commit))
        .forEach(t -> visible.apply(t, t.rolledBack));
    if (own != null) {
      visible.apply(own, own.rolledBack);
    }
    return visible;
  }

  private List<Cell> resolvedGet(
      TestTable table,
      long readSeed,
      int versions,
      ReadRequest first,
      Map<TransactionId, Fate> judgments)
      throws IOException {
    for (ReadRequest request = first; ; request = request.withJudgments(judgments)) {
      List<Cell> cells = table.get(RandomReads.get(readSeed, versions), request);
      if (cells.stream().noneMatch(Carrier::isPointer)) {
        return cells;
      }
      assertThat(cells).allMatch(Carrier::isPointer);
      resolve(cells, request, judgments);
    }
  }

  private List<List<Cell>> resolvedScan(
      TestTable table,
      long readSeed,
      int versions,
      ReadRequest first,
      Map<TransactionId, Fate> judgments)
      throws IOException {
    for (ReadRequest request = first; ; request = request.withJudgments(judgments)) {
      List<List<Cell>> rows = table.scan(RandomReads.scan(readSeed, versions), request);
      if (rows.stream().flatMap(List::stream).noneMatch(Carrier::isPointer)) {
        return rows;
      }
      for (List<Cell> cells : rows) {
        resolve(cells, request, judgments);
      }
    }
  }

  private void resolve(List<Cell> cells, ReadRequest request, Map<TransactionId, Fate> judgments) {
    for (Cell cell : cells) {
      if (Carrier.isPointer(cell)) {
        long start = cell.getTimestamp();
        RandomTransaction writer =
            all.stream().filter(t -> t.start == start).findAny().orElseThrow();
        TransactionId id = new TransactionId(start, writer.leader());
        assertThat(request.judgments()).as("resolved before").doesNotContainKey(id);
        judgments.put(id, writer.commit == 0 ? Fate.INVISIBLE : Fates.of(id, writer.commit));
      }
    }
  }

  private static String show(List<List<Cell>> results) {
    StringBuilder text = new StringBuilder();
    for (List<Cell> cells : results) {
      text.append("--\n");
      for (Cell cell : cells) {
        text.append(cell).append(" = ").append(Bytes.wrap(CellUtil.cloneValue(cell))).append('\n');
      }
    }
    return text.toString().replaceAll("/seqid=[0-9]+", "");
  }
}
