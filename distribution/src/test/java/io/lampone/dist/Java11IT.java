package io.lampone.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.client.LamponeClient;
import io.lampone.cluster.ClusterPlan;
import io.lampone.cluster.LocalCluster;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The jars for Java 11: whether a Java 11 could link them, and whether they do their work. They run
 * on the Java of this build, beside the jars for Java 17.
 */
@Timeout(value = 8, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Java11IT {

  private static final int JAVA_11 = 55;
  private static final int JAVA_17 = 61;
  private static final Duration START = Duration.ofSeconds(120);
  private static final Duration GRACE = Duration.ofSeconds(20);

  /** Rounds of the comparison, which prints its medians; 0 to leave it out. */
  private static final int ROUNDS = Integer.getInteger("lampone.java11.rounds", 0);

  private static final int PUTS = 2000;

  /** One on each region server, named for its jar; two of each for a comparison. */
  private static final List<String> TABLES =
      ROUNDS > 0 ? List.of("on11", "on17", "on17b", "on11b") : List.of("on11", "on17");

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJarForJava11HasClassesOfItsVersionThatUseWhatItHas(boolean ofRegionServers)
      throws Exception {
    Path jar = ofRegionServers ? unpack().coprocessorForJava11() : client("-jdk11");
    List<Java11Jar.ClassFile> classes = Java11Jar.classes(jar);
    assertThat(classes).hasSizeGreaterThan(ofRegionServers ? 400 : 600);
    assertThat(classes).allMatch(each -> each.version() <= JAVA_11);
    assertThat(Java11Jar.absent(classes)).isEmpty();
    assertThat(new Java11Library().size()).isGreaterThan(4000);
  }

  /** The check above means something: the jars that are translated do not pass it. */
  @Test
  void aJarForJava17IsFoundOut() throws Exception {
    List<Java11Jar.ClassFile> classes = Java11Jar.classes(unpack().coprocessor());
    assertThat(classes).allMatch(each -> each.version() == JAVA_17);
    assertThat(Java11Jar.absent(classes))
        .anyMatch(each -> each.endsWith(" -> java/lang/Record"))
        .anyMatch(each -> each.contains("java/util/stream/Stream.toList()"));
  }

  @Test
  void aClusterRunsJarsOfBothKinds() throws Exception {
    Installation lampone = unpack();
    String hbase = lampone.hbaseJars();
    ClusterPlan plan =
        new ClusterPlan(
            folder.resolve("cluster"), 1, 1, TABLES.size(), 0, Duration.ofSeconds(10), Map.of());
    LocalCluster cluster = LocalCluster.create(plan, SystemClock.INSTANCE, new Random());
    Process manager = null;
    try {
      cluster.start("zk1", hbase);
      cluster.start("master1", hbase + ":" + lampone.coprocessorForJava11());
      for (int server = 1; server <= TABLES.size(); server++) {
        boolean on11 = TABLES.get(server - 1).startsWith("on11");
        Path jar = on11 ? lampone.coprocessorForJava11() : lampone.coprocessor();
        cluster.start("rs" + server, hbase + ":" + jar);
      }
      cluster.awaitUsable(START, step -> {});
      lampone.use(cluster.clientSite());
      manager = lampone.startManager(cluster, folder);
      await().atMost(START).until(() -> lampone.run("tm", "status").exitCode() == 0);
      for (int server = 1; server <= TABLES.size(); server++) {
        createTable(cluster, TABLES.get(server - 1), cluster.member("rs" + server).port());
      }
      assertThat(lampone.run("check").exitCode()).isZero();

      Map<String, Path> clients = Map.of("client11", client("-jdk11"), "client17", client(""));
      for (Map.Entry<String, Path> each : clients.entrySet()) {
        ClassLoader loader = loader(each.getValue(), hbase);
        try (AutoCloseable application = application(loader, cluster.quorum())) {
          assertThat(ask(application, "work on11 on17"))
              .as(each.getKey())
              .isEqualTo("scanned=380 counted=381 counts=true text=true");
        }
        assertThat(Class.forName("io.lampone.protocol.TransactionId", true, loader).isRecord())
            .isEqualTo(each.getKey().equals("client17"));
      }
      if (ROUNDS > 0) {
        compare(clients, hbase, cluster.quorum());
      }
    } finally {
      if (manager != null) {
        manager.destroy();
        manager.waitFor();
      }
      cluster.stopAll(GRACE);
    }
  }

  /** Prints the median over the rounds of the median of each round's puts. */
  private void compare(Map<String, Path> clients, String hbase, String quorum) throws Exception {
    Map<String, List<Long>> medians = new TreeMap<>();
    try (AutoCloseable on11 = application(loader(clients.get("client11"), hbase), quorum);
        AutoCloseable on17 = application(loader(clients.get("client17"), hbase), quorum)) {
      for (int round = -2; round < ROUNDS; round++) { // the first two are to warm up
        for (Map.Entry<String, AutoCloseable> client :
            Map.of("client11", on11, "client17", on17).entrySet()) {
          for (String table : TABLES) {
            long nanos = Long.parseLong(ask(client.getValue(), "puts " + table + " " + PUTS));
            if (round >= 0) {
              medians
                  .computeIfAbsent(client.getKey() + " " + table, key -> new ArrayList<>())
                  .add(nanos);
            }
          }
        }
      }
    }
    medians.forEach(
        (which, nanos) ->
            System.out.printf(
                "%s: %.1f us, rounds %d%n",
                which,
                nanos.stream().sorted().skip(nanos.size() / 2).findFirst().orElseThrow() / 1e3,
                nanos.size()));
  }

  @SuppressWarnings("unchecked")
  private static String ask(AutoCloseable application, String command) {
    return ((Function<String, String>) application).apply(command);
  }

  private static AutoCloseable application(ClassLoader loader, String quorum) throws Exception {
    // HBase finds its settings by the loader of the thread.
    Thread.currentThread().setContextClassLoader(loader);
    return (AutoCloseable)
        Class.forName("io.lampone.dist.Java11Application", true, loader)
            .getConstructor(String.class)
            .newInstance(quorum);
  }

  /** Loads everything again, apart from the classes of the test; open while threads end. */
  private static ClassLoader loader(Path client, String hbase) throws IOException {
    List<URL> urls = new ArrayList<>();
    urls.add(client.toUri().toURL());
    urls.add(Java11Application.class.getProtectionDomain().getCodeSource().getLocation());
    for (String jar : hbase.split(":")) {
      if (!jar.contains("logback")) {
        urls.add(Path.of(jar).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  private static Path client(String classifier) {
    return Path.of(System.getProperty("lampone.client.shaded") + classifier + ".jar");
  }

  private static void createTable(LocalCluster cluster, String name, int port) throws IOException {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(cluster.clientSite().toUri()));
    TableName table = TableName.valueOf(name);
    try (LamponeClient client = LamponeClient.connect(configuration)) {
      client
          .admin()
          .createTable(
              TableDescriptorBuilder.newBuilder(table)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                  .build(),
              ConflictLevel.ROW);
    }
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      RegionInfo region = admin.getRegions(table).get(0);
      ServerName server =
          admin.getRegionServers().stream()
              .filter(each -> each.getPort() == port)
              .findFirst()
              .orElseThrow();
      admin.move(region.getEncodedNameAsBytes(), server);
      await().atMost(START).until(() -> admin.getRegions(server).contains(region));
    }
  }

  private Installation unpack() throws Exception {
    return Installation.unpack(
        System.getProperty("lampone.distribution"), folder.resolve("unpacked"));
  }
}
