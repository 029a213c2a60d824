package io.lampone.phoenix;

import io.lampone.client.ClientMetrics;
import io.lampone.client.LamponeAdmin;
import io.lampone.client.LamponeClient;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.TransactionOptions;
import io.lampone.client.fastpath.FastPath;
import io.lampone.client.fastpath.FastPathOperation;
import io.lampone.client.fastpath.FastPathResult;
import io.lampone.client.fastpath.FastPathTable;
import io.lampone.client.hbase.UnknownFamilyException;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.client.spi.EngineTransaction;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.Clock;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.phoenix.jdbc.PhoenixConnection;
import org.apache.phoenix.transaction.PhoenixTransactionClient;
import org.apache.phoenix.transaction.TransactionFactory;

/** Client of the transactions of all Phoenix connections to one cluster. */
final class PhoenixClient implements PhoenixTransactionClient {

  /** Age of the latest start timestamp above which a statement asks for a newer one. */
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LamponeClient client;

  /** Isolation that the configuration asks for; empty if it does not say. */
  private final String isolation;

  private final FastPath fastPath;
  private final Clock clock;
  private final KnownSchemas schemas = new KnownSchemas();

  /** Latest transaction of each connection that the application has not given up. */
  private final Map<PhoenixConnection, SqlTransaction> latest =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** Latest start timestamp that was issued to this client; 0 if none. */
  private long issued;

  /** Monotonic time at which it was asked for. */
  private long askedNanos;

  private long lastId;

  PhoenixClient(LamponeClient client, String isolation, Clock clock) {
    this.client = client;
    this.isolation = isolation;
    this.fastPath = client.fastPath();
    this.clock = clock;
  }

  /** Returns the client of a connection; Phoenix makes one with its first. */
  static PhoenixClient of(PhoenixConnection connection) throws SQLException {
    PhoenixTransactionClient client =
        connection.getQueryServices().initTransactionClient(TransactionFactory.Provider.OMID);
    if (client instanceof PhoenixClient ours) {
      return ours;
    }
    throw new SQLException(
        "a connection from before Lampone was installed: call LamponePhoenix.install() before the"
            + " first one");
  }

  String isolation() {
    return isolation;
  }

  ClientMetrics metrics() {
    return client.metrics();
  }

  /**
   * Takes note of the latest transaction of a connection, and ends the one before: Phoenix forgets
   * it if it has too many rows.
   */
  void begun(PhoenixConnection connection, SqlTransaction transaction) {
    SqlTransaction before = latest.put(connection, transaction);
    if (before != null) {
      before.rollback(); // does nothing after its end
    }
  }

  /** Returns the timestamps of the latest transaction of a connection. */
  SqlTimestamps timestamps(PhoenixConnection connection) {
    SqlTransaction known = latest.get(connection);
    return known == null ? SqlTimestamps.NONE : known.timestamps();
  }

  EngineTransaction begin(Duration timeout) throws IOException {
    long asked = clock.monotonicNanos();
    EngineTransaction begun =
        client.engine().begin(TransactionOptions.DEFAULT.withTimeout(limited(timeout)));
    synchronized (this) {
      if (issued < begun.startTimestamp()) {
        issued = begun.startTimestamp();
        askedNanos = asked;
      }
    }
    return begun;
  }

  /** Begins a transaction that reads the past. */
  EngineTransaction asOf(long timestamp, Duration timeout) throws IOException {
    return client
        .engine()
        .asOf(timestamp, TransactionOptions.DEFAULT.withTimeout(limited(timeout)));
  }

  private static Duration limited(Duration timeout) {
    Duration most = TransactionOptions.MAX_TIMEOUT;
    return timeout.compareTo(most) < 0 ? timeout : most;
  }

  /**
   * Returns a transaction that begins when it has to. Until then its id is the time of the
   * transaction manager, as this client knows it: Phoenix looks for what its catalogue held at that
   * time. If no start timestamp was issued to this client lately, another transaction gets one: a
   * statement that fails, or is only compiled, would leave its snapshot to the next one.
   *
   * @param isFast whether the fast path may take its place
   */
  SqlTransaction beginLate(Duration timeout, boolean isFast) throws IOException {
    if (!isIssuedLately()) {
      begin(timeout).rollback();
    }
    return late(timeout, isFast);
  }

  /** Returns such a transaction by the latest start timestamp, however old it is. */
  synchronized SqlTransaction late(Duration timeout, boolean isFast) {
    lastId = Math.max(lastId, Timestamps.tick(issued + clock.monotonicNanos() - askedNanos));
    return SqlTransaction.late(this, timeout, lastId, isFast);
  }

  private synchronized boolean isIssuedLately() {
    return issued != 0 && clock.monotonicNanos() - askedNanos < MAX_AGE_NANOS;
  }

  /** Returns the monotonic time. */
  long nanos() {
    return clock.monotonicNanos();
  }

  /** Returns what is known of copies of the catalogue. */
  KnownSchemas schemas() {
    return schemas;
  }

  /** Returns the latest state of a row; empty if the table has no fast path. */
  Optional<Result> latest(TableName table, Get get) throws IOException {
    return onFastPath(table, rows -> rows.getLatest(get));
  }

  /**
   * Writes a row on the fast path.
   *
   * @param knownSchema as of {@link KnownSchemas}
   * @return its version; empty if the table has no fast path: nothing was written
   * @throws LamponeException CONFLICT if an index may be missing
   */
  OptionalLong write(TableName table, Row row, long knownSchema) throws IOException {
    FastPathOperation operation = FastPathOperation.of(row).ifSchemaUnchanged(knownSchema);
    Optional<FastPathResult> result = onFastPath(table, rows -> rows.apply(operation));
    if (result.isEmpty()) {
      return OptionalLong.empty();
    }
    if (result.get() instanceof FastPathResult.Committed committed) {
      return OptionalLong.of(committed.version());
    }
    throw SqlFailures.newIndex(Set.of(table));
  }

  /** Applies operations on independent rows; empty if the table has no fast path. */
  Optional<List<FastPathResult>> writeAll(TableName table, List<FastPathOperation> operations)
      throws IOException {
    return onFastPath(table, rows -> rows.applyAll(operations));
  }

  /** One call of the fast path. */
  @FunctionalInterface
  private interface Call<T> {
    T run(FastPathTable table) throws IOException;
  }

  private <T> Optional<T> onFastPath(TableName name, Call<T> call) throws IOException {
    FastPathTable table = fastPath.table(name);
    try {
      try {
        return Optional.of(call.run(table));
      } catch (LamponeException e) {
        if (StoreFailures.find(e, UnknownFamilyException.class).isEmpty()) {
          throw e;
        }
        // The cached descriptor was stale and has been evicted. Nothing was sent.
        return Optional.of(call.run(table));
      }
    } catch (LamponeException e) {
      if (e.code() == Code.TABLE_NOT_TRANSACTIONAL) {
        return Optional.empty();
      }
      throw e;
    }
  }

  LamponeAdmin admin() {
    return client.admin();
  }

  /** Refuses a table to transactions that have begun before this call. */
  void fence(TableName table) throws IOException {
    client.admin().fenceTable(table);
  }

  void recordFence(TableName table) throws IOException {
    client.engine().recordFence(table);
  }

  @Override
  public void close() throws IOException {
    client.close();
  }
}
