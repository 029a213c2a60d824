package io.lampone.sql;

import io.lampone.cli.check.Finding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils.BlockingRpcCallback;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.phoenix.coprocessor.generated.MetaDataProtos.GetVersionRequest;
import org.apache.phoenix.coprocessor.generated.MetaDataProtos.GetVersionResponse;
import org.apache.phoenix.coprocessor.generated.MetaDataProtos.MetaDataService;
import org.apache.phoenix.coprocessorclient.MetaDataProtocol;
import org.apache.phoenix.filter.EmptyColumnOnlyFilter;
import org.apache.phoenix.util.MetaDataUtil;

/** Queries region servers for Phoenix: whether its jar is there, and its version. */
final class PhoenixServers {

  private static final String CHECK = "phoenix";
  private static final String PAGE = "docs/sql.md";
  private static final byte[] LOWEST_ROW = {0};
  private static final byte[] NO_COLUMN = {'-'};
  private static final int BITS_OF_NUMBER = 8;
  private static final int NUMBER = 0xff;

  /** Phoenix's class that a server must load to answer. */
  private static final String PROBE = EmptyColumnOnlyFilter.class.getName();

  private final Connection hbase;

  PhoenixServers(Connection hbase) {
    this.hbase = hbase;
  }

  /** Returns a finding for each region server that holds a region. */
  List<Finding> jars() throws IOException {
    List<Finding> findings = new ArrayList<>();
    try (Admin admin = hbase.getAdmin()) {
      for (ServerName server :
          new TreeSet<>(admin.getClusterMetrics().getLiveServerMetrics().keySet())) {
        Optional<RegionInfo> region =
            admin.getRegions(server).stream()
                .filter(each -> each.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID)
                .findFirst();
        if (region.isPresent()) {
          findings.add(jar(server.getHostname() + ":" + server.getPort(), answer(region.get())));
        }
      }
    }
    return findings;
  }

  /** Returns the failure of a read with Phoenix's filter; empty if there is none. */
  private String answer(RegionInfo region) {
    byte[] start = region.getStartKey();
    Get get =
        new Get(start.length == 0 ? LOWEST_ROW : start)
            .setFilter(new EmptyColumnOnlyFilter(NO_COLUMN, NO_COLUMN));
    try (Table table = hbase.getTable(region.getTable())) {
      table.get(get);
      return "";
    } catch (IOException | RuntimeException e) {
      return SqlChecks.text(e);
    }
  }

  /** Judges the failure of a read with Phoenix's filter: a refusal has loaded it. */
  static Finding jar(String server, String failure) {
    if (failure.contains(PROBE) && failure.contains(ClassNotFoundException.class.getSimpleName())) {
      return Finding.fail(
          CHECK,
          server,
          "Phoenix's jar is not on the class path of this server",
          "put the server jar of Phoenix 5.2.1 into HBase's lib folder on this server, and restart it"
              + " BEFORE it opens a table of Phoenix, which would end it: "
              + PAGE);
    }
    return Finding.ok(CHECK, server, "Phoenix's jar is there");
  }

  /** Returns the version that the server of Phoenix's catalogue reports. */
  Finding version(TableName catalogue) {
    try (Table table = hbase.getTable(catalogue)) {
      long reported =
          table
              .coprocessorService(
                  MetaDataService.class, LOWEST_ROW, LOWEST_ROW, PhoenixServers::askVersion)
              .values()
              .iterator()
              .next();
      return version(MetaDataUtil.decodePhoenixVersion(reported));
    } catch (Throwable e) { // as the method of HBase declares
      return Finding.fail(
          CHECK,
          catalogue.getNameAsString(),
          "Phoenix's catalogue does not answer: " + SqlChecks.firstLine(e),
          "is the server jar of Phoenix 5.2.1 on every region server? " + PAGE);
    }
  }

  private static long askVersion(MetaDataService service) throws IOException {
    ServerRpcController controller = new ServerRpcController();
    BlockingRpcCallback<GetVersionResponse> answer = new BlockingRpcCallback<>();
    service.getVersion(
        controller,
        GetVersionRequest.newBuilder().setClientVersion(MetaDataProtocol.PHOENIX_VERSION).build(),
        answer);
    GetVersionResponse response = answer.get();
    controller.checkFailed();
    return response.getVersion();
  }

  /** Judges the servers' version: major, minor and patch number in a byte each. */
  static Finding version(int servers) {
    String found = "version " + number(servers) + " on the servers";
    if (servers >> BITS_OF_NUMBER == MetaDataProtocol.PHOENIX_VERSION >> BITS_OF_NUMBER) {
      return Finding.ok(CHECK, "", found);
    }
    return Finding.fail(
        CHECK,
        "",
        found + ", and this client is of " + number(MetaDataProtocol.PHOENIX_VERSION),
        "Lampone is tested with Phoenix 5.2.1 only: use that on servers and clients. " + PAGE);
  }

  private static String number(int version) {
    return (version >> 2 * BITS_OF_NUMBER & NUMBER) + "." + (version >> BITS_OF_NUMBER & NUMBER);
  }
}
