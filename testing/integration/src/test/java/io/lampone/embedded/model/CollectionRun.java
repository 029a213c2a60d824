package io.lampone.embedded.model;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.SnapshotTooOldException;
import io.lampone.client.Transaction;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.StoredTable;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;

/**
 * A random history on tables that are flushed and compacted at random safe points, and moved, with
 * clients that die: after each step a random snapshot from the safe point on is read and compared
 * with the {@link Model}, several after those that collect or raise the safe point, all of them at
 * the end; {@code -Dlampone.test.collection.every-snapshot=true} reads all of them after every
 * step. One thread; the seed decides everything but timestamps.
 *
 * <p>Not thread-safe.
 */
final class CollectionRun {

  private static final List<ConflictLevel> LEVELS = List.of(ConflictLevel.ROW, ConflictLevel.CELL);
  private static final String HELD_CELLS = "lampone.test.held-cells";
  private static final boolean EVERY_SNAPSHOT =
      Boolean.getBoolean("lampone.test.collection.every-snapshot");
  private static final int MOST_OPEN = 3;

  /** Of so many transactions one is left when its intents have been sent. */
  private static final int TRANSACTIONS_OF_A_DEATH = 8;

  private static final int SNAPSHOTS_OF_A_CHECK = 3;
  private static final int READS_OF_A_SNAPSHOT = 6;
  private static final int REMEMBERED_STEPS = 200;

  private final long seed;
  private final Random random;
  private final EmbeddedLampone cluster;
  private final LamponeClient buffering;
  private final LamponeClient streaming;
  private final List<TableName> names;
  private final Model model = new Model(LEVELS);
  private final RandomSpecs specs;
  private final Operations reads;
  private final List<Session> open = new ArrayList<>();

  /** Start and commit timestamps, in ascending order. */
  private final List<Long> past = new ArrayList<>();

  private final Deque<String> steps = new ArrayDeque<>();
  private long safePoint;
  private int begun;

  /** Counts of the steps. */
  private int collections;

  private int commits;
  private int fastWrites;
  private int deadClients;
  private int actions;
  private int expiring;
  private long cellsLeft;
  private long metadataLeft;

  CollectionRun(
      long seed,
      EmbeddedLampone cluster,
      LamponeClient buffering,
      LamponeClient streaming,
      Playground playground)
      throws IOException {
    this.seed = seed;
    this.random = new Random(seed);
    this.cluster = cluster;
    this.buffering = buffering;
    this.streaming = streaming;
    // In every other history the limit of retained versions of a row is soon exceeded.
    this.names =
        playground
            .createTables(LEVELS, random.nextBoolean() ? Map.of(HELD_CELLS, "3") : Map.of())
            .names();
    this.specs = new RandomSpecs(random);
    this.reads = new Operations(random, specs, UnaryOperator.identity());
  }

  /**
   * Runs so many steps.
   *
   * @throws AssertionError with seed and steps, if a snapshot differs from the model
   */
  void run(int wanted) {
    try {
      for (int i = 0; i < wanted; i++) {
        step();
      }
      settle();
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          "seed=" + seed + "\n" + String.join("\n", steps) + "\n" + reads.text() + "\n" + e, e);
    }
  }

  /** Returns true if clients have died, and enough was removed to prove a collection. */
  boolean hasCollected() {
    return deadClients > 0 && cellsLeft < actions && metadataLeft < cellsLeft / 2;
  }

  @Override
  public String toString() {
    return "collections="
        + collections
        + " commits="
        + commits
        + " fastWrites="
        + fastWrites
        + " deadClients="
        + deadClients
        + " actions="
        + actions
        + " expiring="
        + expiring
        + " cellsLeft="
        + cellsLeft
        + " metadataLeft="
        + metadataLeft;
  }

  private void step() throws Exception {
    int choice = random.nextInt(100);
    if (choice < 38) {
      transaction();
    } else if (choice < 60) {
      fastWrite();
    } else if (choice < 66) {
      goOn();
    } else if (choice < 76) {
      advance();
    } else {
      store();
    }
    if (past.isEmpty()) {
      return;
    }
    if (EVERY_SNAPSHOT) {
      checkEverySnapshot();
    } else if (choice < 66) {
      check(somewhere());
    } else {
      check();
    }
  }

  /** Ends all transactions, and collects all that may be collected. */
  private void settle() throws Exception {
    for (Session session : List.copyOf(open)) {
      session.real().rollback();
    }
    open.clear();
    checkEverySnapshot();
    advance();
    for (int i = 0; i < 2; i++) {
      for (TableName table : names) {
        for (HRegion region : regions(table)) {
          region.flush(true);
          region.compact(true);
          collections++;
        }
      }
      checkEverySnapshot();
    }
    for (TableName table : names) {
      StoredTable stored = cluster.stored(table);
      cellsLeft += stored.cells();
      metadataLeft += stored.metadataCells();
    }
  }

  private void transaction() throws IOException {
    boolean oneRow = random.nextInt(3) == 0;
    boolean dies = random.nextInt(TRANSACTIONS_OF_A_DEATH) == 0;
    // A client that buffers its writes would leave none behind.
    LamponeClient client = dies || random.nextInt(3) == 0 ? streaming : buffering;
    Session session = Session.begin(begun++, client.begin(), model, names, true);
    remember(session.model().start());
    note(session, client == streaming ? "begins, streaming" : "begins");
    try {
      int table = random.nextInt(names.size());
      Bytes row = specs.row();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        if (!oneRow) {
          table = random.nextInt(names.size());
          row = specs.row();
        }
        if (random.nextInt(8) == 0) {
          savepoint(session, table, row);
        } else {
          write(session, table, row);
        }
      }
      int end = random.nextInt(40);
      if (dies) {
        note(session, "dies");
        deadClients++;
      } else if (end < 3) {
        note(session, "rolls back");
        session.real().rollback();
      } else if (end < 7 && client == buffering && open.size() < MOST_OPEN) {
        note(session, "stays open");
        open.add(session);
      } else {
        commit(session);
      }
    } catch (LamponeException e) {
      lost(session, e);
    }
  }

  /** Handles a lost conflict, or a fast write that would not wait any longer. */
  private void lost(Session session, LamponeException e) throws LamponeException {
    if (!(e instanceof ConflictException) && e.code() != LamponeException.Code.ABORTED) {
      throw e;
    }
    note(session, "ends: " + e.code());
  }

  /** Writes a value and rolls it back. */
  private void savepoint(Session session, int table, Bytes row) throws IOException {
    int modelled = session.model().savepoint();
    var real = session.real().savepoint();
    write(session, table, row);
    note(session, "back to savepoint");
    session.real().rollbackTo(real);
    session.model().rollbackTo(modelled);
  }

  private void goOn() throws IOException {
    if (open.isEmpty()) {
      return;
    }
    Session session = open.get(random.nextInt(open.size()));
    try {
      if (random.nextBoolean()) {
        write(session, random.nextInt(names.size()), specs.row());
      } else {
        open.remove(session);
        commit(session);
      }
    } catch (LamponeException e) {
      open.remove(session);
      lost(session, e);
    }
  }

  private void commit(Session session) throws IOException {
    session.real().commit();
    Optional<Long> time = session.real().commitTimestamp();
    note(session, "commits at " + time);
    time.ifPresent(
        t -> {
          model.commit(session.model(), t);
          remember(Timestamps.tick(t));
          commits++;
        });
  }

  private void write(Session session, int table, Bytes row) throws IOException {
    List<ModelWrite> writes = new ArrayList<>();
    Row action = randomAction(table, row, writes);
    note(session, "writes " + writes);
    Table real = session.tables().get(table);
    writes.forEach(session.model()::write);
    if (action instanceof Put put) {
      real.put(put);
    } else {
      real.delete((Delete) action);
    }
  }

  private void fastWrite() throws IOException {
    int table = random.nextInt(names.size());
    List<ModelWrite> writes = new ArrayList<>();
    Row action = randomAction(table, specs.row(), writes);
    FastPathResult result =
        buffering.fastPath().table(names.get(table)).apply(FastPathOperation.of(action));
    long version = ((FastPathResult.Committed) result).version();
    note("fast path at " + version + " " + writes);
    ModelTransaction transaction = new ModelTransaction(model, Timestamps.tick(version));
    writes.forEach(transaction::write);
    model.commit(transaction, version);
    remember(Timestamps.tick(version));
    fastWrites++;
  }

  private Row randomAction(int table, Bytes row, List<ModelWrite> writes) {
    int kind = random.nextInt(10);
    actions++;
    if (kind < 6) {
      Put put = new Put(row.toArray());
      Column first = specs.column();
      // A TTL is that of the whole put.
      long lifetime = specs.lifetimeMillis(first);
      if (lifetime > 0) {
        put.setTTL(lifetime);
        expiring++;
      }
      for (int i = random.nextInt(3); i >= 0; i--) {
        Column other = specs.column();
        Column column =
            i == 0
                ? first
                : new Column(lifetime > 0 ? first.family() : other.family(), other.qualifier());
        if (!put.has(column.family().toArray(), column.qualifier().toArray())) {
          Bytes value = specs.value();
          put.addColumn(column.family().toArray(), column.qualifier().toArray(), value.toArray());
          writes.add(ModelWrite.put(table, row, column, value, lifetime));
        }
      }
      return put;
    }
    Delete delete = new Delete(row.toArray());
    if (kind == 6) {
      RandomSpecs.FAMILIES.forEach(f -> writes.add(ModelWrite.deleteFamily(table, row, f)));
    } else if (kind == 7) {
      Bytes family = specs.family();
      delete.addFamily(family.toArray());
      writes.add(ModelWrite.deleteFamily(table, row, family));
    } else {
      Column column = specs.column();
      delete.addColumns(column.family().toArray(), column.qualifier().toArray());
      writes.add(ModelWrite.deleteColumn(table, row, column));
    }
    return delete;
  }

  /** Raises the safe point to a random past timestamp, but not above an open reader's snapshot. */
  private void advance() throws Exception {
    if (past.isEmpty()) {
      return;
    }
    long oldestOpen = open.stream().mapToLong(s -> s.model().start()).min().orElse(Long.MAX_VALUE);
    int newest = past.size() - 1;
    long chosen = past.get(random.nextBoolean() ? newest : random.nextInt(past.size()));
    long wanted = Math.min(chosen, oldestOpen);
    if (wanted <= safePoint) {
      return;
    }
    safePoint = cluster.advanceSafePoint(wanted).get(60, TimeUnit.SECONDS);
    note("safe point " + safePoint);
    // Any server that has read it may collect by it; every one will have to.
    past.removeIf(timestamp -> timestamp < safePoint);
  }

  private void store() throws IOException {
    TableName table = names.get(random.nextInt(names.size()));
    List<HRegion> regions = regions(table);
    HRegion region = regions.get(random.nextInt(regions.size()));
    String what;
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        what = "flush";
        region.flush(true);
      }
      case 3, 4 -> {
        what = "compact";
        region.compact(false);
      }
      case 5, 6 -> {
        what = "major-compact";
        region.flush(random.nextBoolean());
        region.compact(true);
      }
      default -> {
        int server = random.nextInt(cluster.hbase().regionServerCount());
        what = "move to " + server;
        cluster.hbase().moveRegion(region.getRegionInfo(), server);
      }
    }
    collections++;
    note(what + " " + region.getRegionInfo().getRegionNameAsString());
  }

  private List<HRegion> regions(TableName table) {
    List<HRegion> regions = new ArrayList<>();
    for (int i = 0; i < cluster.hbase().regionServerCount(); i++) {
      regions.addAll(cluster.hbase().regionServer(i).getRegions(table));
    }
    return regions;
  }

  /** Checks every snapshot that differs from the one before it. */
  private void checkEverySnapshot() throws Exception {
    for (long snapshot : List.copyOf(past)) {
      check(Math.max(safePoint, snapshot));
    }
  }

  /** A snapshot of those that are readable. */
  private long somewhere() {
    return Math.max(safePoint, past.get(random.nextInt(past.size())));
  }

  private void check() throws Exception {
    for (int i = 0; i < SNAPSHOTS_OF_A_CHECK; i++) {
      check(i == 0 ? Math.max(safePoint, past.get(0)) : somewhere());
    }
    for (Session session : List.copyOf(open)) {
      try {
        reads.any(readOnly(session));
      } catch (LamponeException e) {
        // A scan flushes buffered writes, and may meet the winner.
        open.remove(session);
        lost(session, e);
      }
    }
  }

  private void check(long snapshot) throws Exception {
    try (Transaction real = buffering.asOf(snapshot)) {
      note("check at " + snapshot);
      Session session = Session.begin(begun++, real, model, names, false);
      for (int table = 0; table < names.size(); table++) {
        checkAll(session, table);
      }
      for (int i = 0; i < READS_OF_A_SNAPSHOT; i++) {
        reads.any(session);
      }
    } catch (SnapshotTooOldException e) {
      throw new Mismatch("a snapshot at the safe point is readable", snapshot, e.getMessage());
    }
  }

  private void checkAll(Session session, int table) throws IOException {
    List<SeenRow> expected = new ArrayList<>();
    for (Bytes key : session.model().keys(table)) {
      SeenRow row =
          new ExpectedRead(session.model(), table, RandomSpecs.SPLIT_KEYS).get(key, ReadSpec.ALL);
      if (!row.cells().isEmpty()) {
        expected.add(row);
      }
    }
    List<SeenRow> actual = new ArrayList<>();
    try (ResultScanner scanner = session.tables().get(table).getScanner(new Scan())) {
      scanner.forEach(result -> actual.add(SeenRow.of(Bytes.of(result.getRow()), result)));
    }
    Mismatch.check("table " + table + " at " + session.model().start(), expected, actual);
  }

  private static Session readOnly(Session session) {
    return new Session(
        session.number(),
        session.real(),
        session.model(),
        session.tables(),
        false,
        session.savepoints());
  }

  private void remember(long timestamp) {
    if (past.isEmpty() || timestamp > past.get(past.size() - 1)) {
      past.add(timestamp);
    }
  }

  private void note(Session session, String what) {
    note(session + " " + what);
  }

  private void note(String what) {
    if (steps.size() == REMEMBERED_STEPS) {
      steps.removeFirst();
    }
    steps.addLast(what);
  }
}
