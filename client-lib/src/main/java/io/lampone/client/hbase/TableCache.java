package io.lampone.client.hbase;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.step.Step;
import io.lampone.client.driver.AsyncRequest;
import io.lampone.client.hbase.transport.StoreFailures;
import io.lampone.hbase.Carrier;
import io.lampone.hbase.HiddenTables;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.jspecify.annotations.Nullable;

/**
 * Cache of table descriptors. It only saves round trips: the region server decides whether a write
 * is admissible; it refuses another conflict level, and writes below the floor of the table. So an
 * old entry is used at once, and read again in the background.
 *
 * <p>Thread-safe. Only entries of enabled tables are kept: others may change at any moment and are
 * looked up each time.
 */
public final class TableCache {

  private final AsyncConnection connection;
  private final Clock clock;
  private final Duration expiry;

  // by name; entries are replaced as a whole; never more than the application uses tables
  private final ConcurrentMap<TableName, TransactionalTableView> tables = new ConcurrentHashMap<>();
  // operations that wait for a running lookup, in the order of their calls, in which they continue:
  // dependents of one future would continue in the opposite order; guarded by itself
  private final Map<TableName, List<CompletableFuture<TransactionalTableView>>> lookups =
      new HashMap<>();

  // tables whose descriptors the master does not disclose to this user
  private final Set<TableName> denied = ConcurrentHashMap.newKeySet();

  public TableCache(AsyncConnection connection, Clock clock, Duration expiry) {
    this.connection = connection;
    this.clock = clock;
    this.expiry = expiry;
  }

  /** Returns a table; fails with HBase's exception if there is none. */
  CompletableFuture<TransactionalTableView> get(TableName name) {
    @Nullable TransactionalTableView known = tables.get(name);
    if (known == null) {
      return lookUp(name);
    }
    if (isExpired(known)) {
      CompletableFuture<TransactionalTableView> refreshed = lookUp(name);
      assert refreshed != null;
    }
    return CompletableFuture.completedFuture(known);
  }

  /**
   * Reads by what is known of a table; once more by a new look at it if a family has been dropped.
   */
  <T> Step<T> upToDate(
      TransactionalTableView known, Function<TransactionalTableView, Step<T>> read) {
    return read.apply(known)
        .recover(
            failure -> {
              if (StoreFailures.find(failure, NoSuchColumnFamilyException.class).isEmpty()) {
                return Step.failed(failure);
              }
              TableName name = TableName.valueOf(known.name());
              invalidate(name);
              return AsyncRequest.step(() -> get(name)).then(read);
            });
  }

  /**
   * Returns true if a table may keep snapshots longer than the cluster does; also if HBase does not
   * disclose it, or hides a table. Needed only if a snapshot is too old.
   */
  public CompletableFuture<Boolean> someMayKeepLonger() {
    AsyncAdmin admin = connection.getAdmin();
    return admin
        .listTableDescriptors()
        .thenCompose(
            shown ->
                shown.stream().anyMatch(TableRetention::keepsLonger)
                    ? CompletableFuture.completedFuture(true)
                    : admin
                        .getClusterMetrics(HiddenTables.option())
                        .thenApply(counts -> !HiddenTables.of(counts, shown).isEmpty()))
        .exceptionally(failure -> true);
  }

  /**
   * Removes from the cache what a failure contradicts. After any other one the entries stay,
   * because HBase's master may be away.
   *
   * @param used tables that the failed operation may have used
   */
  void failed(Throwable failure, Collection<String> used) {
    if (failure instanceof StoreRefusedException refused) {
      refused(refused.table(), refused.refusal());
    } else if (failure instanceof UnknownFamilyException unknown) {
      invalidate(TableName.valueOf(unknown.table()));
    } else if (StoreFailures.find(failure, NoSuchColumnFamilyException.class).isPresent()) {
      used.forEach(table -> invalidate(TableName.valueOf(table)));
    }
  }

  /** Removes a table from the cache if a server's refusal contradicts the entry. */
  void refused(String table, Refusal refusal) {
    switch (refusal.code()) {
      case LEVEL_MISMATCH, TABLE_CHANGING, FAST_PATH_DISABLED, UNSUPPORTED, MALFORMED ->
          invalidate(TableName.valueOf(table));
      default -> {}
    }
  }

  /** Removes a table from the cache, after a server's reply that contradicts the entry. */
  public void invalidate(TableName name) {
    tables.remove(name);
  }

  /**
   * Reads a descriptor from HBase's master, which discloses it only to users who may alter the
   * table; else from a region, which discloses the needed part to users who may read there.
   */
  private CompletableFuture<TableDescriptor> descriptor(TableName name) {
    if (denied.contains(name)) {
      return described(name);
    }
    return connection
        .getAdmin()
        .getDescriptor(name)
        .exceptionallyCompose(
            failure -> {
              if (StoreFailures.find(failure, AccessDeniedException.class).isEmpty()) {
                return CompletableFuture.failedFuture(failure);
              }
              denied.add(name);
              return described(name);
            });
  }

  private CompletableFuture<TableDescriptor> described(TableName name) {
    return connection.getTable(name).get(Carrier.describeGet()).thenApply(Carrier::described);
  }

  private boolean isExpired(TransactionalTableView table) {
    return clock.monotonicNanos() - table.readAtNanos() > expiry.toNanos();
  }

  private CompletableFuture<TransactionalTableView> lookUp(TableName name) {
    CompletableFuture<TransactionalTableView> mine = new CompletableFuture<>();
    List<CompletableFuture<TransactionalTableView>> waiting;
    synchronized (lookups) {
      TransactionalTableView found = tables.get(name);
      if (found != null && !isExpired(found)) {
        return CompletableFuture.completedFuture(found); // by a lookup that has just ended
      }
      waiting = lookups.computeIfAbsent(name, table -> new ArrayList<>());
      waiting.add(mine);
      if (waiting.size() > 1) {
        return mine;
      }
    }
    long now = clock.monotonicNanos();
    descriptor(name)
        .thenApply(descriptor -> TransactionalTableView.of(descriptor, now))
        .whenComplete(
            (table, failure) -> {
              if (failure == null && table.isEnabled()) {
                tables.put(name, table);
              } else if (failure == null) {
                tables.remove(name);
              }
              synchronized (lookups) {
                lookups.remove(name);
              }
              for (CompletableFuture<TransactionalTableView> one : waiting) {
                if (failure == null) {
                  one.complete(table);
                } else {
                  one.completeExceptionally(failure);
                }
              }
            });
    return mine;
  }
}
