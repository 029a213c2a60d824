package io.lampone.phoenix;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Table;
import org.apache.phoenix.exception.SQLExceptionCode;
import org.apache.phoenix.execute.PhoenixTxIndexMutationGenerator;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.transaction.PhoenixTransactionContext;
import org.apache.phoenix.transaction.TransactionFactory;
import org.jspecify.annotations.Nullable;

/**
 * View of one SQL transaction. Phoenix makes several of one transaction, for the parts of a
 * statement that run in parallel: all share the transaction, and each has the slot of the newest of
 * its writes that it reads. Those of a part cannot end it.
 *
 * <p>Phoenix calls a context by one thread at a time; scanners are opened by others.
 */
final class SqlContext implements PhoenixTransactionContext {

  private static final int MARKER = 0x4c;
  private static final int FORMAT = 1;

  /** Limit of the time in which Phoenix compiles a statement. */
  private static final long COMPILING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final PhoenixClient client;
  private final SqlConnectionProperties.Beginning beginning;
  private final Consumer<SqlTransaction> listener;
  private final SqlCatalogue catalogue;
  private final boolean isPart;

  /** The context of which it is a part, if that was sending; else null. */
  private final @Nullable SqlContext sender;

  /** Rows that parts of the statement have written. */
  private StatementRows rows = new StatementRows();

  /** Number of writes of the statement when this part last looked for former index rows. */
  private long looked;

  /** True since a statement has handed over rows that are sent. */
  private boolean isSending;

  /** True if this context has begun the transaction, and ends it when it is forgotten. */
  private boolean begun;

  /** Table whose fence was recorded for the next transaction; null if none was. */
  private @Nullable PTable fenced;

  /** The transaction; null until it has begun. */
  private volatile @Nullable SqlTransaction transaction;

  /** Own writes in later slots are not read. */
  private volatile int readSlot;

  private final RepeatedWrites repeated = new RepeatedWrites();

  private final FailedStatements statements = new FailedStatements();

  /** Monotonic time before the begin. */
  private long begunNanos;

  /** True if Phoenix has asked for the id of the transaction. */
  private boolean isIdKnown;

  /** Rows of indexes that were put since Phoenix began to send the writes of a statement. */
  private final Map<TableName, Set<ByteBuffer>> indexRows = new HashMap<>();

  private int writeSlot;
  private PhoenixVisibilityLevel level = PhoenixVisibilityLevel.SNAPSHOT;

  /**
   * @param listener receives each transaction that begins
   */
  SqlContext(
      PhoenixClient client,
      SqlConnectionProperties.Beginning beginning,
      Consumer<SqlTransaction> listener,
      SqlCatalogue catalogue) {
    this.client = client;
    this.beginning = beginning;
    this.listener = listener;
    this.catalogue = catalogue;
    this.isPart = false;
    this.sender = null;
  }

  private SqlContext(SqlContext other, boolean isPart) {
    this.client = other.client;
    this.beginning = other.beginning;
    this.listener = other.listener;
    this.catalogue = other.catalogue;
    this.isPart = isPart;
    this.sender = other.isSending ? other : null;
    this.rows = other.rows;
    this.transaction = other.transaction;
    this.readSlot = other.readSlot;
    this.writeSlot = other.writeSlot;
    this.begunNanos = other.begunNanos;
    this.isIdKnown = true;
  }

  @Override
  public void begin() throws SQLException {
    if (isPart) {
      throw SqlFailures.noTransaction();
    }
    abort();
    PTable populated = fenced;
    fenced = null;
    begunNanos = client.nanos();
    try {
      SqlTransaction next = beginning.begin(populated);
      transaction = next;
      listener.accept(next);
    } catch (IOException e) {
      throw SqlFailures.of(e);
    }
    begun = true;
    statements.begun();
    isIdKnown = false;
    isSending = false;
    repeated.clear();
    indexRows.clear();
    readSlot = 0;
    writeSlot = 0;
    level = PhoenixVisibilityLevel.SNAPSHOT;
  }

  @Override
  public void commit() throws SQLException {
    SqlTransaction ending = transaction;
    if (ending == null || isPart) {
      return;
    }
    try {
      ending.commit();
    } catch (IOException e) {
      throw statements.failureOfCommit(e);
    }
  }

  @Override
  public void abort() throws SQLException {
    SqlTransaction ending = transaction;
    if (ending != null && !isPart) {
      ending.rollback();
      catalogue.requireRowsStayImmutable();
    }
  }

  @Override
  public void reset() {
    SqlTransaction forgotten = transaction;
    if (forgotten != null && begun) {
      forgotten.rollback(); // or it would hold its snapshot; does nothing after its end
    }
    transaction = null;
    begun = false;
  }

  @Override
  public void checkpoint(boolean hasUncommittedData) throws SQLException {
    int previous = writeSlot;
    try {
      writeSlot = running().savepoint();
    } catch (IOException e) {
      throw SqlFailures.of(e);
    }
    readSlot = previous;
    level = PhoenixVisibilityLevel.SNAPSHOT_EXCLUDE_CURRENT;
  }

  @Override
  public void commitDDLFence(PTable dataTable) throws SQLException {
    catalogue.requireWholeIndexes(dataTable);
    try {
      client.recordFence(KnownSchemas.physicalName(dataTable));
      fenced = dataTable;
    } catch (IOException e) {
      throw SqlFailures.of(e, SQLExceptionCode.TX_UNABLE_TO_GET_WRITE_FENCE);
    }
  }

  @Override
  public void markDMLFence(PTable dataTable) {
    SqlTransaction writing = transaction;
    if (writing != null) {
      repeated.refuse(writing, dataTable, isIdKnown);
      try {
        writing.checkFence(KnownSchemas.physicalName(dataTable));
      } catch (IOException e) {
        return; // it has ended: the write that follows says so
      }
    }
  }

  @Override
  public void join(PhoenixTransactionContext context) {
    isSending = true;
    indexRows.clear();
    // They write into one buffer: there is nothing to be joined.
    if (context instanceof SqlContext other
        && other.transaction != null
        && transaction != null
        && other.transaction != transaction) {
      throw new IllegalStateException("contexts of two transactions cannot be joined");
    }
  }

  @Override
  public boolean isTransactionRunning() {
    return transaction != null;
  }

  @Override
  public long getTransactionId() {
    isIdKnown = true;
    SqlTransaction known = transaction;
    if (known == null) {
      return 0;
    }
    beginExplicit(known);
    return known.id();
  }

  @Override
  public long getReadPointer() {
    return getTransactionId() + readSlot;
  }

  @Override
  public long getWritePointer() {
    return getTransactionId() + writeSlot;
  }

  /** Phoenix sets the level when it begins to execute a statement. */
  @Override
  public void setVisibilityLevel(PhoenixVisibilityLevel newLevel) {
    SqlTransaction known = transaction;
    if (begun && known != null) {
      SqlTransaction next = statements.next(known, catalogue);
      if (next != known) {
        transaction = next;
        listener.accept(next);
        writeSlot = 0;
      }
      beginExplicit(next);
    }
    if (newLevel != PhoenixVisibilityLevel.SNAPSHOT_EXCLUDE_CURRENT) {
      readSlot = writeSlot;
    }
    isSending = false;
    repeated.clear();
    rows = new StatementRows();
    indexRows.clear();
    level = newLevel;
  }

  /** Begins what a statement under autocommit has left, if the next one is without autocommit. */
  private void beginExplicit(SqlTransaction known) {
    if (begun && !catalogue.isAutoCommit()) {
      try {
        known.beginUnlessUsed();
      } catch (IOException e) {
        known.refuse(e);
      }
    }
  }

  @Override
  public PhoenixVisibilityLevel getVisibilityLevel() {
    return level;
  }

  /**
   * The bytes that Phoenix sends to region servers, which only look at the last one.
   *
   * <pre>
   *   context = 4c 01 start:i64 readSlot:u8 provider:u8
   * </pre>
   */
  @Override
  public byte[] encodeTransaction() throws SQLException {
    return ByteBuffer.allocate(Long.BYTES + 4)
        .put((byte) MARKER)
        .put((byte) FORMAT)
        .putLong(running().id())
        .put((byte) readSlot)
        .put(getProvider().getCode())
        .array();
  }

  @Override
  public TransactionFactory.Provider getProvider() {
    return TransactionFactory.Provider.OMID;
  }

  @Override
  public PhoenixTransactionContext newTransactionContext(
      PhoenixTransactionContext context, boolean subTask) {
    return new SqlContext((SqlContext) context, subTask);
  }

  /**
   * Returns a table that is read. While it sends, Phoenix finds the former index rows of a table
   * that is mutable, and says that it is free of conflicts: what the statement has written counts.
   */
  @Override
  public Table getTransactionalTable(Table table, boolean isConflictFree) throws SQLException {
    SqlTable read = new SqlTable(this, running(), table);
    if (sender == null || !isConflictFree) {
      return read;
    }
    sender.looked = rows.writes();
    readSlot = writeSlot;
    return read.findingIndexRows();
  }

  /**
   * @param isIndex whether the rows are an index, and do not follow from those of its table
   */
  @Override
  public Table getTransactionalTableWriter(
      PhoenixConnection connection, PTable description, Table table, boolean isIndex)
      throws SQLException {
    if (isPart) {
      running().writes(connection);
    }
    TableName name = table.getName();
    if (isIndex || !KnownSchemas.physicalName(description).equals(name)) {
      boolean isNew =
          isIndex && running().isPopulating() && description.getIndexState() != PIndexState.ACTIVE;
      Set<ByteBuffer> sent = indexRows.computeIfAbsent(name, each -> new HashSet<>());
      Predicate<Mutation> isReplaced = isNew ? row -> false : SqlTable.isReplaced(sent, isIndex);
      return new SqlTable(this, running(), table, isNew, TableCopy.ofIndex(name), isReplaced);
    }
    List<PTable> indexes = KnownSchemas.maintainedIndexes(description);
    TableCopy copy = TableCopy.of(description, knownSchema(description));
    SqlTable written = new SqlTable(this, running(), table, false, copy, row -> false);
    if (isPart && !indexes.isEmpty() && !description.isImmutableRows()) {
      written.writeIn(rows, looked);
    }
    // Phoenix compiles a DELETE, index rows included, by the copy that it has at that time.
    boolean isCompiledBy =
        client.schemas().isFoundBefore(description, begunNanos - COMPILING_NANOS);
    if (!indexes.isEmpty() && !isCompiledBy && SqlTable.derivesIndexRows(description)) {
      written.deleteIndexRowsBy(
          PhoenixTxIndexMutationGenerator.newGenerator(connection, description, indexes, Map.of()));
    }
    return written;
  }

  /**
   * Returns a timestamp that the client knew before it looked up the copy of a table by which it
   * writes. A copy that is not known is compared with the catalogue.
   */
  private long knownSchema(PTable copy) throws SQLException {
    KnownSchemas schemas = client.schemas();
    OptionalLong known = schemas.of(copy);
    if (known.isPresent()) {
      return known.getAsLong();
    }
    try {
      return schemas.lookUp(copy, catalogue::lookUp, running().begin(), client::nanos);
    } catch (IOException e) {
      throw SqlFailures.of(e);
    }
  }

  int readSlot() {
    return readSlot;
  }

  private SqlTransaction running() throws SQLException {
    SqlTransaction known = transaction;
    if (known == null) {
      throw SqlFailures.noTransaction();
    }
    return known;
  }
}
