package io.lampone.client;

import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Administration of transactional tables. */
public interface LamponeAdmin {

  /** Longest additional retention of a table: ten years. */
  Duration LONGEST_EXTRA = Duration.ofDays(3650);

  /**
   * Creates a transactional table. Families are changed so that HBase drops no version; their TTL,
   * VERSIONS and MIN_VERSIONS become Lampone's own rules with the same meaning for snapshots.
   *
   * @param splitKeys first rows of the regions after the first; none for one region
   */
  void createTable(TableDescriptor table, ConflictLevel level, byte[]... splitKeys)
      throws IOException;

  /**
   * Makes an existing table transactional without rewriting cells: existing data counts as
   * committed before all snapshots. Fails if the table holds a version at or above 2^56. Does
   * nothing if the table is already enabled at this level; to change it, disable the table first.
   */
  void enableTable(TableName table, ConflictLevel level) throws IOException;

  /**
   * Makes an existing table transactional and sets the access of plain HBase clients. Without this
   * setting the table's descriptor applies, by default refusal. On a table that is already enabled,
   * only this setting changes. While the table is being enabled, plain clients are refused; with
   * access through the fast path, they receive an error that HBase's client retries.
   */
  void enableTable(TableName table, ConflictLevel level, PlainClients plainClients)
      throws IOException;

  /**
   * Returns the changes that {@link #enableTable} would make, and obstacles to it. Reads every cell
   * and changes nothing.
   */
  AdoptionReport inspectTable(TableName table) throws IOException;

  /** Returns an administration that reports progress to {@code listener}. */
  LamponeAdmin reportingTo(ChangeListener listener);

  /**
   * Makes a transactional table plain: waits for its intents, resolves them, rewrites transactional
   * cells so that plain HBase reads the newest committed state, and removes the rest.
   */
  void disableTable(TableName table) throws IOException;

  /**
   * Fences a table: transactions that began before this call can no longer read or write it, as
   * data that they have read may be gone. Use it after restoring a table from an HBase snapshot.
   */
  void fenceTable(TableName table) throws IOException;

  /**
   * Creates a table to be filled from a backup. The table stays plain until {@link #finishRestore},
   * so that no transaction reads incomplete data. Its families are changed like those of a
   * transactional table. Does nothing if the table exists and is being filled from the same table
   * of the same backup.
   *
   * @param table may carry a transactional table's settings for plain clients, the fast path and
   *     longer retention, and its name in the backup ({@code lampone.restored.table})
   * @param backup name of the backup
   * @param splitKeys first rows of the regions after the first; none for one region
   * @return true if this call created the table; false if it existed
   * @throws LamponeException if the table exists for another reason
   */
  boolean createForRestore(TableDescriptor table, String backup, byte[]... splitKeys)
      throws IOException;

  /**
   * Makes a table transactional that has been filled from a backup. Every version in it must be
   * committed at birth and below the transaction manager's current timestamps. Idempotent, and can
   * be repeated after an interruption; once this call has begun, the table can no longer be filled.
   */
  void finishRestore(TableName table, ConflictLevel level) throws IOException;

  /**
   * Extends the retention of a table: its snapshots stay readable for the retention of the cluster
   * plus {@code extra}. Applies to snapshots from one hour after this call on; older ones may be
   * collected meanwhile. If the table's retention is already longer, its snapshots stay readable,
   * except for the oldest hour when the retention is raised.
   *
   * @param extra up to {@link #LONGEST_EXTRA}; zero for the retention of the cluster
   */
  void keepLonger(TableName table, Duration extra) throws IOException;

  /**
   * Moves the observer of a table behind all other coprocessors, if an older Lampone has placed it
   * before them. Reopens the table's regions one by one; transactions continue.
   *
   * @return true if the table had to be changed
   */
  boolean upgradeTable(TableName table) throws IOException;

  /**
   * Sets the lifetime of the values of a family. A value is invisible to snapshots that begin
   * {@code lifetime} or more after the begin of the transaction that wrote it; the values that it
   * had overwritten stay hidden. Takes effect immediately, also for snapshots that are being read.
   *
   * @param lifetime at least a millisecond; zero = unlimited
   */
  void expireAfter(TableName table, byte[] family, Duration lifetime) throws IOException;

  /**
   * Enables or disables per-cell TTLs ({@code Mutation.setTTL}) of a family. They act like the TTL
   * of the family and cannot be longer. If enabled, every read of the family evaluates them. Takes
   * effect immediately, also for snapshots that are being read.
   */
  void letCellsExpire(TableName table, byte[] family, boolean allowed) throws IOException;

  /**
   * Raises the schema floor of a table, for a layer above that has added an index: its regions
   * refuse one-region commits that began below {@code floor}, and operations of the fast path that
   * name an older schema. Returns when this holds in all regions, which are reopened one by one.
   */
  void raiseSchemaFloor(TableName table, long floor) throws IOException;

  /** Returns all transactional tables whose settings can be read. */
  List<TransactionalTable> listTables() throws IOException;

  /** Returns the tables that are marked transactional but whose settings cannot be read. */
  List<UnreadableTable> listUnreadableTables() throws IOException;

  /**
   * A transactional table.
   *
   * @param changing whether it is closed to writers
   * @param restoring whether it is closed because a restore is opening it for the first time
   */
  record TransactionalTable(
      TableName name, ConflictLevel level, boolean changing, boolean restoring) {}

  /**
   * A table whose settings cannot be read.
   *
   * @param why readable description of the error
   */
  record UnreadableTable(TableName name, String why) {}
}
