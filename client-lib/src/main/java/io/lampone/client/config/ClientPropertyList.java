package io.lampone.client.config;

import io.lampone.client.LamponeClientConfig;
import io.lampone.protocol.config.Property;
import io.lampone.protocol.request.RequestLimits;
import io.lampone.protocol.tm.ManagerRecord;
import java.util.List;

/**
 * Declarations of the properties that {@link LamponeClientConfig} reads, in the order of the
 * reference page. {@link io.lampone.tmclient.TmClientPropertyList} declares {@code
 * lampone.client.manager.timeout}, with the others of the transaction manager's client.
 */
public final class ClientPropertyList {

  private static final long MANY = 1L << 40;
  private static final String LONGEST = "1h";

  /** All declared properties. */
  public static final List<Property> ALL =
      List.of(
          duration(
              "operation.timeout",
              "10s",
              "10ms",
              "One read or write of the servers, repetitions included."),
          duration("connect.timeout", "30s", "10ms", "Connecting."),
          duration(
              "close.timeout", "5s", "0s", "How long closing waits for the work after commits."),
          Property.bytes(
              name("buffer.bytes"),
              2 << 20,
              0,
              MANY,
              "Buffered writes of one transaction beyond this are sent before commit."),
          Property.count(
              name("transaction.cells"),
              5_000_000,
              1,
              Integer.MAX_VALUE,
              "Cells that one transaction may write."),
          Property.count(
              name("recorded.followers"),
              RequestLimits.MAX_FOLLOWERS,
              0,
              RequestLimits.MAX_FOLLOWERS,
              "Places of a transaction beyond this are not listed in its leader."),
          Property.count(
              name("housekeeping.limit"),
              1000,
              1,
              1 << 20,
              "Works after commits under way at once; more are left to readers."),
          Property.bytes(
              name("request.bytes"),
              1 << 20,
              1,
              RequestLimits.MAX_WRITE_BYTES,
              "Payload of one request for one region."),
          Property.count(
              name("request.rows"),
              10_000,
              1,
              RequestLimits.MAX_ROWS,
              "Rows of one request for one region."),
          Property.bytes(
              name("scan.buffer.bytes"),
              4 << 20,
              1,
              MANY,
              "Results that one scanner holds before it stops the scan."),
          duration(
              "table.cache.expiry",
              "1m",
              "0s",
              "After this a table's descriptor is read again, in the background."),
          duration(
              "retry.pause",
              "10ms",
              "1ms",
              "Longest pause before the first repetition of run(); doubled each time."),
          duration("retry.pause.cap", "1s", "1ms", "Longest pause before any repetition of run()."),
          duration(
              "fast.path.patience",
              "2s",
              "0s",
              "How long a fast-path write lets an undecided transaction stand in its way before it"
                  + " aborts that one."),
          duration(
              "contact.patience",
              "100ms",
              "0s",
              "How long a reader waits for the client of a SERIALIZABLE transaction that has a"
                  + " commit timestamp below its snapshot and is undecided, before it aborts that"
                  + " one."),
          duration(
              "slow.transaction",
              "10s",
              "0s",
              "Transactions that take as long are written to the logger io.lampone.slow, as one"
                  + " line of JSON each. 0 = none."),
          Property.flag(
              name("metrics"),
              true,
              "Transactions are counted, their phases measured, and both shown in JMX."),
          Property.flag(
              name("report.rows"),
              true,
              "Rows on which transactions meet conflicts are reported to the transaction manager,"
                  + " which shows them to administrators. false: their tables only."),
          Property.choice(
              name("isolation"),
              List.of("SNAPSHOT", "SERIALIZABLE"),
              "Isolation of transactions whose options name none."),
          Property.flag(
              name("conflicts.early"),
              false,
              "Writes are reserved at the transaction manager while their transaction runs: of two"
                  + " that write the same, the first to write wins, and the other one ends before"
                  + " its commit. An older transaction manager: as if false."),
          Property.count(
              name("read.set.rows"),
              20_000,
              1,
              1_000_000,
              "Rows that one serializable transaction may read outside of scans; 16 times as many"
                  + " columns or families; and 1 KB of keys and names for each."),
          Property.count(
              name("read.set.ranges"),
              1_000,
              1,
              100_000,
              "Ranges that one serializable transaction may scan; those of the same columns that"
                  + " overlap count once."),
          Property.count(
              name("server.lines"),
              4,
              0,
              64,
              "Connections of the client's own to each region server, for threads that wait for"
                  + " the answer about one row; 0: such requests share HBase's connection, as"
                  + " others do. None where HBase's client authenticates, encrypts or"
                  + " compresses."),
          Property.znode(
              LamponeClientConfig.ZOOKEEPER_PARENT,
              ManagerRecord.DEFAULT_PARENT,
              "Parent znode of the transaction manager, for clients and region servers: belongs"
                  + " into the hbase-site.xml of both if it is not the default. A change takes a"
                  + " restart of the region servers."));

  private ClientPropertyList() {}

  private static Property duration(
      String shortName, String defaultValue, String lowest, String meaning) {
    return Property.duration(name(shortName), defaultValue, lowest, LONGEST, meaning);
  }

  private static String name(String shortName) {
    return LamponeClientConfig.PREFIX + shortName;
  }
}
