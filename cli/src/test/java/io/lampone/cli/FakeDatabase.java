package io.lampone.cli;

import io.lampone.cli.shell.Database;
import io.lampone.client.AdoptionReport;
import io.lampone.client.ChangeListener;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeAdmin.UnreadableTable;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Transaction;
import io.lampone.client.TransactionClient.TransactionFunction;
import io.lampone.client.TransactionOptions;
import io.lampone.client.TransactionOutcome;
import io.lampone.client.fastpath.FastPathId;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Snapshot isolation in memory, with conflicts by row: a whole copy per commit, which is slow and
 * easy to verify.
 */
public final class FakeDatabase implements Database {

  /** The state after each commit, by commit timestamp; guarded by this. */
  private final NavigableMap<Long, Snapshot> history = new TreeMap<>();

  /** Time of the last write of each row; guarded by this. */
  private final Map<RowFamily, Long> lastWrite = new HashMap<>();

  private final Map<TransactionId, Long> committed = new HashMap<>();
  private final TreeMap<TableName, ConflictLevel> transactional = new TreeMap<>();
  private final TreeMap<TableName, List<String>> families = new TreeMap<>();
  private final Set<TableName> changing = new HashSet<>();
  private final Set<TableName> restoring = new HashSet<>();
  private final List<UnreadableTable> unreadable = new ArrayList<>();
  private final List<String> altered = new ArrayList<>();
  private volatile Runnable beforeRows = () -> {};
  private volatile TransactionOptions lastBegin = TransactionOptions.DEFAULT;
  private boolean changesBreakOff;
  private long last = Timestamps.floorOf(Instant.parse("2026-01-01T00:00:00Z"));

  /** Cells of all tables. */
  record Snapshot(Map<TableName, NavigableMap<Cell, Stored>> tables) {
    Snapshot copy() {
      Map<TableName, NavigableMap<Cell, Stored>> copy = new HashMap<>();
      tables.forEach((name, cells) -> copy.put(name, new TreeMap<>(cells)));
      return new Snapshot(copy);
    }

    NavigableMap<Cell, Stored> cells(TableName table) {
      return tables.computeIfAbsent(table, name -> new TreeMap<>());
    }
  }

  /** Coordinates of a cell. */
  record Cell(Bytes row, Bytes family, Bytes qualifier) implements Comparable<Cell> {
    @Override
    public int compareTo(Cell other) {
      int order = row.compareTo(other.row);
      order = order != 0 ? order : family.compareTo(other.family);
      return order != 0 ? order : qualifier.compareTo(other.qualifier);
    }
  }

  /** Version of a cell. */
  record Stored(long version, Bytes value) {}

  public FakeDatabase() {
    history.put(last, new Snapshot(new HashMap<>()));
  }

  /** Makes changes of tables fail and leave the table closed to writers. */
  void breakChangesOff(boolean broken) {
    changesBreakOff = broken;
  }

  /** Returns the settings that were altered. */
  public List<String> altered() {
    return altered;
  }

  /** Sets an action that runs before each row of a scan. */
  public void beforeRows(Runnable work) {
    beforeRows = work;
  }

  /** Returns the options of the last begin. */
  public TransactionOptions lastBegin() {
    return lastBegin;
  }

  Runnable beforeRows() {
    return beforeRows;
  }

  /** Adds an unreadable table. */
  void addUnreadable(String name, String why) {
    unreadable.add(new UnreadableTable(TableName.valueOf(name), why));
  }

  /** Makes a table one that a restore was opening when it was broken off. */
  void addRestoring(String name) {
    changing.add(TableName.valueOf(name));
    restoring.add(TableName.valueOf(name));
  }

  public synchronized long nextTimestamp() {
    last += 256;
    return last;
  }

  synchronized Snapshot snapshot(long timestamp) {
    return history.lowerEntry(timestamp).getValue();
  }

  synchronized List<String> families(TableName table) throws IOException {
    List<String> found = families.get(table);
    if (found == null) {
      throw new TableNotFoundException(table);
    }
    return found;
  }

  /** Applies {@code work} to the newest state if none of {@code rows} was written meanwhile. */
  synchronized long commit(long start, Map<RowFamily, TableName> rows, Applier work)
      throws IOException {
    for (RowFamily row : rows.keySet()) {
      long written = lastWrite.getOrDefault(row, 0L);
      if (written > start) {
        throw new ConflictException(start, row, written);
      }
    }
    long commit = nextTimestamp();
    Snapshot newest = history.lastEntry().getValue().copy();
    work.apply(newest);
    history.put(commit, newest);
    rows.keySet().forEach(row -> lastWrite.put(row, commit));
    committed.put(new TransactionId(start, rows.keySet().iterator().next()), commit);
    while (history.size() > 1000) {
      history.pollFirstEntry();
    }
    return commit;
  }

  /** Changes a state. */
  interface Applier {
    void apply(Snapshot snapshot);
  }

  @Override
  public <T> T run(TransactionOptions options, TransactionFunction<T, RuntimeException> work)
      throws IOException {
    ConflictException failure = null;
    for (int attempt = 0; attempt <= options.retries(); attempt++) {
      try (Transaction transaction = begin(options)) {
        T result = work.apply(transaction);
        transaction.commit();
        return result;
      } catch (ConflictException e) {
        failure = e;
      }
    }
    throw failure;
  }

  // One step: concurrent commits could otherwise collect versions of the snapshot.
  @Override
  public synchronized Transaction begin(TransactionOptions options) {
    lastBegin = options;
    return new FakeTransaction(this, nextTimestamp(), options.readOnly());
  }

  @Override
  public synchronized Transaction asOf(long timestamp, TransactionOptions options)
      throws IOException {
    lastBegin = options;
    if (timestamp > last) {
      throw new LamponeException(Code.BAD_REQUEST, timestamp, "lies in the future");
    }
    return new FakeTransaction(this, Timestamps.tick(timestamp), true);
  }

  @Override
  public synchronized TransactionOutcome status(TransactionId id) {
    Long commit = committed.get(id);
    return commit == null
        ? new TransactionOutcome.Aborted()
        : new TransactionOutcome.Committed(commit);
  }

  @Override
  public TransactionOutcome outcome(FastPathId id) {
    return new TransactionOutcome.Committed(id.above() + 1);
  }

  /** Returns the descriptor of a table. */
  synchronized TableDescriptor descriptor(TableName name) throws IOException {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    families(name)
        .forEach(family -> table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family)));
    ConflictLevel level = transactional.get(name);
    return level == null
        ? table.build()
        : new TableSettings(TableSettings.Phase.ENABLED, level, last).applyTo(table).build();
  }

  @Override
  public synchronized void deleteTable(TableName name) throws IOException {
    families(name);
    if (transactional.containsKey(name) && !restoring.remove(name)) {
      throw new IOException("transactional");
    }
    transactional.remove(name);
    families.remove(name);
  }

  @Override
  public LamponeAdmin admin() {
    return new FakeAdmin();
  }

  @Override
  public void close() {}

  /** Administration of names and levels; operations on cells need a cluster. */
  private final class FakeAdmin implements LamponeAdmin {
    @Override
    public void createTable(TableDescriptor table, ConflictLevel level, byte[]... splitKeys)
        throws IOException {
      if (families.containsKey(table.getTableName())) {
        throw new TableExistsException(table.getTableName());
      }
      families.put(
          table.getTableName(),
          table.getColumnFamilyNames().stream().map(name -> new String(name)).toList());
      transactional.put(table.getTableName(), level);
    }

    @Override
    public void enableTable(TableName table, ConflictLevel level) throws IOException {
      families(table);
      transactional.put(table, level);
      change(table);
    }

    @Override
    public void disableTable(TableName table) throws IOException {
      families(table);
      if (restoring.contains(table)) {
        throw new IOException("being restored");
      }
      change(table);
      transactional.remove(table);
    }

    private void change(TableName table) throws IOException {
      if (changesBreakOff) {
        changing.add(table);
        throw new IOException("broken off");
      }
      changing.remove(table);
    }

    @Override
    public void expireAfter(TableName table, byte[] family, Duration lifetime) {
      altered.add(table + " " + new String(family) + " TTL " + lifetime.toSeconds());
    }

    @Override
    public void letCellsExpire(TableName table, byte[] family, boolean allowed) {
      altered.add(table + " " + new String(family) + " CELL_TTL " + allowed);
    }

    @Override
    public void enableTable(TableName table, ConflictLevel level, PlainClients plainClients)
        throws IOException {
      enableTable(table, level);
      altered.add(table + " PLAIN_CLIENTS " + plainClients);
    }

    @Override
    public void fenceTable(TableName table) {}

    @Override
    public void raiseSchemaFloor(TableName table, long floor) {}

    @Override
    public AdoptionReport inspectTable(TableName table) {
      throw new UnsupportedOperationException("cells need a cluster");
    }

    @Override
    public LamponeAdmin reportingTo(ChangeListener listener) {
      return this;
    }

    @Override
    public boolean createForRestore(TableDescriptor table, String backup, byte[]... splitKeys) {
      throw new UnsupportedOperationException("a backup needs a cluster");
    }

    @Override
    public void finishRestore(TableName table, ConflictLevel level) {
      throw new UnsupportedOperationException("a backup needs a cluster");
    }

    @Override
    public void keepLonger(TableName table, Duration extra) throws IOException {
      families(table);
      altered.add(table + " KEEP_LONGER " + extra.toSeconds());
    }

    @Override
    public boolean upgradeTable(TableName table) throws IOException {
      families(table);
      return false;
    }

    @Override
    public List<UnreadableTable> listUnreadableTables() {
      return List.copyOf(unreadable);
    }

    @Override
    public List<TransactionalTable> listTables() {
      List<TransactionalTable> tables = new ArrayList<>();
      transactional.forEach(
          (name, level) ->
              tables.add(
                  new TransactionalTable(
                      name, level, changing.contains(name), restoring.contains(name))));
      return tables;
    }
  }
}
