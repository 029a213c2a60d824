package io.lampone.client.config;

import io.lampone.client.Isolation;
import io.lampone.client.LamponeClientConfig;
import io.lampone.client.core.IntentResolver;
import io.lampone.client.core.TransactionLimits;
import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.tm.ManagerRecord;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Settings that {@link LamponeClientConfig} reads, in the order of the reference page. {@link
 * io.lampone.tmclient.ClientProperties} declares {@code lampone.client.manager.timeout}, with the
 * others of the transaction manager's client.
 */
public final class ClientSettings {

  private static final long MANY = 1L << 40;
  private static final String LONGEST = "1h";

  private static final SettingList LIST = new SettingList(LamponeClientConfig.PREFIX, true);
  private static final SettingList ZOOKEEPER = new SettingList("lampone.zookeeper.", true);

  public static final Setting<Duration> OPERATION_TIMEOUT =
      LIST.duration(
          "operation.timeout",
          "10s",
          "10ms",
          LONGEST,
          "One read or write of the servers, repetitions included.");

  public static final Setting<Duration> CONNECT_TIMEOUT =
      LIST.duration("connect.timeout", "30s", "10ms", LONGEST, "Connecting.");

  public static final Setting<Duration> CLOSE_TIMEOUT =
      LIST.duration(
          "close.timeout",
          "5s",
          "0s",
          LONGEST,
          "How long closing waits for the work after commits.");

  public static final Setting<Long> BUFFER_BYTES =
      LIST.bytes(
          "buffer.bytes",
          TransactionLimits.DEFAULT.bufferBytes(),
          0,
          MANY,
          "Buffered writes of one transaction beyond this are sent before commit.");

  public static final Setting<Integer> TRANSACTION_CELLS =
      LIST.count(
          "transaction.cells",
          TransactionLimits.DEFAULT.writtenCells(),
          1,
          Integer.MAX_VALUE,
          "Cells that one transaction may write.");

  public static final Setting<Integer> RECORDED_FOLLOWERS =
      LIST.count(
          "recorded.followers",
          TransactionLimits.DEFAULT.recordedFollowers(),
          0,
          RequestLimits.MAX_FOLLOWERS,
          "Places of a transaction beyond this are not listed in its leader.");

  public static final Setting<Integer> HOUSEKEEPING_LIMIT =
      LIST.count(
          "housekeeping.limit",
          1000,
          1,
          1 << 20,
          "Works after commits under way at once; more are left to readers.");

  public static final Setting<Long> REQUEST_BYTES =
      LIST.bytes(
          "request.bytes",
          1 << 20,
          1,
          RequestLimits.MAX_WRITE_BYTES,
          "Payload of one request for one region.");

  public static final Setting<Integer> REQUEST_ROWS =
      LIST.count(
          "request.rows", 10_000, 1, RequestLimits.MAX_ROWS, "Rows of one request for one region.");

  public static final Setting<Long> SCAN_BUFFER_BYTES =
      LIST.bytes(
          "scan.buffer.bytes",
          4 << 20,
          1,
          MANY,
          "Results that one scanner holds before it stops the scan.");

  public static final Setting<Duration> TABLE_CACHE_EXPIRY =
      LIST.duration(
          "table.cache.expiry",
          "1m",
          "0s",
          LONGEST,
          "After this a table's descriptor is read again, in the background.");

  public static final Setting<Duration> RETRY_PAUSE =
      LIST.duration(
          "retry.pause",
          "10ms",
          "1ms",
          LONGEST,
          "Longest pause before the first repetition of run(); doubled each time.");

  public static final Setting<Duration> RETRY_PAUSE_CAP =
      LIST.duration(
          "retry.pause.cap", "1s", "1ms", LONGEST, "Longest pause before any repetition of run().");

  public static final Setting<Duration> FAST_PATH_PATIENCE =
      LIST.duration(
          "fast.path.patience",
          "2s",
          "0s",
          LONGEST,
          "How long a fast-path write lets an undecided transaction stand in its way before it"
              + " aborts that one.");

  public static final Setting<Duration> CONTACT_PATIENCE =
      LIST.duration(
          "contact.patience",
          IntentResolver.CONTACT_PATIENCE.toMillis() + "ms",
          "0s",
          LONGEST,
          "How long a reader waits for the client of a SERIALIZABLE transaction that has a"
              + " commit timestamp below its snapshot and is undecided, before it aborts that"
              + " one.");

  public static final Setting<Duration> SLOW_TRANSACTION =
      LIST.duration(
          "slow.transaction",
          "10s",
          "0s",
          LONGEST,
          "Transactions that take as long are written to the logger io.lampone.slow, as one"
              + " line of JSON each. 0 = none.");

  public static final Setting<Boolean> METRICS =
      LIST.flag(
          "metrics",
          true,
          "Transactions are counted, their phases measured, and both shown in JMX.");

  public static final Setting<Boolean> REPORT_ROWS =
      LIST.flag(
          "report.rows",
          true,
          "Rows on which transactions meet conflicts are reported to the transaction manager,"
              + " which shows them to administrators. false: their tables only.");

  public static final Setting<Isolation> ISOLATION =
      LIST.choice(
          "isolation", Isolation.class, "Isolation of transactions whose options name none.");

  public static final Setting<Boolean> CONFLICTS_EARLY =
      LIST.flag(
          "conflicts.early",
          false,
          "Writes are reserved at the transaction manager while their transaction runs: of two"
              + " that write the same, the first to write wins, and the other one ends before"
              + " its commit. An older transaction manager: as if false.");

  public static final Setting<Integer> READ_SET_ROWS =
      LIST.count(
          "read.set.rows",
          TransactionLimits.DEFAULT.readRows(),
          1,
          1_000_000,
          "Rows that one serializable transaction may read outside of scans; 16 times as many"
              + " columns or families; and 1 KB of keys and names for each.");

  public static final Setting<Integer> READ_SET_RANGES =
      LIST.count(
          "read.set.ranges",
          TransactionLimits.DEFAULT.readRanges(),
          1,
          100_000,
          "Ranges that one serializable transaction may scan; those of the same columns that"
              + " overlap count once.");

  public static final Setting<Integer> SERVER_LINES =
      LIST.count(
          "server.lines",
          4,
          0,
          64,
          "Connections of the client's own to each region server, for threads that wait for"
              + " the answer about one row; 0: such requests share HBase's connection, as"
              + " others do. None where HBase's client authenticates, encrypts or"
              + " compresses.");

  public static final Setting<String> ZOOKEEPER_PARENT =
      ZOOKEEPER.znode(
          "parent",
          ManagerRecord.DEFAULT_PARENT,
          "Parent znode of the transaction manager, for clients and region servers: belongs"
              + " into the hbase-site.xml of both if it is not the default. A change takes a"
              + " restart of the region servers.");

  /** All settings. */
  public static final List<Setting<?>> ALL =
      Stream.concat(LIST.all().stream(), ZOOKEEPER.all().stream()).toList();

  private ClientSettings() {}
}
