package io.lampone.client.hbase.admin;

import io.lampone.client.ChangeListener;
import io.lampone.client.LamponeException;
import io.lampone.client.LamponeException.Code;
import io.lampone.client.hbase.FailureTranslator;
import io.lampone.client.hbase.TableCache;
import io.lampone.client.hbase.transport.StoreAccess;
import io.lampone.hbase.HiddenTables;
import io.lampone.hbase.TableRetention;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.TransactionManager;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Steps of a change of tables. Each returns when it is complete: a changed descriptor, when every
 * region has it.
 */
final class SchemaSteps implements Waiting {

  /** Timeout of a step; changing a descriptor reopens every region, and rewriting is a pass. */
  static final Duration TIMEOUT = Duration.ofMinutes(60);

  private final StoreAccess access;
  private final TableCache tables;
  private final TransactionManager manager;
  private final ChangeListener listener;

  SchemaSteps(
      StoreAccess access, TableCache tables, TransactionManager manager, ChangeListener listener) {
    this.access = access;
    this.tables = tables;
    this.manager = manager;
    this.listener = listener;
  }

  /** Returns the same steps, reported to another listener. */
  SchemaSteps reportingTo(ChangeListener newListener) {
    return new SchemaSteps(access, tables, manager, newListener);
  }

  TableDescriptor descriptor(TableName table) throws IOException {
    return await(admin().getDescriptor(table));
  }

  /** Returns all tables; fails if HBase hides one from this user. */
  TableList allTables() throws IOException {
    HiddenTables.Counts counts = () -> await(admin().getClusterMetrics(HiddenTables.option()));
    ClusterMetrics before = counts.ask();
    List<TableDescriptor> shown = await(admin().listTableDescriptors());
    Set<TableName> hidden = HiddenTables.of(before, shown, counts);
    if (!hidden.isEmpty()) {
      throw TableChanges.refused(
          "HBase hides other tables from this user, and they may hold intents that are decided here:"
              + " finish as a user with CREATE or ADMIN on all tables, hidden="
              + hidden);
    }
    return TableList.of(shown);
  }

  void create(TableDescriptor table, byte[]... splitKeys) throws IOException {
    await(
        splitKeys.length == 0 ? admin().createTable(table) : admin().createTable(table, splitKeys));
    tables.invalidate(table.getTableName());
  }

  /** Changes a descriptor. */
  void modify(String step, TableDescriptor table) throws IOException {
    progress().reopening(step, table.getTableName(), () -> admin().modifyTable(table));
    tables.invalidate(table.getTableName());
  }

  /**
   * Requests that HBase remove deleted versions from the files; does not wait for that. The change
   * is complete without: a failure is reported.
   */
  void requestCompaction(TableName table) {
    try {
      await(admin().flush(table));
      await(admin().majorCompact(table));
    } catch (IOException e) {
      listener.left(
          "what transactions left in the files of the table stays until a major compaction, which"
              + " could not be requested: in the HBase shell, flush '"
              + table
              + "' and major_compact '"
              + table
              + "', why="
              + e.getMessage());
    }
  }

  /** Fails if the table has a version that a plain table must not have. */
  void checkVersions(TableName table) throws IOException {
    listener.progress("Checking", 0, 1);
    new VersionCheck(access, this).refuseLargeVersions(table);
    listener.progress("Checking", 1, 1);
  }

  /** Returns a fresh snapshot. */
  Begin begin() throws IOException {
    return await(manager.begin());
  }

  /** Keeps old versions of a table longer than the cluster does, or less long than before. */
  void keepLonger(TableDescriptor present, Duration extra) throws IOException {
    TableName table = present.getTableName();
    long heard = heard();
    TableDescriptor changed = TableRetention.changed(present, extra, heard);
    modify("Changing", changed);
    if (TableRetention.isUnconfirmed(changed)) {
      TableDescriptor now = descriptor(table);
      boolean isSame = TableRetention.of(now).equals(TableRetention.of(changed));
      if (!isSame || begin().startTimestamp() > heard) {
        throw TableChanges.refused(
            "the regions have learnt of it too late, and may have collected what readable snapshots"
                + " showed; or another program has changed it meanwhile: do it again, table="
                + table);
      }
      modify("Confirming", TableRetention.confirmed(now));
    }
  }

  /** Returns a bound; no region collects by former rules once the safe point has reached it. */
  long heard() throws IOException {
    return Timestamps.tick(begin().startTimestamp() + TIMEOUT.toNanos());
  }

  /** Returns settings with a fresh floor, and the descriptor's setting of the fast path. */
  TableSettings settings(TableDescriptor present, Phase phase, ConflictLevel level)
      throws IOException {
    String fastPath = present.getValue(TableSettings.FAST_PATH_KEY);
    String plainClients = present.getValue(TableSettings.PLAIN_CLIENTS_KEY);
    return new TableSettings(
        phase,
        level,
        begin().startTimestamp(),
        fastPath == null || Boolean.parseBoolean(fastPath),
        plainClients == null ? PlainClients.REFUSED : PlainClients.valueOf(plainClients));
  }

  RegionProgress progress() {
    return new RegionProgress(access, this, listener);
  }

  AsyncAdmin admin() {
    return access
        .connection()
        .getAdminBuilder()
        .setOperationTimeout(TIMEOUT.toMinutes(), TimeUnit.MINUTES)
        .build();
  }

  @Override
  public <T> T await(CompletableFuture<T> step) throws IOException {
    try {
      return step.get(TIMEOUT.toMinutes(), TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("interrupted: do it again to finish it").initCause(e);
    } catch (TimeoutException e) {
      throw new LamponeException(
          Code.STORE_UNAVAILABLE, 0, "no answer in time: do it again to finish it", e);
    } catch (ExecutionException e) {
      throw FailureTranslator.translate(e, 0);
    }
  }
}
