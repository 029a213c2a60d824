package io.lampone.client;

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
   * Makes a transactional table plain: waits for its intents, resolves them, rewrites what
   * transactions wrote so that plain HBase reads the newest committed state, removes the rest.
   */
  void disableTable(TableName table) throws IOException;

  /**
   * Lets a table keep old versions longer than the cluster does: its snapshots stay readable for
   * the retention of the cluster and {@code extra}. That holds for snapshots that begin an hour
   * after this call, or later: older ones may be collected meanwhile.
   *
   * @param extra zero for as long as the cluster
   */
  void keepLonger(TableName table, Duration extra) throws IOException;

  /**
   * Lets values of a family expire: no snapshot that begins {@code lifetime} after the begin of the
   * transaction that wrote a value, or later, sees it, and what it had overwritten stays hidden.
   * Counts at once, also for snapshots that are being read.
   *
   * @param lifetime at least a millisecond; zero for ever
   */
  void expireAfter(TableName table, byte[] family, Duration lifetime) throws IOException;

  /** All transactional tables. */
  List<TransactionalTable> listTables() throws IOException;

  /** A transactional table. */
  record TransactionalTable(TableName name, ConflictLevel level, boolean changing) {}
}
