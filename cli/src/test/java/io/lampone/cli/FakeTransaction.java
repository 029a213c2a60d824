package io.lampone.cli;

import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.Savepoint;
import io.lampone.client.Transaction;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** A transaction of a {@link FakeDatabase}: a snapshot, and a list of changes. */
final class FakeTransaction implements Transaction {

  private final FakeDatabase database;
  private final long start;
  private final boolean readOnly;
  private final FakeDatabase.Snapshot base;
  private final List<Change> changes = new ArrayList<>();
  private boolean ended;
  private Optional<Long> commit = Optional.empty();

  /** One write. */
  record Change(TableName table, Bytes row, FakeDatabase.Applier applier) {}

  FakeTransaction(FakeDatabase database, long start, boolean readOnly) {
    this.database = database;
    this.start = start;
    this.readOnly = readOnly;
    this.base = database.snapshot(start);
  }

  FakeDatabase.Snapshot view() throws IOException {
    requireOpen();
    FakeDatabase.Snapshot view = base.copy();
    changes.forEach(change -> change.applier().apply(view));
    return view;
  }

  List<String> families(TableName table) throws IOException {
    return database.families(table);
  }

  TableDescriptor descriptor(TableName table) throws IOException {
    return database.descriptor(table);
  }

  Runnable beforeRows() {
    return database.beforeRows();
  }

  void change(TableName table, byte[] row, FakeDatabase.Applier applier) throws IOException {
    requireOpen();
    if (readOnly) {
      throw new LamponeException(Code.ILLEGAL_USE, start, "the transaction is read-only");
    }
    changes.add(new Change(table, Bytes.of(row), applier));
  }

  private void requireOpen() throws IOException {
    if (ended) {
      throw new LamponeException(Code.ILLEGAL_USE, start, "the transaction has ended");
    }
  }

  @Override
  public long startTimestamp() {
    return start;
  }

  @Override
  public Table table(TableName name) {
    return new FakeTable(this, name);
  }

  @Override
  public Savepoint savepoint() {
    return new Savepoint(start, changes.size() + 1);
  }

  @Override
  public void rollbackTo(Savepoint savepoint) {
    changes.subList(savepoint.slot() - 1, changes.size()).clear();
  }

  @Override
  public void commit() throws IOException {
    requireOpen();
    ended = true;
    if (!changes.isEmpty()) {
      Map<RowFamily, TableName> rows = new LinkedHashMap<>();
      changes.forEach(change -> rows.put(place(change), change.table()));
      commit =
          Optional.of(
              database.commit(
                  start,
                  rows,
                  newest -> changes.forEach(change -> change.applier().apply(newest))));
    }
  }

  @Override
  public void rollback() {
    ended = true;
  }

  @Override
  public Optional<TransactionId> id() {
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of(new TransactionId(start, place(changes.get(0))));
  }

  @Override
  public Optional<Long> commitTimestamp() {
    return commit;
  }

  @Override
  public void close() {
    rollback();
  }

  private static RowFamily place(Change change) {
    return new RowFamily(change.table().getNameAsString(), change.row(), Bytes.utf8("any"));
  }
}
