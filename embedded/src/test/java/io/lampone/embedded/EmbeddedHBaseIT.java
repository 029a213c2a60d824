package io.lampone.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lampone.embedded.EmbeddedStartException.Reason;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.util.MemorySizeUtil;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedHBaseIT {

  private static final TableName TABLE = TableName.valueOf("fruit");
  private static final byte[] FAMILY = bytes("f");
  private static final byte[] COLUMN = bytes("q");
  private static final int ROWS_BEFORE_KILL = 500;

  @TempDir private Path temporary;

  /** HBase's defaults: 0.8 of the heap for a server, and a report with each poll for a master. */
  @Test
  void theServersShareTheHeapAndReportAsRarelyAsOthers() throws Exception {
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(temporary.resolve("shared")).regionServers(3).build();
    try (EmbeddedHBase hbase = EmbeddedHBase.start(config)) {
      long promised = 0;
      for (int i = 0; i < hbase.regionServerCount(); i++) {
        HRegionServer server = hbase.regionServer(i);
        promised += MemorySizeUtil.getGlobalMemStoreSize(server.getConfiguration()).getFirst();
        promised += server.getBlockCache().map(BlockCache::getMaxSize).orElse(0L);
      }
      assertThat(promised).isPositive().isLessThan(Runtime.getRuntime().maxMemory() * 6 / 10);
      assertThat(millisBetweenReports(hbase))
          .isGreaterThanOrEqualTo(EmbeddedRegionServer.REPORT_MILLIS);
    }
  }

  /** Measures the interval of a server's reports; the master counts its start as one, too. */
  private static long millisBetweenReports(EmbeddedHBase hbase) throws InterruptedException {
    long first = awaitReport(hbase, awaitReport(hbase, 0));
    return awaitReport(hbase, first) - first;
  }

  private static long awaitReport(EmbeddedHBase hbase, long afterMillis)
      throws InterruptedException {
    ServerName server = hbase.regionServer(0).getServerName();
    long reported = afterMillis;
    while (reported <= afterMillis) {
      Thread.sleep(20);
      reported = hbase.master().getServerManager().getLoad(server).getReportTimestamp();
    }
    return reported;
  }

  @Test
  void dataOutlivesMovesTheDeathOfAServerAndARestart() throws IOException {
    EmbeddedHBaseConfig config =
        EmbeddedHBaseConfig.builder(temporary.resolve("with space")).build();

    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      createTable(hbase, connection);
      put(connection, "apple", "1");
      put(connection, "peach", "2");

      List<RegionInfo> regions = regions(connection);
      assertThat(regions).hasSize(2);
      for (RegionInfo region : regions) {
        hbase.moveRegion(region, 0);
        assertThat(hbase.regionServerOf(region)).isZero();
        hbase.moveRegion(region, 1);
        assertThat(hbase.regionServerOf(region)).isEqualTo(1);
      }
      assertThat(get(connection, "apple")).isEqualTo("1");

      put(connection, "apple", "3");
      hbase.killRegionServer(1);
      hbase.waitUntilAssigned(TABLE);
      assertThat(hbase.isAlive(1)).isFalse();
      assertThat(hbase.regionServerOf(regions.get(0))).isZero();
      assertThat(get(connection, "apple")).isEqualTo("3");
      assertThat(get(connection, "peach")).isEqualTo("2");

      int third = hbase.startRegionServer();
      assertThat(third).isEqualTo(2);
      hbase.moveRegion(regions.get(0), third);
      put(connection, "apple", "4");
      assertThat(get(connection, "apple")).isEqualTo("4");
    }

    try (EmbeddedHBase hbase = EmbeddedHBase.start(config);
        Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      hbase.waitUntilAssigned(TABLE);
      assertThat(get(connection, "apple")).isEqualTo("4");
      assertThat(get(connection, "peach")).isEqualTo("2");
    }
  }

  @Test
  void everyAcknowledgedPutSurvivesAKilledProcess() throws Exception {
    Path folder = temporary.resolve("killed");
    Process writer = startWriter(folder);
    try (var output = writer.inputReader(UTF_8)) {
      assertThat(output.lines().anyMatch(line -> line.equals("acknowledged"))).isTrue();
    } finally {
      // SIGKILL: the process gets no chance to close anything.
      writer.destroyForcibly().waitFor();
    }

    try (EmbeddedHBase hbase = EmbeddedHBase.start(Writer.config(folder));
        Connection connection = ConnectionFactory.createConnection(hbase.configuration())) {
      hbase.waitUntilAssigned(TABLE);
      for (int row = 0; row < ROWS_BEFORE_KILL; row++) {
        assertThat(get(connection, "row" + row)).as("row %d", row).isEqualTo("v" + row);
      }
    }
  }

  @Test
  void closeLeavesNoThreadThatKeepsTheProcessAlive() throws IOException {
    Set<Thread> before = userThreads();

    EmbeddedHBase.start(
            EmbeddedHBaseConfig.builder(temporary.resolve("threads")).regionServers(1).build())
        .close();

    Set<Thread> after = userThreads();
    after.removeAll(before);
    assertThat(after).isEmpty();
  }

  @Test
  void aTakenPortAndATakenFolderAreNamed() throws IOException {
    Path folder = temporary.resolve("taken");
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = other.getLocalPort();
      assertThatExceptionOfType(EmbeddedStartException.class)
          .isThrownBy(
              () ->
                  EmbeddedHBase.start(
                      EmbeddedHBaseConfig.builder(folder).zooKeeperPort(port).build()))
          .withMessageContaining("127.0.0.1:" + port)
          .extracting(EmbeddedStartException::reason)
          .isEqualTo(Reason.PORT_IN_USE);
    }

    // The failed start released the folder.
    try (DataDirectory held = DataDirectory.claim(folder)) {
      assertThatExceptionOfType(EmbeddedStartException.class)
          .isThrownBy(() -> EmbeddedHBase.start(EmbeddedHBaseConfig.builder(folder).build()))
          .withMessageContaining(held.root().toString())
          .extracting(EmbeddedStartException::reason)
          .isEqualTo(Reason.DATA_DIRECTORY_IN_USE);
    }
  }

  /** Process that {@link #everyAcknowledgedPutSurvivesAKilledProcess} kills. */
  static final class Writer {

    private Writer() {}

    /** Sessions that outlast any test: a start that waited for their expiry would time out. */
    static EmbeddedHBaseConfig config(Path folder) {
      return EmbeddedHBaseConfig.builder(folder)
          .zooKeeperSessionTimeout(Duration.ofMinutes(10))
          .build();
    }

    public static void main(String[] args) throws Exception {
      EmbeddedHBase hbase = EmbeddedHBase.start(config(Path.of(args[0])));
      Connection connection = ConnectionFactory.createConnection(hbase.configuration());
      createTable(hbase, connection);
      for (int row = 0; row < ROWS_BEFORE_KILL; row++) {
        put(connection, "row" + row, "v" + row);
      }
      System.out.println("acknowledged");
      Thread.currentThread().join();
    }
  }

  private static Process startWriter(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Writer.class.getName(),
            folder.toString())
        .redirectError(new File(folder.getParent().toFile(), "writer.log"))
        .start();
  }

  private static void createTable(EmbeddedHBase hbase, Connection connection) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build(),
          new byte[][] {bytes("m")});
    }
    hbase.waitUntilAssigned(TABLE);
  }

  private static List<RegionInfo> regions(Connection connection) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      return admin.getRegions(TABLE);
    }
  }

  private static void put(Connection connection, String row, String value) throws IOException {
    try (Table table = connection.getTable(TABLE)) {
      table.put(new Put(bytes(row)).addColumn(FAMILY, COLUMN, bytes(value)));
    }
  }

  private static String get(Connection connection, String row) throws IOException {
    try (Table table = connection.getTable(TABLE)) {
      Result result = table.get(new Get(bytes(row)));
      return result.isEmpty() ? "" : new String(result.getValue(FAMILY, COLUMN), UTF_8);
    }
  }

  private static Set<Thread> userThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.isDaemon() && thread.isAlive())
        .collect(Collectors.toSet());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
