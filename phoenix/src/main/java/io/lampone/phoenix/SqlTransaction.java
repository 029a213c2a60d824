package io.lampone.phoenix;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.spi.EngineTransaction;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/**
 * One SQL transaction, which all of its contexts share.
 *
 * <p>Under autocommit it begins when it has to. A statement that writes one row and reads none, and
 * one that reads one row by its key, are executed on the fast path without it. Phoenix commits
 * before it reads: so what is read later belongs to a statement that writes nothing.
 *
 * <p>Phoenix may have looked up indexes before the transaction begins. An index that was added in
 * between would miss its writes, and its begin is too late for the fence of the index. So each
 * write carries what the client knew before the look-up ({@link KnownSchemas}), and its region
 * refuses it if the table's schema floor is above.
 *
 * <p>Thread-safe.
 */
final class SqlTransaction {

  private final PhoenixClient client;
  private final Duration timeout;

  /** Timestamp in place of the start while there is none: not below others of this client. */
  private final long provisionalId;

  /** True if it may be executed on the fast path. */
  private final boolean isFast;

  /** Tables that are written, whose indexes must not have changed. */
  private final Set<TableName> fences = new LinkedHashSet<>();

  /** Writes the rows of a new index; null if this transaction populates none. */
  private @Nullable IndexPopulation population;

  /** The transaction; null until it has begun. */
  private @Nullable EngineTransaction begun;

  /** Only write so far; null if there is none, or the transaction has begun. */
  private @Nullable RowWrite deferred;

  /** Only row read without a transaction; null if none was read, or the transaction has begun. */
  private @Nullable RowReading latest;

  private boolean hasEnded;

  /** Immutable tables whose deletes are refused. */
  private final Set<TableName> withoutDeletes = new HashSet<>();

  /** Indexes of immutable tables and views that were written, by their names. */
  private final Map<String, Set<String>> indexesOfImmutable = new HashMap<>();

  /** Numbers of rows that were deleted, by name of a table, view, or index. */
  private final Map<String, Long> deletedRows = new HashMap<>();

  /** Why it does not commit; null if it may. */
  private @Nullable IOException refusal;

  /** Version of the write on the fast path; 0 if there is none. */
  private long version;

  /** Mutations of one row. */
  private record RowWrite(TableName table, Mutation row, long knownSchema) {}

  /**
   * Copy of the catalogue by which rows are written.
   *
   * @param name of the table or view, or of the table of HBase that holds an index
   * @param knownSchema as of {@link KnownSchemas}; 0 for an index
   * @param indexes tables of HBase that hold the indexes of an immutable table; else none
   */
  record TableCopy(String name, long knownSchema, Set<String> indexes) {

    /** Returns the one for the table of an index. */
    static TableCopy ofIndex(TableName index) {
      return new TableCopy(index.getNameAsString(), 0, Set.of());
    }
  }

  /** A row read on the fast path, and how it is read again. */
  private record RowReading(Table table, Scan scan, Result result) {}

  private SqlTransaction(
      PhoenixClient client, Duration timeout, long provisionalId, boolean isFast) {
    this.client = client;
    this.timeout = timeout;
    this.provisionalId = provisionalId;
    this.isFast = isFast;
  }

  /** Begins a transaction now. */
  static SqlTransaction begun(PhoenixClient client, Duration timeout) throws IOException {
    return of(client, timeout, client.begin(timeout));
  }

  /**
   * Begins a transaction that reads a table whose fence was recorded, and populates indexes of it.
   *
   * @param indexes that are not active
   */
  static SqlTransaction populating(PhoenixClient client, Duration timeout, Set<TableName> indexes)
      throws IOException {
    EngineTransaction begun = client.begin(timeout);
    SqlTransaction transaction = of(client, timeout, begun);
    transaction.population = new IndexPopulation(client, begun, indexes);
    return transaction;
  }

  /** Begins a transaction on a snapshot of the past; it cannot write. */
  static SqlTransaction asOf(PhoenixClient client, Duration timeout, long timestamp)
      throws IOException {
    return of(client, timeout, client.asOf(timestamp, timeout));
  }

  private static SqlTransaction of(
      PhoenixClient client, Duration timeout, EngineTransaction begun) {
    SqlTransaction transaction = new SqlTransaction(client, timeout, 0, false);
    transaction.begun = begun;
    return transaction;
  }

  /**
   * Returns a transaction that begins when it has to.
   *
   * @param provisionalId timestamp in place of the start until then
   * @param isFast whether the fast path may take its place
   */
  static SqlTransaction late(
      PhoenixClient client, Duration timeout, long provisionalId, boolean isFast) {
    return new SqlTransaction(client, timeout, provisionalId, isFast);
  }

  /** Returns the start timestamp, or the provisional one if it has not begun. */
  synchronized long id() {
    return begun == null ? provisionalId : begun.startTimestamp();
  }

  /** Returns true if the transaction manager has issued its start timestamp. */
  synchronized boolean hasBegun() {
    return begun != null;
  }

  /** Returns the timestamps by which it is ordered among others. */
  synchronized SqlTimestamps timestamps() {
    return begun == null
        ? new SqlTimestamps(0, version)
        : new SqlTimestamps(begun.startTimestamp(), begun.commitTimestamp());
  }

  /** Begins it unless it has begun, and returns the start timestamp. */
  synchronized long begin() throws IOException {
    return running().startTimestamp();
  }

  /** Sets a savepoint and returns the slot of subsequent writes. */
  synchronized int savepoint() throws IOException {
    return running().savepoint();
  }

  /** Makes the commit a conflict if an index was added to the table since the begin. */
  synchronized void checkFence(TableName table) throws IOException {
    fences.add(table);
    if (begun != null) {
      begun.checkFence(table);
    }
  }

  /** Refuses writes of another transaction to a table that has a new index since. */
  synchronized void refuseRepetition(TableName table, boolean isImmutable) {
    if (isImmutable) {
      withoutDeletes.add(table);
    } else {
      refusal = SqlFailures.newIndex(Set.of(table));
    }
  }

  /**
   * Buffers mutations, without timestamps. Which index rows are deleted with rows of an immutable
   * table Phoenix decides when it compiles a statement: the commit is refused if there are fewer of
   * an index, which it has found since.
   */
  synchronized void write(TableName table, List<Mutation> mutations, TableCopy copy)
      throws IOException {
    if (withoutDeletes.contains(table) && mutations.stream().anyMatch(Delete.class::isInstance)) {
      throw SqlFailures.newIndex(Set.of(table));
    }
    indexesOfImmutable.computeIfAbsent(copy.name(), each -> new HashSet<>()).addAll(copy.indexes());
    if (isFast && begun == null && deferred == null && !hasEnded && mutations.size() == 1) {
      deferred = new RowWrite(table, mutations.get(0), copy.knownSchema());
    } else if (!mutations.isEmpty()) {
      write(running(), table, mutations, copy.knownSchema());
    }
    long deleted = mutations.stream().filter(SqlTable::deletesRow).count();
    deletedRows.merge(copy.name(), deleted, Long::sum);
  }

  /** Refuses the commit: after some failures to write Phoenix goes on. */
  synchronized void refuse(IOException failure) {
    refusal = refusal == null ? failure : refusal;
  }

  private boolean lacksDeletesOfIndexes() {
    return indexesOfImmutable.entrySet().stream()
        .anyMatch(
            table ->
                table.getValue().stream()
                    .anyMatch(index -> deletedRows(index) < deletedRows(table.getKey())));
  }

  private long deletedRows(String table) {
    return deletedRows.getOrDefault(table, 0L);
  }

  private void write(
      EngineTransaction running, TableName table, List<Mutation> mutations, long knownSchema)
      throws IOException {
    if (knownSchema != 0) {
      running.checkSchema(table, knownSchema);
    }
    try {
      running.write(table, mutations);
    } catch (LamponeException e) {
      throw checked(e);
    }
  }

  /**
   * Takes note of a failure that may be due to an old copy of the catalogue: it is looked up again.
   */
  private LamponeException checked(LamponeException failure) {
    if (!(failure instanceof ConflictException)) {
      client.schemas().forget(fences);
    }
    return failure;
  }

  /** Writes rows of a new index: as writes of this transaction, unless it only populates that. */
  void populate(Table index, List<Mutation> mutations) throws IOException {
    IndexPopulation populating;
    synchronized (this) {
      populating = population;
    }
    if (populating == null || !populating.write(index, mutations)) {
      write(index.getName(), mutations, TableCopy.ofIndex(index.getName()));
    }
  }

  /**
   * Opens a scanner; see {@link EngineTransaction#getScanner}.
   *
   * @param scan with the time range of everything
   */
  ResultScanner getScanner(Table table, Scan scan, int lastSlot, boolean resumable)
      throws IOException {
    EngineTransaction running;
    synchronized (this) {
      if (isFast && begun == null && hasEnded && latest == null && PointReads.isPoint(scan)) {
        Optional<Result> result = PointReads.read(client, table.getName(), scan);
        if (result.isPresent()) {
          latest = new RowReading(table, scan, result.get());
          return PointReads.scanner(result.get());
        }
      }
      running = running();
    }
    try {
      return running.getScanner(table, scan, lastSlot, resumable);
    } catch (LamponeException e) {
      throw checked(e); // of writes that had to be sent before
    }
  }

  /** Commits; see {@link EngineTransaction#commit}. Does nothing if nothing was written. */
  synchronized void commit() throws IOException {
    try {
      end();
    } catch (LamponeException e) {
      throw checked(e);
    }
  }

  private void end() throws IOException {
    if (refusal == null && lacksDeletesOfIndexes()) {
      refusal = SqlFailures.newIndex(fences);
    }
    if (refusal != null) {
      rollback();
      throw refusal;
    }
    RowWrite write = deferred;
    deferred = null;
    if (write != null) {
      OptionalLong written = client.write(write.table(), write.row(), write.knownSchema());
      if (written.isEmpty()) {
        deferred = write; // the table has no fast path
        running();
      }
      version = written.orElse(0);
    }
    hasEnded = true;
    if (begun != null) {
      begun.commit();
      if (population != null) {
        population.end();
      }
    }
  }

  /** Rolls back; does nothing after the end. */
  synchronized void rollback() {
    deferred = null;
    hasEnded = true;
    if (begun != null) {
      begun.rollback();
    }
  }

  /**
   * Forgets what a statement under autocommit has begun that failed: the next one begins anew.
   *
   * @param isUnsent whether Phoenix has rows left, and sends them with the next one: it is refused
   * @return false if it does not begin anew
   */
  synchronized boolean restart(boolean isUnsent) {
    if (provisionalId == 0 || hasEnded) {
      return false;
    }
    rollback();
    hasEnded = false;
    begun = null;
    deletedRows.clear();
    indexesOfImmutable.clear();
    refusal = isUnsent ? SqlFailures.unsent() : null;
    return true;
  }

  /** Returns the transaction, which begins unless it has begun. */
  private EngineTransaction running() throws IOException {
    EngineTransaction known = begun;
    if (known != null) {
      return known;
    }
    EngineTransaction running = client.begin(timeout);
    begun = running;
    for (TableName table : fences) {
      running.checkFence(table);
    }
    RowWrite write = deferred;
    deferred = null;
    if (write != null) {
      write(running, write.table(), List.of(write.row()), write.knownSchema());
    }
    if (hasEnded) {
      running.rollback(); // without writes; its snapshot stays readable
      requireUnchanged(running);
    }
    return running;
  }

  /** Requires that a row that was read on the fast path is the same in the snapshot. */
  private void requireUnchanged(EngineTransaction snapshot) throws IOException {
    RowReading read = latest;
    latest = null;
    if (read == null) {
      return;
    }
    try (ResultScanner scanner = snapshot.getScanner(read.table(), read.scan(), 0, true)) {
      Result now = scanner.next();
      if (!PointReads.isEqual(read.result(), now == null ? Result.EMPTY_RESULT : now)) {
        throw new LamponeException(
            Code.CONFLICT,
            0,
            "a row changed between two reads of the statement: run it again, table="
                + read.table().getName());
      }
    }
  }
}
