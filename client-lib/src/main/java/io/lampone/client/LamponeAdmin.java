package io.lampone.client;

import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;

/** Makes tables transactional, and plain again. */
public interface LamponeAdmin {

  /**
   * Creates a transactional table. Families are corrected to let HBase drop nothing; their TTL,
   * VERSIONS and MIN_VERSIONS become rules of ours with the same meaning to snapshots.
   *
   * @param splitKeys where regions begin; none for one region
   */
  void createTable(TableDescriptor table, ConflictLevel level, byte[]... splitKeys)
      throws IOException;

  /**
   * Makes an existing table transactional without rewriting a cell: what it holds counts as
   * committed since ever. Refused if the table holds a version at or above 2^56. Does nothing if it
   * is enabled at this level already; another level means to disable it first.
   */
  void enableTable(TableName table, ConflictLevel level) throws IOException;

  /**
   * The same, and says what plain HBase clients may do from then on; without it they are refused,
   * or what the table's descriptor says. On a table that is enabled already it changes that only.
   * While the table is being enabled they are refused, on the fast path so that HBase's client
   * comes again.
   */
  void enableTable(TableName table, ConflictLevel level, PlainClients plainClients)
      throws IOException;

  /**
   * Looks what {@link #enableTable} would do to a table and what stands against it. Reads every
   * cell and changes nothing.
   */
  AdoptionReport inspectTable(TableName table) throws IOException;

  /** Returns the same administration, reporting progress to {@code listener}. */
  LamponeAdmin reportingTo(ChangeListener listener);

  /**
   * Makes a transactional table plain: waits for its intents, resolves them, rewrites what
   * transactions wrote so that plain HBase reads the newest committed state, removes the rest.
   */
  void disableTable(TableName table) throws IOException;

  /**
   * Refuses all transactions that have begun before now to read or write a table: what they have
   * read of it may not be there any more. For tables that HBase has brought back from a snapshot of
   * its own.
   */
  void fenceTable(TableName table) throws IOException;

  /**
   * Creates a table that is to be filled from a backup. It is a plain one until {@link
   * #finishRestore}: no transaction reads what is not complete. Its families are corrected as those
   * of a transactional table. Does nothing if the table is there and being filled from the same
   * table of the same backup.
   *
   * @param table may carry what a transactional table's descriptor says of plain clients, the fast
   *     path, and how much longer it keeps old versions; and what it is called in the backup
   *     ({@code lampone.restored.table})
   * @param backup names the backup
   * @param splitKeys where regions begin; none for one region
   * @return whether it has made the table; false if it was there
   * @throws LamponeException if the table is there for another reason
   */
  boolean createForRestore(TableDescriptor table, String backup, byte[]... splitKeys)
      throws IOException;

  /**
   * Makes a table transactional that has been filled from a backup. Every version in it must be
   * committed at birth, and below the transaction manager's present timestamps. Does nothing if
   * that has been done already. Broken off, it may be done again; but from its beginning on the
   * table can be filled no more.
   */
  void finishRestore(TableName table, ConflictLevel level) throws IOException;

  /**
   * Lets a table keep old versions longer than the cluster does: its snapshots stay readable for
   * the retention of the cluster and {@code extra}. That holds for snapshots that begin an hour
   * after this call, or later: older ones may be collected meanwhile. Where a table keeps longer
   * already, what it holds stays readable, but for the oldest hour when it is raised.
   *
   * @param extra zero for as long as the cluster
   */
  void keepLonger(TableName table, Duration extra) throws IOException;

  /**
   * Puts the observer of a table behind all other coprocessors, where an older Lampone has put it
   * before them. Reopens its regions, one after the other; transactions go on.
   *
   * @return whether it had to be changed
   */
  boolean upgradeTable(TableName table) throws IOException;

  /**
   * Lets values of a family expire: no snapshot that begins {@code lifetime} after the begin of the
   * transaction that wrote a value, or later, sees it, and what it had overwritten stays hidden.
   * Counts at once, also for snapshots that are being read.
   *
   * @param lifetime at least a millisecond; zero for ever
   */
  void expireAfter(TableName table, byte[] family, Duration lifetime) throws IOException;

  /**
   * Lets values of a family have a TTL of their own ({@code Mutation.setTTL}), which counts like
   * that of the family and cannot be longer; or lets it not count any more. Reads of such a family
   * look at it. Counts at once, also for snapshots that are being read.
   */
  void letCellsExpire(TableName table, byte[] family, boolean allowed) throws IOException;

  /** All transactional tables whose settings can be read. */
  List<TransactionalTable> listTables() throws IOException;

  /** Tables that are said to be transactional, and whose settings cannot be read. */
  List<UnreadableTable> listUnreadableTables() throws IOException;

  /** A transactional table. */
  record TransactionalTable(TableName name, ConflictLevel level, boolean changing) {}

  /**
   * A table whose settings cannot be read.
   *
   * @param why what is wrong with them, for a person
   */
  record UnreadableTable(TableName name, String why) {}
}
