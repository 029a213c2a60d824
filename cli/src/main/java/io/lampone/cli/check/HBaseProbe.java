package io.lampone.cli.check;

import io.lampone.cli.check.ClocksCheck.Skew;
import io.lampone.cli.check.PermissionsCheck.Permissions;
import io.lampone.cli.check.ServersCheck.Server;
import io.lampone.hbase.HiddenTables;
import io.lampone.hbase.RefusalException;
import io.lampone.hbase.ServerAnswer;
import io.lampone.hbase.ServerProbe;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.trust.InspectionPass;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.security.SecurityCapability;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;

/** Queries HBase: the master for the cluster, each region server for its coprocessor version. */
final class HBaseProbe implements AutoCloseable {

  private static final int CALL_MILLIS = 10_000;
  private static final int MAX_CAUSES = 20;
  private static final byte[] LOWEST_ROW = {0};

  private final Connection connection;
  private final Clock clock;

  /** Clocks of the region servers that have answered. */
  private final List<Skew> clocks = new ArrayList<>();

  HBaseProbe(Connection connection, Clock clock) {
    this.connection = connection;
    this.clock = clock;
  }

  /** Connects with the time limits of an interactive command. */
  static HBaseProbe connect(Configuration configuration, Clock clock) throws IOException {
    Configuration copy = new Configuration(configuration);
    copy.setInt("hbase.client.retries.number", 2);
    copy.setInt("hbase.rpc.timeout", CALL_MILLIS);
    copy.setInt("hbase.client.operation.timeout", CALL_MILLIS);
    copy.setInt("hbase.client.meta.operation.timeout", CALL_MILLIS);
    return new HBaseProbe(ConnectionFactory.createConnection(copy), clock);
  }

  /** Queries all region servers. */
  List<Server> servers(ClusterCheck.Steps steps) throws IOException {
    List<Server> servers = new ArrayList<>();
    try (Admin admin = connection.getAdmin()) {
      Map<ServerName, ServerMetrics> live =
          new TreeMap<>(admin.getClusterMetrics().getLiveServerMetrics());
      for (Map.Entry<ServerName, ServerMetrics> one : live.entrySet()) {
        steps.at("servers", servers.size(), live.size());
        servers.add(ask(admin, one.getKey(), one.getValue().getVersion()));
      }
    }
    return servers;
  }

  /** Returns the clock differences seen by {@link #servers}. */
  List<Skew> clocks() {
    return List.copyOf(clocks);
  }

  /**
   * List of tables.
   *
   * @param hidden number of tables that it lacks, because HBase hides them
   */
  record Tables(List<TableDescriptor> shown, int hidden) {}

  Tables tables() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      HiddenTables.Counts counts = () -> admin.getClusterMetrics(HiddenTables.option());
      ClusterMetrics before = counts.ask();
      List<TableDescriptor> shown = admin.listTableDescriptors();
      return new Tables(shown, HiddenTables.of(before, shown, counts).size());
    }
  }

  /**
   * Returns, by table, the refusal of a region in which another coprocessor follows Lampone's.
   * Queries one region of each table on each server; its other regions have the same coprocessors.
   */
  Map<String, String> misplaced(ClusterCheck.Steps steps) throws IOException {
    Map<String, String> answers = new TreeMap<>();
    try (Admin admin = connection.getAdmin()) {
      Set<ServerName> live = admin.getClusterMetrics().getLiveServerMetrics().keySet();
      int done = 0;
      for (ServerName server : live) {
        steps.at("tables", done, live.size());
        done++;
        Map<TableName, RegionInfo> regions = new TreeMap<>();
        admin.getRegions(server).forEach(each -> regions.putIfAbsent(each.getTable(), each));
        for (RegionInfo region : regions.values()) {
          if (!region.getTable().isSystemTable()) {
            refusal(region)
                .filter(refusal -> refusal.code() == Refusal.Code.MISPLACED)
                .ifPresent(
                    refusal -> answers.put(region.getTable().getNameAsString(), refusal.detail()));
          }
        }
      }
    }
    return answers;
  }

  /** Returns the refusal of a region to a read of its first row. */
  private Optional<Refusal> refusal(RegionInfo region) {
    Scan scan = new Scan().withStartRow(region.getStartKey()).setOneRowLimit();
    scan.setAttribute(TableSettings.INSPECTION_ATTRIBUTE, InspectionPass.none());
    try (Table table = connection.getTable(region.getTable());
        ResultScanner scanner = table.getScanner(scan)) {
      scanner.next();
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return RefusalException.in(e);
    }
  }

  Permissions permissions() throws IOException {
    String user = User.getCurrent().getShortName();
    try (Admin admin = connection.getAdmin()) {
      if (!admin.getSecurityCapabilities().contains(SecurityCapability.AUTHORIZATION)) {
        return new Permissions(false, user, true, Map.of());
      }
      Map<String, Boolean> mayUse = new TreeMap<>();
      for (TableDescriptor table : admin.listTableDescriptors()) {
        if (table.getValue(TableSettings.PHASE_KEY) != null) {
          TableName name = table.getTableName();
          mayUse.put(name.getNameAsString(), mayUse(admin, table));
        }
      }
      Permission create = Permission.newBuilder().withActions(Permission.Action.CREATE).build();
      return new Permissions(true, user, has(admin, create), mayUse);
    }
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  /** Returns true if the table, or a family of it, may be read and written. */
  private static boolean mayUse(Admin admin, TableDescriptor table) throws IOException {
    List<Permission> wanted = new ArrayList<>();
    Permission.Action[] both = {Permission.Action.READ, Permission.Action.WRITE};
    wanted.add(Permission.newBuilder(table.getTableName()).withActions(both).build());
    for (byte[] family : table.getColumnFamilyNames()) {
      wanted.add(
          Permission.newBuilder(table.getTableName()).withFamily(family).withActions(both).build());
    }
    return admin.hasUserPermissions(wanted).contains(true);
  }

  private static boolean has(Admin admin, Permission permission) throws IOException {
    return admin.hasUserPermissions(List.of(permission)).get(0);
  }

  private Server ask(Admin admin, ServerName server, String hbaseVersion) throws IOException {
    String name = server.getHostname() + ":" + server.getPort();
    Optional<RegionInfo> region =
        admin.getRegions(server).stream()
            .filter(each -> each.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID)
            .findFirst();
    if (region.isEmpty()) {
      return new Server(name, hbaseVersion, Optional.empty(), "", false);
    }
    byte[] start = region.get().getStartKey();
    Get get = new Get(start.length == 0 ? LOWEST_ROW : start).setFilter(new ServerProbe());
    long asked = clock.wallMillis();
    try (Table table = connection.getTable(region.get().getTable())) {
      table.get(get);
      return new Server(
          name, hbaseVersion, Optional.empty(), "took the probe and did not answer it", true);
    } catch (IOException | RuntimeException e) {
      long came = clock.wallMillis();
      Optional<ServerAnswer> answer = answerIn(e);
      answer.ifPresent(found -> clocks.add(Skew.between(name, asked, found.wallMillis(), came)));
      // The server's own reply takes precedence: the master may have no report yet.
      return new Server(
          name,
          answer.map(ServerAnswer::hbaseVersion).orElse(hbaseVersion),
          answer,
          answer.isPresent() ? "" : problem(e),
          true);
    }
  }

  private static Optional<ServerAnswer> answerIn(Throwable failure) {
    Throwable link = failure;
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      Optional<ServerAnswer> answer = ServerAnswer.parse(String.valueOf(link.getMessage()));
      if (answer.isPresent()) {
        return answer;
      }
      link = link.getCause();
    }
    return Optional.empty();
  }

  private static String problem(Throwable failure) {
    Throwable link = failure;
    String last = "";
    for (int i = 0; link != null && i < MAX_CAUSES; i++) {
      last = String.valueOf(link.getMessage());
      if (last.contains(ServerProbe.class.getName())
          && last.contains(ClassNotFoundException.class.getSimpleName())) {
        return "Lampone's jar is not on the class path of this server";
      }
      link = link.getCause();
    }
    return "could not be asked: " + last.lines().findFirst().orElse("");
  }
}
