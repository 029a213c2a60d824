package io.lampone.phoenix;

import io.lampone.client.ConflictException;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.spi.EngineTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
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
import org.apache.phoenix.jdbc.PhoenixConnection;
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

  // only write so far, only row read without a transaction; null if the transaction has begun
  private @Nullable RowWrite deferred;
  private @Nullable RowReading latest;

  private boolean hasWritten;
  private boolean hasEnded;

  /** True if another one has taken its place. */
  private boolean isReplaced;

  /** Tables whose deletes are refused. */
  private final Set<TableName> withoutDeletes = new HashSet<>();

  private final DeletedRows deletedRows = new DeletedRows();

  /** Connections of the parts of statements that have written. */
  private final Set<PhoenixConnection> parts = new HashSet<>();

  /** Why it does not commit; null if it may. */
  private @Nullable IOException refusal;

  private long version; // of the write on the fast path; 0 if there is none

  /** Mutations of one row. */
  private record RowWrite(TableName table, Mutation row, long knownSchema) {}

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

  /** Returns a transaction that begins when it has to. */
  static SqlTransaction late(
      PhoenixClient client, Duration timeout, long provisionalId, boolean isFast) {
    return new SqlTransaction(client, timeout, provisionalId, isFast);
  }

  /** Returns the start timestamp, or the provisional one if it has not begun. */
  synchronized long id() {
    return begun == null ? provisionalId : begun.startTimestamp();
  }

  /** Returns true if it only populates indexes. */
  boolean isPopulating() {
    return population != null;
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

  /** Begins it unless it has begun, has a write, or has ended. */
  synchronized void beginUnlessUsed() throws IOException {
    if (deferred == null && !hasEnded) {
      running();
    }
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

  /**
   * Refuses writes of a transaction before to a table.
   *
   * @param areNewRows whether all except deletes may pass
   */
  synchronized void refuseRepetition(TableName table, boolean areNewRows) {
    if (areNewRows) {
      withoutDeletes.add(table);
    } else {
      refuse(SqlFailures.repeated(table));
    }
  }

  /**
   * Buffers mutations, without timestamps. Which index rows are deleted with rows of an immutable
   * table Phoenix decides when it compiles a statement: the commit is refused if there are fewer of
   * an index, which it has found since.
   */
  synchronized void write(TableName table, List<Mutation> mutations, TableCopy copy)
      throws IOException {
    hasWritten |= !mutations.isEmpty();
    if (withoutDeletes.contains(table) && mutations.stream().anyMatch(Delete.class::isInstance)) {
      refuse(SqlFailures.repeated(table));
    }
    if (isFast && begun == null && deferred == null && !hasEnded && mutations.size() == 1) {
      deferred = new RowWrite(table, mutations.get(0), copy.knownSchema());
    } else if (!mutations.isEmpty()) {
      write(running(), table, mutations, copy.knownSchema());
    }
    deletedRows.written(copy, mutations);
  }

  /** Refuses the commit: after some failures to write Phoenix goes on. */
  synchronized void refuse(IOException failure) {
    refusal = refusal == null && !hasEnded ? failure : refusal;
  }

  /** Takes note of a part of a statement that writes; its connection is closed when it ends. */
  synchronized void writes(PhoenixConnection part) {
    if (!hasEnded) {
      parts.add(part);
    }
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

  /** Has the catalogue looked up again: an old copy of it may be the reason. */
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
      if (isReplaced) {
        throw SqlFailures.unsent();
      }
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
  synchronized void commit() throws IOException, SQLException {
    try {
      end();
    } catch (LamponeException e) {
      throw checked(e);
    }
  }

  private void end() throws IOException, SQLException {
    for (PhoenixConnection part : parts) {
      if (!part.isClosed()) { // of a statement that has failed; it may lack index rows of its rows
        refuse(SqlFailures.unsent());
      }
    }
    parts.clear(); // they refer to the connection by which this one is known
    if (refusal == null && deletedRows.lackThoseOfIndexes()) {
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
    parts.clear();
    if (begun != null) {
      begun.rollback();
    }
    if (population != null) {
      population.close();
    }
  }

  /**
   * Drops what a statement under autocommit has begun that failed: its threads may go on, and fail.
   * The next one is refused if Phoenix has rows left, or if others without autocommit belong to it.
   *
   * @return that of the next one; this one, which commits nothing, if it is not of autocommit only
   */
  synchronized SqlTransaction renewed(boolean isUnsent, boolean keepsOthers) {
    if (provisionalId == 0 || hasEnded) {
      if (hasWritten || isUnsent) {
        refuse(SqlFailures.unsent());
      }
      return this;
    }
    rollback();
    isReplaced = true;
    SqlTransaction next = client.late(timeout, isFast);
    next.refusal = isUnsent || keepsOthers ? SqlFailures.unsent() : null;
    return next;
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
            Code.ABORTED,
            0,
            "a row changed between two reads of the statement: run it again, table="
                + read.table().getName());
      }
    }
  }
}
