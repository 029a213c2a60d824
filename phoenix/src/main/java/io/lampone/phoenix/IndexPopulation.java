package io.lampone.phoenix;

import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.RowVersion;
import io.lampone.client.spi.EngineTransaction;
import io.lampone.protocol.Bytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * Initial rows of a new index, as of one snapshot that began after the fence of the table.
 *
 * <p>Each transaction that commits above that snapshot knows the index, and writes the index rows
 * that it changes. So a row is written on the fast path, on condition that nothing was committed to
 * it since the snapshot: otherwise a later writer has written it, and is right. An undecided one is
 * waited for; one that writes the row later has begun earlier, and is refused as in conflict. The
 * index is read by those transactions only that begin after all rows are written.
 *
 * <p>Thread-safe.
 */
final class IndexPopulation {

  private final PhoenixClient client;
  private final EngineTransaction snapshot;

  /** Tables of the new indexes. */
  private final Set<TableName> indexes = ConcurrentHashMap.newKeySet();

  /** Shared by what writes. */
  private final ReadWriteLock writing = new ReentrantReadWriteLock();

  private boolean isClosed;

  /**
   * @param indexes that are not active
   */
  IndexPopulation(PhoenixClient client, EngineTransaction snapshot, Set<TableName> indexes) {
    this.client = client;
    this.snapshot = snapshot;
    this.indexes.addAll(indexes);
  }

  /**
   * Writes rows unless they were written since the snapshot.
   *
   * @return false if the index has no fast path: nothing was written
   */
  boolean write(Table index, List<Mutation> mutations) throws IOException {
    indexes.add(index.getName());
    List<FastPathOperation> operations = operations(mutations);
    Optional<List<FastPathResult>> results;
    writing.readLock().lock();
    try {
      if (isClosed) {
        throw SqlFailures.unsent();
      }
      results = client.writeAll(index.getName(), operations);
    } finally {
      writing.readLock().unlock();
    }
    if (results.isEmpty()) {
      return false;
    }
    for (int i = 0; i < operations.size(); i++) {
      FastPathResult result = results.get().get(i);
      if (result instanceof FastPathResult.Failed failed) {
        throw failed.failure();
      }
      if (!result.isCommitted()) {
        requireSnapshot(index, operations.get(i).action().getRow());
      }
    }
    return true;
  }

  /**
   * Refuses further writes, and waits for those that are under way: a new population of an index
   * that was emptied must not be mixed with rows of this one.
   */
  void close() {
    writing.writeLock().lock();
    isClosed = true;
    writing.writeLock().unlock();
  }

  /**
   * Refuses the indexes to transactions that have begun before this call: they would miss the rows,
   * and Phoenix may choose an index for them as soon as it is made.
   */
  void end() throws IOException {
    for (TableName index : indexes) {
      client.fence(index);
    }
  }

  private List<FastPathOperation> operations(List<Mutation> mutations) throws IOException {
    Map<ByteBuffer, RowMutations> rows = new LinkedHashMap<>();
    for (Mutation mutation : mutations) {
      byte[] row = mutation.getRow();
      rows.computeIfAbsent(ByteBuffer.wrap(row), key -> new RowMutations(row)).add(mutation);
    }
    List<FastPathOperation> operations = new ArrayList<>(rows.size());
    for (RowMutations row : rows.values()) {
      RowVersion unchanged =
          new RowVersion(Bytes.wrap(row.getRow()), snapshot.startTimestamp(), List.of());
      operations.add(FastPathOperation.of(row).ifUnchanged(unchanged));
    }
    return operations;
  }

  /**
   * Fails if the snapshot is not readable any more: then the row was perhaps not changed, but what
   * was committed to it since the snapshot cannot be told.
   */
  private void requireSnapshot(Table index, byte[] row) throws IOException {
    Scan scan = new Scan().withStartRow(row).withStopRow(row, true);
    try (ResultScanner rows = snapshot.getScanner(index, scan, 0, true)) {
      rows.next();
    }
  }
}
