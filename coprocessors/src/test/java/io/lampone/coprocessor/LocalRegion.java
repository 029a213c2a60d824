package io.lampone.coprocessor;

import io.lampone.coprocessor.core.clock.RecentVersions;
import io.lampone.coprocessor.core.clock.TimestampBatches;
import io.lampone.coprocessor.core.fence.Fences;
import io.lampone.coprocessor.core.fence.ManagerRecordSource;
import io.lampone.coprocessor.core.fence.RegionFence;
import io.lampone.coprocessor.core.fence.RegionGuards;
import io.lampone.coprocessor.core.fence.RegionReadiness;
import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.server.StoppedServer;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.hbase.TableSettings.PlainClients;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;

/** A region of HBase without a server and a log, and what we keep of it. */
public final class LocalRegion implements AutoCloseable {

  private final StoppedServer server = new StoppedServer();
  private final Deque<ManagerRecordSource.Answer> reads = new ArrayDeque<>();
  private final HRegion region;
  private final OpenRegion open;

  /** Stands where our observer would be. */
  public static final class Ours implements RegionCoprocessor {}

  /** A region with an observer that does nothing. */
  public LocalRegion(Path folder, TableDescriptor table) throws IOException {
    region = region(folder, table);
    with(Ours.class);
    open = new OpenRegion(environment(region), server.context());
  }

  /**
   * A region without coprocessors that has opened.
   *
   * @param guards in place of those of the server
   */
  public LocalRegion(Path folder, TableDescriptor table, RegionGuards guards) throws IOException {
    region = region(folder, table);
    RegionCoprocessorEnvironment environment = environment(region);
    RegionFence fence = new Fences(reads::add, SystemClock.INSTANCE).regionOpened();
    TimestampBatches ticks = server.context().ticks();
    open =
        new OpenRegion(
            environment,
            server.context(),
            new OpenRegion.Opened(
                fence,
                new RegionReadiness(ticks, fence, new RecentVersions()),
                guards,
                server.generation(table.getTableName(), 0)));
  }

  /** Adds a coprocessor. */
  public LocalRegion with(Class<? extends RegionCoprocessor> coprocessor) throws IOException {
    region
        .getCoprocessorHost()
        .load(coprocessor, Coprocessor.PRIORITY_USER, HBaseConfiguration.create());
    return this;
  }

  /** Returns a table of level ROW. */
  public static TableDescriptorBuilder table(long floor, long schemaFloor, String... families) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t"));
    for (String family : families) {
      table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
    }
    return new TableSettings(
            Phase.ENABLED, ConflictLevel.ROW, floor, true, PlainClients.REFUSED, schemaFloor)
        .applyTo(table);
  }

  /** Returns the oldest read of the transaction manager's record that is not answered. */
  ManagerRecordSource.Answer read() {
    return reads.remove();
  }

  public OpenRegion open() {
    return open;
  }

  public HRegion region() {
    return region;
  }

  /** Stores cells of one row. */
  public void put(byte[] row, KeyValue... cells) throws IOException {
    Put put = new Put(row).setDurability(Durability.SKIP_WAL);
    for (KeyValue cell : cells) {
      put.add(cell);
    }
    region.put(put);
  }

  /** Returns the permissions of its users, which are all. */
  public Permissions permissions() {
    return Permissions.ofPlain(open, new CoprocessorChain(open));
  }

  private static HRegion region(Path folder, TableDescriptor table) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set(HConstants.HBASE_DIR, folder.toUri().toString());
    configuration.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    HRegion region =
        HRegion.createHRegion(
            RegionInfoBuilder.newBuilder(table.getTableName()).build(),
            new org.apache.hadoop.fs.Path(folder.toUri()),
            configuration,
            table,
            null);
    region.setCoprocessorHost(new RegionCoprocessorHost(region, null, configuration));
    return region;
  }

  private static RegionCoprocessorEnvironment environment(HRegion region) {
    return (RegionCoprocessorEnvironment)
        Proxy.newProxyInstance(
            LocalRegion.class.getClassLoader(),
            new Class<?>[] {RegionCoprocessorEnvironment.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getRegion" -> region;
                  case "getRegionInfo" -> region.getRegionInfo();
                  case "getConfiguration" -> HBaseConfiguration.create();
                  default -> null;
                });
  }

  @Override
  public void close() throws IOException {
    region.close();
    server.close();
  }
}
