package io.lampone.embedded.model;

import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.embedded.Faults;
import io.lampone.embedded.Faults.Fault;
import io.lampone.embedded.FaultyObserver;
import io.lampone.hbase.TableRetention;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Tables for the workers, on which the work after every other commit fails once or twice: requests
 * to heal followers or to finish leaders are refused at first, so that readers do it.
 */
final class Playground implements Closeable {

  /** Tables so far: several tests share a cluster. */
  private static final AtomicInteger CREATED = new AtomicInteger();

  /** Requests of one transaction that are refused before the first is served. */
  private static final int REFUSED_REQUESTS = 2;

  private final EmbeddedLampone cluster;
  private final LamponeClient client;
  private final Connection connection;
  private final Faults.Active faults;

  Playground(EmbeddedLampone cluster, LamponeClient client) throws IOException {
    this.cluster = cluster;
    this.client = client;
    this.connection = ConnectionFactory.createConnection(cluster.configuration());
    this.faults = Faults.add(new LostHousekeeping());
  }

  /** The tables of one episode. */
  record Tables(Playground playground, List<TableName> names) implements Worker.Disturbance {
    @Override
    public String disturb(Random random) throws IOException {
      return playground.disturb(names.get(random.nextInt(names.size())), random);
    }
  }

  Tables createTables(List<ConflictLevel> levels) throws IOException {
    return createTables(levels, Map.of());
  }

  /**
   * @param values settings for the region servers, valid for these tables
   */
  Tables createTables(List<ConflictLevel> levels, Map<String, String> values) throws IOException {
    List<TableName> names = new ArrayList<>();
    for (ConflictLevel level : levels) {
      TableName name = TableName.valueOf("model_" + CREATED.incrementAndGet());
      TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
      RandomSpecs.FAMILIES.forEach(
          family ->
              table.setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(family.toArray())
                      .setValue(TableRetention.CELL_TTL_KEY, RandomSpecs.cellsExpireIn(family))
                      .build()));
      values.forEach(table::setValue);
      byte[][] splitKeys =
          RandomSpecs.SPLIT_KEYS.stream().map(key -> key.toArray()).toArray(byte[][]::new);
      client.admin().createTable(table.build(), level, splitKeys);
      FaultyObserver.install(connection, name);
      names.add(name);
    }
    return new Tables(this, names);
  }

  private String disturb(TableName table, Random random) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      switch (random.nextInt(4)) {
        case 0:
          admin.flush(table);
          return "flush " + table;
        case 1:
          admin.compact(table);
          return "compact " + table;
        case 2:
          admin.majorCompact(table);
          return "major-compact " + table;
        default:
          List<RegionInfo> regions = admin.getRegions(table);
          RegionInfo region = regions.get(random.nextInt(regions.size()));
          int server = random.nextInt(cluster.hbase().regionServerCount());
          cluster.hbase().moveRegion(region, server);
          return "move " + region.getRegionNameAsString() + " to server " + server;
      }
    }
  }

  @Override
  public void close() throws IOException {
    faults.close();
    connection.close();
  }

  private static final class LostHousekeeping implements Fault {

    // start timestamp -> requests that came so far
    private final Map<Long, Integer> seen = new ConcurrentHashMap<>();

    @Override
    public void before(RegionInfo region, RegionRequest request) throws IOException {
      if (region.getTable().getNameAsString().startsWith("model_")
          && Faults.brings(request, this::isRefused)) {
        throw Faults.refusal();
      }
    }

    private boolean isRefused(RegionRequest one) {
      boolean housekeeping = one instanceof Heal || one instanceof FinishLeader;
      return housekeeping
          && Long.bitCount(one.startTimestamp()) % 2 == 0
          && seen.merge(one.startTimestamp(), 1, Integer::sum) <= REFUSED_REQUESTS;
    }
  }
}
